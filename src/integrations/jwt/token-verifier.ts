import { createHash, hash } from 'node:crypto'
import type { Clock, Lifecycle, Request, User } from '../../index.js'
import { isThenable, noteOf } from '../../plugin/index.js'
import type { Challenges } from './challenge.js'
import {
  type ClaimRules,
  defaultUser,
  endOf,
  findFault,
  freezeDeep,
  readList,
  startOf,
} from './claims.js'
import type { AnyJwtOptions, JwtClaims } from './jwt-options.js'
import { type ParsedToken, parseToken, readCredential } from './read-token.js'
import type { KeySource, VerificationKey } from './verification-key.js'

/** The function of the package `jose` that this module uses. */
type Jose = Pick<typeof import('jose'), 'compactVerify'>

/** Dependencies of {@link TokenVerifier}. */
export interface VerifierSetup {
  readonly options: AnyJwtOptions
  readonly rules: ClaimRules
  readonly challenges: Challenges
  readonly keys: KeySource
  readonly jose: Jose
  readonly clock: TimeSource
  /** Receives the claims of each admitted request. */
  readonly remember: ((req: Request, claims: JwtClaims) => void) | null
}

/** How many verified tokens are cached by default. */
const CACHE_SIZE = 10_000

/** The guard of one application, with its verified tokens and its keys. */
export class TokenVerifier implements Lifecycle {
  readonly #setup: VerifierSetup
  readonly #cache: TokenCache

  constructor(setup: VerifierSetup) {
    this.#setup = setup
    this.#cache = new TokenCache(setup.options.cacheSize ?? CACHE_SIZE)
  }

  /** The decision is synchronous if the token is in the cache and the option `user` returns no promise. */
  canActivate(req: Request): true | Promise<true> {
    const { options, challenges, clock, keys } = this.#setup
    const token = readCredential(req, options.scheme ?? 'Bearer')
    if (typeof token !== 'string') throw challenges.refuse(token === null ? 'missing' : 'invalid')
    const digest = digestOf(token)
    const known = this.#cache.get(digest, clock.now())
    if (known === undefined) {
      return this.#verify(req, token, digest).then((verified) => this.#admit(req, verified))
    }
    keys.keepFresh()
    return this.#admit(req, known)
  }

  onClose(): void {
    this.#setup.keys.close()
  }

  async #verify(req: Request, token: string, digest: string): Promise<VerifiedToken> {
    const { rules } = this.#setup
    const parsed = parseToken(token)
    if (parsed === null) throw this.#invalid(req, 'it is not a JSON Web Token')
    // The claims are checked before the signature: if they are invalid, no key can make the token valid, so no fetch or
    // verification is needed.
    this.#refuseFault(req, parsed)
    const key = await this.#findKey(token, parsed)
    if (key === null) throw this.#invalid(req, 'it was not signed with a known key')
    const claims = freezeDeep(parsed.claims)
    const output = freezeDeep(await this.#check(req, claims))
    // The claims are checked again, because requests to the issuer and a schema can take seconds.
    this.#refuseFault(req, parsed)
    if (key.isRetired) throw this.#invalid(req, 'its key is no longer valid')
    const [from, until] = [startOf(claims, rules) * 1000, endOf(claims, rules) * 1000]
    const verified = { claims, output, key, from, until }
    this.#cache.set(digest, verified)
    return verified
  }

  #refuseFault(req: Request, parsed: ParsedToken): void {
    const { challenges, clock, rules } = this.#setup
    const fault = findFault(parsed, rules, clock.now() / 1000)
    if (fault === 'expired') throw challenges.refuse(fault)
    if (fault !== null) throw this.#invalid(req, 'its type, issuer, audience or times are invalid')
  }

  /** Refuses a token. The client is only informed that the token is invalid, without a reason. */
  #invalid(req: Request, reason: string): unknown {
    noteOf(req)?.({ by: 'jwt', verdict: 'refused', reason })
    return this.#setup.challenges.refuse('invalid')
  }

  /** Returns the key that verifies the signature of a token; `null` if there is none. */
  async #findKey(token: string, { header }: ParsedToken): Promise<VerificationKey | null> {
    const { keys, jose } = this.#setup
    for (const key of await keys.find(header)) {
      const isSigned = await jose
        .compactVerify(token, key.key, { algorithms: [header.alg] })
        .then(() => true, refuseInvalid)
      if (isSigned) return key
    }
    return null
  }

  async #check(req: Request, claims: JwtClaims): Promise<unknown> {
    const { options } = this.#setup
    if (options.claims === undefined) return claims
    const result = await options.claims['~standard'].validate(structuredClone(claims))
    if (result.issues !== undefined) throw this.#invalid(req, 'its claims do not match `claims`')
    return result.value
  }

  #admit(req: Request, { claims, output, key, until }: VerifiedToken): true | Promise<true> {
    const { options, challenges, clock, remember } = this.#setup
    const { requiredScopes, scope = 'scope' } = options
    if (requiredScopes !== undefined) {
      const scopes = readList(scope, claims)
      if (!requiredScopes.every((name: string) => scopes.includes(name))) {
        throw challenges.refuse('scope')
      }
    }
    const setUser = (user: unknown): true => {
      if (typeof user !== 'object' || user === null) throw challenges.refuse('invalid')
      req.user = user as User
      remember?.(req, claims)
      return true
    }
    if (options.user === undefined) return setUser(defaultUser(claims, output, options))
    const user: unknown = options.user(output, req)
    if (!isThenable(user)) return setUser(user)
    return Promise.resolve(user).then((found) => {
      // Looking up the user can also take seconds.
      if (clock.now() >= until) throw challenges.refuse('expired')
      if (key.isRetired) throw challenges.refuse('invalid')
      return setUser(found)
    })
  }
}

/**
 * Refuses a token whose verification failed with an error of jose, which has a code. Any other error is a bug and is
 * rethrown.
 */
function refuseInvalid(error: unknown): false {
  if (typeof (error as { readonly code?: unknown } | null)?.code === 'string') return false
  throw error
}

/** Returns the digest of a token. `hash` is faster, but missing in some runtimes. */
function digestOf(token: string): string {
  return typeof hash === 'function'
    ? hash('sha256', token, 'base64')
    : createHash('sha256').update(token).digest('base64')
}

interface VerifiedToken {
  /** The issuer's original claims. */
  readonly claims: JwtClaims
  /** The output of the schema for the claims. */
  readonly output: unknown
  readonly key: VerificationKey
  /**
   * The time from which the token is valid, in milliseconds. The cache checks it too, because clocks can be set back.
   */
  readonly from: number
  /** The expiry of the token, in milliseconds. */
  readonly until: number
}

/**
 * Verified tokens by their digest, so that the tokens themselves are not stored. When the newer half of the cache is
 * full, it replaces the older half. Tokens that are used move to the newer half.
 */
class TokenCache {
  readonly #size: number
  readonly #half: number
  #young: Map<string, VerifiedToken> = new Map()
  #old: Map<string, VerifiedToken> = new Map()

  constructor(size: number) {
    this.#size = size
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
    // Two halves of an odd size would have room for another token.
    const [oldest] = this.#young.size + this.#old.size > this.#size ? this.#old.keys() : []
    if (oldest !== undefined) this.#old.delete(oldest)
  }
}

/** The parts of a clock that this module reads. */
export type TimeSource = Pick<Clock, 'now' | 'monotonic'>

/**
 * The system clock, for code that runs outside of an application: tests that sign tokens, and custom guards that call a
 * `JwtGuard`.
 */
export const machineClock: TimeSource = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
}
