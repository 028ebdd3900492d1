import type { CacheEntry, MaybePromise } from '../../contracts/cache.js'
import type { Response } from '../../contracts/handler.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { kTenantScope } from '../../http/own-fields.js'
import type { BlazonRequest } from '../../http/request.js'
import { replay } from '../../http/send/replay.js'
import { addHeader } from '../../http/send/response-headers.js'
import type { Settle, SettlingStage, Step } from '../../step/step.js'
import { isThenable } from '../../step/thenable.js'
import { type CacheEngine, entryTags, type Lifetime } from './cache-engine.js'
import { callerOf } from './caller.js'
import type { Flight, Landing } from './flights.js'
import { compileKey, type RequestKey } from './request-key.js'
import { type CacheStepConfig, ResponseMaker, type Visit } from './response-maker.js'
import { chain, FAILED, type Outcome } from './store-guard.js'
import { tenantKey } from './tenant-key.js'

/** So often somebody waits for another's answer whose client then goes away; after that it makes its own. */
const MOST_FOLLOWED = 3

/** Answers reads of a route from the cache; what is not there is made once, and kept. */
export function cacheStage(config: CacheStepConfig): SettlingStage {
  const keyOf = compileKey(config.route, config.warn)
  return (settle) => (next) => new CachedRoute(config, { keyOf, next, settle }).step
}

const SHARED_KEY =
  'Several users have the same key. No user receives the response of another user, but each new response replaces the one of the other users. ' +
  'Put the id of the user into the key; or set `shared: true`, if the response is the same for all requests with this key.'

interface Ends {
  readonly keyOf: RequestKey
  readonly next: Step
  readonly settle: Settle
}

class CachedRoute {
  readonly #engine: CacheEngine
  readonly #lifetime: Lifetime
  readonly #hasNotes: boolean
  readonly #warn: (message: string) => void
  readonly #next: Step
  readonly #maker: ResponseMaker

  /** What a request walks through. A store that has the answer at hand is not waited for. */
  readonly step: Step

  constructor(config: CacheStepConfig, { keyOf, next, settle }: Ends) {
    this.#engine = config.engine
    this.#lifetime = config.lifetime
    this.#hasNotes = config.hasNotes
    this.#warn = config.warn
    this.#next = next
    this.#maker = new ResponseMaker(config, { next, settle })
    const isShared = config.route.cache?.shared === true
    const tagsOf = config.engine.readsTagged ? compileTags(config.route) : null
    this.step = (req, res) => {
      // `@All` answers writes, too, which neither read the cache nor fill it.
      if (req.method !== 'GET' && req.method !== 'HEAD') return next(req, res)
      const user = isShared ? null : callerOf(req, res)
      if (user === undefined || (user === null && this.#maker.tellsLate))
        return this.#bypass(req, res)
      const key = keyOf(req, user)
      if (key === null) return this.#bypass(req, res)
      const owner = req[kTenantScope]?.id ?? null
      const full = owner === null ? key : tenantKey(owner, key)
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
      if (found === FAILED) return this.#bypass(visit.req, visit.res)
      visit.versions = found.versions
      return this.#decide(visit, found.entry)
    })
  }

  #decide(visit: Visit, entry: Outcome<CacheEntry | undefined>): unknown {
    if (entry === FAILED) return this.#bypass(visit.req, visit.res)
    // The key of a tenant cannot be another's, unless somebody has built it by hand: then this is the second lock.
    if (entry === undefined || entry.kind !== 'response' || entry.owner !== visit.owner) {
      return this.#miss(visit, 0)
    }
    if (entry.user !== visit.user) {
      if (entry.user !== undefined) this.#warn(SHARED_KEY)
      return this.#miss(visit, 0)
    }
    const now = this.#engine.now()
    if (now < entry.freshUntil) return this.#replay(visit.res, entry, 'HIT')
    if (now >= entry.freshUntil + this.#lifetime.staleMs) return this.#miss(visit, 0)
    this.#replay(visit.res, entry, 'STALE')
    // A handler that is asked for a head alone may not make the body.
    if (visit.req.method === 'GET') this.#maker.refresh(visit)
    return undefined
  }

  #replay(res: Response, entry: CacheEntry, state: 'HIT' | 'STALE'): void {
    this.#engine.counts[state === 'HIT' ? 'hits' : 'stale']++
    if (isGone(res)) return
    const age = Math.max(0, Math.floor((this.#engine.now() - entry.createdAt) / 1000))
    replay(res, entry, this.#hasNotes ? { state, age } : null)
  }

  #bypass(req: BlazonRequest, res: Response): unknown {
    return this.#run({ req, res }, 'BYPASS')
  }

  #miss(visit: Visit, followed: number): unknown {
    if (visit.req.method === 'HEAD') return this.#run(visit, 'MISS')
    const flight = this.#engine.flights.find(visit.key)
    if (flight === undefined) return this.#lead(visit)
    // An answer that is being made for another owner is never waited for.
    const isTheirs = flight.owner === visit.owner && flight.user === visit.user
    if (!isTheirs || followed === MOST_FOLLOWED) return this.#run(visit, 'MISS')
    return this.#follow(visit, flight, followed + 1)
  }

  /** In a promise of its own, so that a request goes on in its own asynchronous context, and its own deadline ends it. */
  #follow(visit: Visit, flight: Flight, followed: number): Promise<unknown> {
    this.#engine.flights.limit(visit.key, flight)
    return new Promise<Landing>((resolve) => flight.follow(resolve)).then((landing) => {
      if (isGone(visit.res)) return visit.res
      if (landing.kind === 'made' && landing.entry.kind === 'response') {
        return this.#replay(visit.res, landing.entry, 'HIT')
      }
      if (landing.kind === 'aborted') return this.#miss(visit, followed)
      const isAnotherMaking = this.#engine.flights.find(visit.key) !== undefined
      return isAnotherMaking ? this.#run(visit, 'MISS') : this.#lead(visit)
    })
  }

  #lead(visit: Visit): MaybePromise<unknown> {
    const made = this.#maker.begin(visit)
    if (made === null) return this.#bypass(visit.req, visit.res)
    return isThenable(made) ? made.then((take) => this.#make(visit, take)) : this.#make(visit, made)
  }

  #make(visit: Visit, capture: (() => void) | null): unknown {
    if (capture === null) return this.#bypass(visit.req, visit.res)
    capture()
    return this.#run(visit, 'MISS')
  }

  #run({ req, res }: Pick<Visit, 'req' | 'res'>, state: 'MISS' | 'BYPASS'): unknown {
    this.#engine.counts[state === 'MISS' ? 'misses' : 'bypasses']++
    if (this.#hasNotes) addHeader(res, 'X-Cache', state)
    return this.#next(req, res)
  }
}

/** The tags that a route's answers are kept under, by tenant; `null` where there are none, or a request decides. */
function compileTags({ cache }: RouteModel): ((owner: string | null) => readonly string[]) | null {
  const { tags = [] } = cache ?? {}
  if (typeof tags === 'function' || tags.length === 0) return null
  const ofNobody = entryTags(null, tags)
  return (owner) => (owner === null ? ofNobody : entryTags(owner, tags))
}

/** Whether there is nobody left to answer: its time has passed, or its client has gone. */
function isGone(res: Response): boolean {
  return res.headersSent || res.destroyed
}
