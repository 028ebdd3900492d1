import { type Logger, ServiceUnavailableError } from '../../index.js'
import type { TokenHeader } from './read-token.js'
import type { TimeSource } from './token-verifier.js'
import { type KeySource, matching, type VerificationKey } from './verification-key.js'

/** Keys are read again after this time, so that withdrawn keys are noticed. */
const FRESH_MS = 10 * 60_000
/**
 * The minimum pause between two attempts to read keys while there are usable keys, even if tokens have an unknown
 * `kid`.
 */
const COOLDOWN_MS = 30_000
/** The minimum pause between two attempts to read keys while there are no usable keys. */
const RETRY_MS = 5000
/** How long keys are used if they cannot be read again. */
const STALE_MS = 24 * 3_600_000

interface RemoteKeysSetup {
  /** Reads the issuer's keys. Rejects if there are none. */
  readonly read: () => Promise<readonly VerificationKey[]>
  readonly clock: TimeSource
  readonly logger: Pick<Logger, 'warn'> | undefined
  /** Aborts a `read` in progress. */
  readonly abort: () => void
}

/**
 * The keys of an issuer. Concurrent requests wait for the same attempt to read the keys. This class replaces jose's
 * `createRemoteJWKSet`, which drops its keys while the issuer is unavailable, and then sends a request for each unknown
 * `kid`.
 */
export class RemoteKeys implements KeySource {
  readonly #setup: RemoteKeysSetup
  #keys: readonly VerificationKey[] = []
  #readAt = -Infinity
  #triedAt = -Infinity
  #pending: Promise<void> | null = null

  constructor(setup: RemoteKeysSetup) {
    this.#setup = setup
  }

  async find(header: TokenHeader): Promise<readonly VerificationKey[]> {
    if (!this.#isUsable()) await this.#readFirst()
    this.keepFresh()
    const isUnknown = header.kid !== undefined && this.#keys.every(({ kid }) => kid !== header.kid)
    if (isUnknown && this.#mayTry(COOLDOWN_MS)) await this.#refresh()
    return matching(this.#keys, header)
  }

  keepFresh(): void {
    const isFresh = this.#setup.clock.monotonic() - this.#readAt < FRESH_MS
    if (!isFresh && this.#mayTry(COOLDOWN_MS)) void this.#refresh()
  }

  close(): void {
    this.#setup.abort()
  }

  /** Whether the keys are recent enough to be used while the issuer is unavailable. */
  #isUsable(): boolean {
    return this.#setup.clock.monotonic() - this.#readAt < STALE_MS
  }

  #mayTry(pause: number): boolean {
    return this.#pending !== null || this.#setup.clock.monotonic() - this.#triedAt >= pause
  }

  /**
   * Reads the keys if there are none, or if they are too old. If that fails, the token may still be valid, so the
   * client receives a 503 response, not a 401.
   */
  async #readFirst(): Promise<void> {
    if (this.#mayTry(RETRY_MS)) await this.#refresh()
    if (this.#isUsable()) return
    const headers = { 'Retry-After': String(RETRY_MS / 1000) }
    throw new ServiceUnavailableError('The keys of the token issuer cannot be read', {
      headers,
    })
  }

  /** Reads the keys once for all waiting requests. Never rejects: after a failure, the old keys are kept. */
  #refresh(): Promise<void> {
    this.#pending ??= this.#read().finally(() => {
      this.#pending = null
    })
    return this.#pending
  }

  async #read(): Promise<void> {
    const { read, clock, logger } = this.#setup
    this.#triedAt = clock.monotonic()
    try {
      this.#replace(await read())
      this.#readAt = clock.monotonic()
    } catch (err) {
      const state = this.#isUsable()
        ? 'The keys that were loaded earlier remain in use.'
        : 'No token can be verified.'
      logger?.warn({ err }, `The keys of the token issuer cannot be read. ${state}`)
    }
  }

  /** Replaces the keys, but keeps the objects of unchanged keys, because verified tokens refer to them. */
  #replace(next: readonly VerificationKey[]): void {
    const before = this.#keys
    const known = new Map(before.map((key) => [key.id, key]))
    // Repeated keys count once.
    const listed = new Map(next.map((key) => [key.id, known.get(key.id) ?? key]))
    this.#keys = [...listed.values()]
    for (const key of before) key.isRetired = !this.#keys.includes(key)
  }
}
