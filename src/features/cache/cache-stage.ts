import type { CacheEntry, MaybePromise } from '../../contracts/cache.js'
import type { Request, Response } from '../../contracts/handler.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { Step, StepFactory } from '../../contracts/steps.js'
import { callerOf } from '../../http/caller.js'
import { noteOf } from '../../http/observed-request.js'
import { producedType, visibilityOf } from '../../http/request-notes.js'
import { tenantOf } from '../../http/request-state.js'
import { replayResponse } from '../../http/send/replay.js'
import { addHeaders } from '../../http/send/response-headers.js'
import { isThenable } from '../../step/step.js'
import { type CacheEngine, entryTags, type Lifetime, tenantKey } from './cache-engine.js'
import { cacheOf } from './decorator.js'
import type { Flight, Landing } from './flights.js'
import { compileKey, type RequestKey } from './request-key.js'
import { type CacheStepConfig, ResponseMaker, type Visit } from './response-maker.js'
import { chain, FAILED, type Outcome } from './store-guard.js'

/**
 * The maximum number of other requests that a request waits for, one after another, if their clients disconnect. After
 * that, the request calls the handler itself.
 */
const MOST_FOLLOWED = 3

/**
 * Creates the stage that sends a route's responses from the cache. On a miss, one request calls the handler, and the
 * response is stored.
 */
export function cacheStage(config: CacheStepConfig): StepFactory {
  const keyOf = compileKey(config.route, config)
  return (next) => new CachedRoute(config, keyOf, next).step
}

const UNKNOWN_CALLER = 'the caller of the request cannot be distinguished from other callers'
const LATE_CALLER = 'the caller is set after the cache step'
const NO_KEY = 'it has a body or credentials that the key does not contain, or it has no valid key'
const NO_STORE = 'the store has failed'
const NO_TAGS = 'the function that returns its tags has failed'

const SHARED_KEY =
  'Several users have the same cache key. No user receives the response of another user, but each new response replaces the response for the other users. ' +
  'Add the user ID to the key; or set `shared: true`, if the response is the same for all requests with this key.'

class CachedRoute {
  readonly #engine: CacheEngine
  readonly #lifetime: Lifetime
  readonly #hasNotes: boolean
  readonly #warn: (message: string) => void
  readonly #next: Step
  readonly #maker: ResponseMaker

  /** The route's cache step. It creates no promise if the store has the response in memory. */
  readonly step: Step

  constructor(config: CacheStepConfig, keyOf: RequestKey, next: Step) {
    this.#engine = config.engine
    this.#lifetime = config.lifetime
    this.#hasNotes = config.hasNotes
    this.#warn = config.warn
    this.#next = next
    this.#maker = new ResponseMaker(config, next)
    const isShared = cacheOf(config.route)?.shared === true
    const hasTypes = config.route.produces !== null
    const tagsOf = config.engine.readsTagged ? compileTags(config.route) : null
    const isQuery = config.route.method === 'QUERY'
    this.step = (req, res) => {
      // `@All` routes also receive requests that change data. Such requests neither read nor fill the cache.
      if (!isQuery && req.method !== 'GET' && req.method !== 'HEAD') return next(req, res)
      const user = isShared ? null : callerOf(req, res)
      if (user === undefined) return this.#bypass(req, res, UNKNOWN_CALLER)
      if (user === null && this.#maker.tellsLate) return this.#bypass(req, res, LATE_CALLER)
      const key = keyOf(req, user)
      if (key === null) return this.#bypass(req, res, NO_KEY)
      const owner = tenantOf(req) ?? null
      const type = hasTypes ? producedType(req) : undefined
      const typed = type === undefined ? key : `${key} ${type}`
      const visibility = visibilityOf(req)
      const seen =
        visibility === undefined ? typed : `${typed} visible=${JSON.stringify(visibility)}`
      const full = owner === null ? seen : tenantKey(owner, seen)
      const visit: Visit = { req, res, owner, user, key: full }
      if (tagsOf !== null) return this.#readTagged(visit, tagsOf(owner))
      const found = config.engine.read(visit.key)
      return isThenable(found)
        ? found.then((entry) => this.#decide(visit, entry))
        : this.#decide(visit, found)
    }
  }

  #readTagged(visit: Visit, tags: readonly string[]): unknown {
    return chain(this.#engine.readTagged(visit.key, tags), (found) => {
      if (found === FAILED) return this.#bypass(visit.req, visit.res, NO_STORE)
      visit.versions = found.versions
      return this.#decide(visit, found.entry)
    })
  }

  #decide(visit: Visit, entry: Outcome<CacheEntry | undefined>): unknown {
    if (entry === FAILED) return this.#bypass(visit.req, visit.res, NO_STORE)
    // Two tenants can have the same key only if an application builds the key by hand. This check also rejects entries
    // that are stored under such a key.
    if (entry === undefined || entry.kind !== 'response' || entry.owner !== visit.owner) {
      return this.#miss(visit, 0)
    }
    if (entry.user !== visit.user) {
      if (entry.user !== undefined) this.#warn(SHARED_KEY)
      return this.#miss(visit, 0)
    }
    const now = this.#engine.now()
    if (now < entry.freshUntil) return this.#replay(visit, entry, 'HIT')
    if (now >= entry.freshUntil + this.#lifetime.staleMs) return this.#miss(visit, 0)
    this.#replay(visit, entry, 'STALE')
    // A HEAD request cannot refresh the entry, because its handler might not create a body.
    if (visit.req.method !== 'HEAD') this.#maker.refresh(visit)
    return undefined
  }

  #replay({ req, res, key }: Visit, entry: CacheEntry, state: 'HIT' | 'STALE'): void {
    this.#engine.counts[state === 'HIT' ? 'hits' : 'stale']++
    if (isGone(res)) return
    const age = Math.max(0, Math.floor((this.#engine.now() - entry.createdAt) / 1000))
    const verdict = state === 'HIT' ? 'hit' : 'stale'
    noteOf(req)?.({ by: 'cache', verdict, facts: { key, ageSeconds: age } })
    if (this.#hasNotes) addHeaders(res, ['X-Cache', state, 'Age', String(age)])
    replayResponse(res, entry)
  }

  #bypass(req: Request, res: Response, reason: string): unknown {
    noteOf(req)?.({ by: 'cache', verdict: 'bypass', reason })
    return this.#run({ req, res }, 'BYPASS')
  }

  #miss(visit: Visit, followed: number): unknown {
    noteOf(visit.req)?.({ by: 'cache', verdict: 'miss', facts: { key: visit.key } })
    if (visit.req.method === 'HEAD') return this.#run(visit, 'MISS')
    const flight = this.#engine.flights.find(visit.key)
    if (flight === undefined) return this.#makeFirst(visit)
    // A request never waits for a response that is made for another tenant or user.
    const isTheirs = flight.owner === visit.owner && flight.user === visit.user
    if (!isTheirs || followed === MOST_FOLLOWED) return this.#run(visit, 'MISS')
    return this.#follow(visit, flight, followed + 1)
  }

  /**
   * Waits for the response of another request. The promise is created here, so that the waiting request continues in
   * its own async context and ends at its own deadline.
   */
  #follow(visit: Visit, flight: Flight, followed: number): Promise<unknown> {
    this.#engine.flights.limit(visit.key, flight)
    return new Promise<Landing>((resolve) => flight.follow(resolve)).then((landing) => {
      if (isGone(visit.res)) return visit.res
      if (landing.kind === 'made' && landing.entry.kind === 'response') {
        return this.#replay(visit, landing.entry, 'HIT')
      }
      if (landing.kind === 'aborted') return this.#miss(visit, followed)
      const isAnotherMaking = this.#engine.flights.find(visit.key) !== undefined
      return isAnotherMaking ? this.#run(visit, 'MISS') : this.#makeFirst(visit)
    })
  }

  #makeFirst(visit: Visit): MaybePromise<unknown> {
    const made = this.#maker.begin(visit)
    if (made === null) return this.#bypass(visit.req, visit.res, NO_TAGS)
    return isThenable(made) ? made.then((take) => this.#make(visit, take)) : this.#make(visit, made)
  }

  #make(visit: Visit, capture: (() => void) | null): unknown {
    if (capture === null) return this.#bypass(visit.req, visit.res, NO_STORE)
    capture()
    return this.#run(visit, 'MISS')
  }

  #run({ req, res }: Pick<Visit, 'req' | 'res'>, state: 'MISS' | 'BYPASS'): unknown {
    this.#engine.counts[state === 'MISS' ? 'misses' : 'bypasses']++
    if (this.#hasNotes) addHeaders(res, ['X-Cache', state])
    return this.#next(req, res)
  }
}

/**
 * Returns the function that lists the tags of a route's responses for a tenant; `null` if the route has no tags, or if
 * its tags depend on the request.
 */
function compileTags(route: RouteModel): ((owner: string | null) => readonly string[]) | null {
  const { tags = [] } = cacheOf(route) ?? {}
  if (typeof tags === 'function' || tags.length === 0) return null
  const withoutTenant = entryTags(null, tags)
  return (owner) => (owner === null ? withoutTenant : entryTags(owner, tags))
}

/** Whether the response can no longer be sent, because the deadline has passed or the client has disconnected. */
function isGone(res: Response): boolean {
  return res.headersSent || res.destroyed
}
