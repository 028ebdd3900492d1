import { type Logger, ServiceUnavailableError } from '../../index.js'
import { type KeySource, matching } from './key-source.js'
import type { TimeSource } from './machine-clock.js'
import type { TokenHeader } from './parse-token.js'
import type { VerificationKey } from './verification-key.js'

/** Keys are read again after this time, so that withdrawn keys are noticed. */
const FRESH_MS = 10 * 60_000
/** The pause between two attempts while there are keys, whatever `kid` tokens have. */
const COOLDOWN_MS = 30_000
/** The pause between two attempts while there are none. */
const RETRY_MS = 5000
/** How long keys are used that cannot be read again. */
const STALE_MS = 24 * 3_600_000

/** Dependencies of {@link RemoteKeys}. */
export interface RemoteKeysSetup {
  /** Reads the keys of the issuer. Rejects when there is none. */
  readonly read: () => Promise<readonly VerificationKey[]>
  readonly clock: TimeSource
  readonly logger: Pick<Logger, 'warn'> | undefined
  /** Aborts a `read` in progress. */
  readonly abort: () => void
}

/**
 * The keys of an issuer. Requests wait for the same attempt to read them. Our own in place of `createRemoteJWKSet` of
 * jose, which forgets its keys while the issuer is down, and then sends it a request for each unknown `kid`.
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

  /** Whether the keys are not too old to be used without the issuer. */
  #isUsable(): boolean {
    return this.#setup.clock.monotonic() - this.#readAt < STALE_MS
  }

  #mayTry(pause: number): boolean {
    return this.#pending !== null || this.#setup.clock.monotonic() - this.#triedAt >= pause
  }

  /** The token may be right, so its client gets 503, not 401. */
  async #readFirst(): Promise<void> {
    if (this.#mayTry(RETRY_MS)) await this.#refresh()
    if (this.#isUsable()) return
    const headers = { 'Retry-After': String(RETRY_MS / 1000) }
    throw new ServiceUnavailableError('The keys of the issuer of tokens cannot be read', {
      headers,
    })
  }

  /** Reads the keys once for all requests that wait. Never rejects: after a failure, the old keys stay. */
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
      const state = this.#isUsable() ? 'The known keys are used.' : 'No token can be verified.'
      logger?.warn({ err }, `The keys of the issuer of tokens cannot be read. ${state}`)
    }
  }

  /** Keeps the objects of keys that are still there, because verified tokens refer to them. */
  #replace(next: readonly VerificationKey[]): void {
    const before = this.#keys
    const known = new Map(before.map((key) => [key.id, key]))
    // A key that is listed twice is one key.
    const listed = new Map(next.map((key) => [key.id, known.get(key.id) ?? key]))
    this.#keys = [...listed.values()]
    for (const key of before) key.isRetired = !this.#keys.includes(key)
  }
}
