import type { MaybePromise } from '../../contracts/cache.js'
import type { Response } from '../../contracts/handler.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { toFailure } from '../../errors/failure.js'
import { kHasFailed } from '../../http/own-fields.js'
import type { BlazonRequest } from '../../http/request.js'
import type { ResponseClass } from '../../http/send/response-class.js'
import { Refusal } from '../../step/refusal.js'
import type { Settle, Step } from '../../step/step.js'
import { disown, isThenable } from '../../step/thenable.js'
import { type CacheEngine, entryTags, type Lifetime, type TagVersions } from './cache-engine.js'
import { watchCaller } from './caller.js'
import { type CaptureEnd, captureResponse } from './capture-response.js'
import type { Flight, Landing } from './flights.js'
import { compileKeepable } from './keepable.js'
import { textOf } from './request-key.js'
import { chain, FAILED } from './store-guard.js'

/** What a cached route is made of. */
export interface CacheStepConfig {
  readonly route: RouteModel
  readonly engine: CacheEngine
  readonly lifetime: Lifetime
  /** Whether answers carry `X-Cache` and `Age`. */
  readonly hasNotes: boolean
  /** Says something about the route, once. */
  readonly warn: (message: string) => void
}

const LATE =
  '`req.user` was set or changed after the cache step, while the handler made the response. The response is not cached, and requests without a user are no longer cached. ' +
  'Set `req.user` earlier: in the guard, or in a middleware of the application.'

/** A request at the cache. */
export interface Visit {
  readonly req: BlazonRequest
  readonly res: Response
  /** The tenant it is made for; `null` without. */
  readonly owner: string | null
  /** Which of its users; `null` for nobody in particular, and where all share. */
  readonly user: string | null
  /** The full key. */
  readonly key: string
  /** What its tags are worth, where that was asked before. */
  versions?: TagVersions
  /** What the client has got already, of an answer that is made behind its back. */
  readonly given?: Response
}

/** Has the handler of a route make an answer, and keeps it. */
export class ResponseMaker {
  readonly #config: CacheStepConfig
  readonly #next: Step
  readonly #settle: Settle
  readonly #keepable: ReturnType<typeof compileKeepable>
  readonly #isShared: boolean

  /** Whether something behind the cache says who asks, so that of a request which is nobody's it is not known yet whose it is. */
  tellsLate = false

  constructor(config: CacheStepConfig, { next, settle }: { next: Step; settle: Settle }) {
    this.#config = config
    this.#next = next
    this.#settle = settle
    this.#keepable = compileKeepable(config)
    this.#isShared = config.route.cache?.shared === true
  }

  /**
   * Begins to make the answer for everybody who asks meanwhile. Answers with what is to be called right before the handler;
   * `null` where the cache has no part in it.
   */
  begin(visit: Visit): MaybePromise<(() => void) | null> | null {
    const tags = this.#tagsOf(visit.req)
    if (tags === null) return null
    const { engine } = this.#config
    const flight = this.#begin(visit, tags)
    return chain(visit.versions ?? engine.versions(flight.tags), (versions) => {
      if (versions !== FAILED) return () => this.#capture(visit, flight, versions)
      this.#drop(visit, flight, { kind: 'unfit', status: 200 })
      return null
    })
  }

  #begin({ key, owner, user }: Visit, tags: readonly string[]): Flight {
    const facts = { owner, user, tags: entryTags(owner, tags) }
    return this.#config.engine.flights.begin(key, facts)
  }

  /** Makes a new answer behind the back of a request that has got its own. */
  refresh(visit: Visit): void {
    const { engine } = this.#config
    const tags = this.#tagsOf(visit.req)
    if (tags === null || engine.isClosed || engine.flights.find(visit.key) !== undefined) return
    const flight = this.#begin(visit, tags)
    engine.flights.limit(visit.key, flight)
    const res = detachedResponse(visit)
    void chain(visit.versions ?? engine.versions(flight.tags), (versions) => {
      if (versions === FAILED) return this.#drop(visit, flight, { kind: 'unfit', status: 200 })
      flight.follow((landing) => {
        this.#afterRefresh(visit, landing)
        releaseDetached(res)
      })
      const hidden = { ...visit, res, given: visit.res }
      this.#capture(hidden, flight, versions)
      this.#runDetached(hidden, flight)
    })
  }

  #runDetached(visit: Visit, flight: Flight): void {
    const { req, res, owner } = visit
    const fail = (error: unknown) => {
      const { engine, route } = this.#config
      if (!engine.isClosed) {
        const whose = owner === null ? {} : { tenant: owner }
        const facts = { err: error, route: route.name, ...whose }
        engine.logger.error(facts, 'Refreshing a cached response failed')
      }
      this.#drop(visit, flight, { kind: 'unfit', status: toFailure(error).status })
    }
    try {
      const value = this.#next(req, res)
      const settle = (settled: unknown) => {
        if (settled instanceof Refusal) fail(settled.error)
        else this.#settle(settled, req, res)
      }
      if (!isThenable(value)) return settle(value)
      Promise.resolve(value).then(settle).catch(fail)
    } catch (error) {
      fail(error)
    }
  }

  /** A failure leaves what is stale for its time; an answer that is none for the cache, a 404 for one, ends it. */
  #afterRefresh(visit: Visit, landing: Landing): void {
    if (landing.kind !== 'unfit' || landing.status >= 500) return
    void this.#config.engine.delete(visit.key)
  }

  #capture(visit: Visit, flight: Flight, tags: TagVersions): void {
    const { req, res, key, owner, user } = visit
    const { engine } = this.#config
    // What is to be kept is a whole answer; a client that has it already gets it once more.
    delete req.headers['if-none-match']
    delete req.headers['if-modified-since']
    const before = { ...res.getHeaders() }
    const endWatch = this.#isShared ? null : watchCaller(req, res, user)
    captureResponse(res, (end) => {
      const isSame = endWatch?.() ?? true
      if (!isSame) this.#onLateCaller(visit)
      const kept = isSame ? this.#read(visit, end, before) : null
      if (kept === null) return this.#drop(visit, flight, landingOf(end, res))
      const { lifetime, ...answer } = kept
      const entry = engine.entry({ owner, user, kind: 'response', ...answer, tags }, lifetime)
      engine.land(key, flight, { entry, lifetime })
    })
  }

  /** What nobody had asked for by name was made for somebody: whoever asks next may be somebody, too. */
  #onLateCaller({ user }: Visit): void {
    if (user === null) this.tellsLate = true
    this.#config.warn(LATE)
  }

  #read({ req, res, given }: Visit, end: CaptureEnd, before: ReturnType<Response['getHeaders']>) {
    // What an error middleware has answered is not what the route has made.
    if (end.kind !== 'whole' || req[kHasFailed]) return null
    // No middleware stands around a response of nobody's; what they say of such a request, they have said of the one that was given.
    const later = [res, ...(given === undefined ? [] : [given])].map((each) => each.getHeaders())
    const now = this.#config.engine.now()
    return this.#keepable({ req, answer: end.answer, before, later, status: res.statusCode, now })
  }

  #drop({ key }: Visit, flight: Flight, landing: Landing): void {
    const { flights } = this.#config.engine
    flights.end(key, flight)
    flight.land(landing)
  }

  #tagsOf(req: BlazonRequest): readonly string[] | null {
    const { route, warn } = this.#config
    const { tags = [] } = route.cache ?? {}
    if (typeof tags !== 'function') return tags
    try {
      const list: unknown = tags(req)
      if (Array.isArray(list) && list.every((tag) => typeof tag === 'string')) return list
      disown(list)
      warn('Its tags are not a list of strings: the response is not cached.')
    } catch (error) {
      warn(`Its tags threw ${textOf(error)}: the response is not cached.`)
    }
    return null
  }
}

function landingOf({ kind }: CaptureEnd, res: Response): Landing {
  return kind === 'aborted' ? { kind } : { kind: 'unfit', status: res.statusCode }
}

/** A response that leads nowhere. */
function detachedResponse({ req, res: answered }: Visit): Response {
  const Class = answered.constructor as ResponseClass
  const res = new Class(req)
  res.locals = answered.locals
  return res
}

/** Nothing reads it, so nothing tells it that it has ended; a stream that still writes to it would pile up. */
function releaseDetached(res: Response): void {
  if (res.writableEnded) res.emit('finish')
  else res.destroy()
  res.emit('close')
}
