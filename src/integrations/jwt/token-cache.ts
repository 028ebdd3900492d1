import type { JwtClaims } from './jwt-options.js'
import type { VerificationKey } from './verification-key.js'

/** A token that was verified. */
export interface VerifiedToken {
  /** The claims as the issuer has written them. */
  readonly claims: JwtClaims
  /** The output of the schema for the claims. */
  readonly output: unknown
  readonly key: VerificationKey
  /** When the token begins, in milliseconds of the clock, which may be set back. */
  readonly from: number
  /** When the token ends, in milliseconds of the clock. */
  readonly until: number
}

/**
 * Verified tokens by the digest of their text, so that no token is in memory. When half of the entries are new, the entries that
 * were not used since then are dropped.
 */
export class TokenCache {
  readonly #half: number
  #young: Map<string, VerifiedToken> = new Map()
  #old: Map<string, VerifiedToken> = new Map()

  constructor(size: number) {
    this.#half = Math.ceil(size / 2)
  }

  /** Returns a token that is still valid at `now`. */
  get(digest: string, now: number): VerifiedToken | undefined {
    const young = this.#young.get(digest)
    const found = young ?? this.#old.get(digest)
    if (found === undefined) return undefined
    if (found.key.isRetired || now >= found.until || now < found.from) {
      this.#young.delete(digest)
      this.#old.delete(digest)
      return undefined
    }
    if (young === undefined) this.set(digest, found)
    return found
  }

  set(digest: string, token: VerifiedToken): void {
    if (this.#half === 0) return
    if (this.#young.size >= this.#half) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(digest, token)
  }
}
