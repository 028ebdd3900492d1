import type { MaybePromise } from '../../contracts/cache.js'
import type { Request, Response } from '../../contracts/handler.js'
import type { RouteSetup } from '../../contracts/plugin.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { Step } from '../../contracts/steps.js'
import { statusOf } from '../../errors/failure.js'
import { type Caller, callerOf } from '../../http/caller.js'
import { hasFailed } from '../../http/request-state.js'
import { Refusal } from '../../step/refusal.js'
import { isThenable } from '../../step/step.js'
import { type CacheEngine, entryTags, type Lifetime, type TagVersions } from './cache-engine.js'
import { type CaptureEnd, captureResponse } from './capture-response.js'
import { cacheOf } from './decorator.js'
import type { Flight, Landing } from './flights.js'
import { compileKeepable } from './keepable.js'
import { ignoreRejection, textOf } from './request-key.js'
import { chain, FAILED } from './store-guard.js'

/** The configuration of a route's cache step. */
export interface CacheStepConfig {
  readonly route: RouteModel
  readonly engine: CacheEngine
  readonly lifetime: Lifetime
  /** Whether responses have the headers `X-Cache` and `Age`. */
  readonly hasNotes: boolean
  /** Logs a warning about the route. Each warning is logged only once. */
  readonly warn: (message: string) => void
  /** Headers that may identify the caller, as configured by `auth.credentials`, in lower case. */
  readonly credentials: readonly string[]
  /** Sends the value that the handler returned. It is used for responses that are made in the background. */
  readonly respond: RouteSetup['respond']
}

const LATE =
  '`req.user` was set or changed after the cache step, while the handler was running. The response is not cached. If the request had no user at the cache step, requests without a user are no longer cached. ' +
  'Set `req.user` earlier: in the guard, or in a middleware of the application.'

/** A request that has reached the cache step. */
export interface Visit {
  readonly req: Request
  readonly res: Response
  /** The request's tenant; `null` if there is none. */
  readonly owner: string | null
  /** The user; `null` if the request is anonymous or if all callers share the responses. */
  readonly user: string | null
  readonly key: string
  /** The current versions of the tags, if they were read together with the entry. */
  versions?: TagVersions
  /** The stale response that was sent, if this visit makes a new response in the background. */
  readonly given?: Response
}

/** Calls a route's handler and stores the response. */
export class ResponseMaker {
  readonly #config: CacheStepConfig
  readonly #next: Step
  readonly #keepable: ReturnType<typeof compileKeepable>
  readonly #isShared: boolean

  /**
   * Whether a step after the cache step sets `req.user`. If so, a request that has no user at the cache step may still
   * have a caller.
   */
  tellsLate = false

  constructor(config: CacheStepConfig, next: Step) {
    this.#config = config
    this.#next = next
    this.#keepable = compileKeepable(config)
    this.#isShared = cacheOf(config.route)?.shared === true
  }

  /**
   * Begins a flight that other requests can follow. Returns the function that must be called immediately before the
   * handler; `null` if this request must bypass the cache.
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

  /** Makes a new response in the background after the stale response was sent. */
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
        engine.logger.error(facts, 'A cached response could not be refreshed')
      }
      this.#drop(visit, flight, { kind: 'unfit', status: statusOf(error) })
    }
    try {
      const value = this.#next(req, res)
      const settle = (settled: unknown) => {
        if (settled instanceof Refusal) fail(settled.error)
        else this.#config.respond(settled, req, res)
      }
      if (!isThenable(value)) return settle(value)
      Promise.resolve(value).then(settle).catch(fail)
    } catch (error) {
      fail(error)
    }
  }

  /**
   * After a failed refresh (status 500 or above), the stale entry remains until it expires. Any other response that
   * cannot be stored, for example a 404, deletes the entry.
   */
  #afterRefresh(visit: Visit, landing: Landing): void {
    if (landing.kind !== 'unfit' || landing.status >= 500) return
    void this.#config.engine.delete(visit.key)
  }

  #capture(visit: Visit, flight: Flight, tags: TagVersions): void {
    const { req, res, key, owner, user } = visit
    const { engine } = this.#config
    // The handler must send the whole response, because the response will be stored. A client that already has it
    // receives it again.
    delete req.headers['if-none-match']
    delete req.headers['if-modified-since']
    const before = { ...res.getHeaders() }
    const endWatch = this.#isShared ? null : watchCaller(req, res, user)
    captureResponse(res, (end) => {
      const isSame = endWatch?.() ?? true
      if (!isSame) this.#onLateCaller(visit)
      const kept = isSame ? this.#read(visit, end, before) : null
      if (kept === null) return this.#drop(visit, flight, landingOf(end, res))
      const { lifetime, ...stored } = kept
      const entry = engine.entry({ owner, user, kind: 'response', ...stored, tags }, lifetime)
      engine.land(key, flight, { entry, lifetime })
    })
  }

  /**
   * Handles a user that was set after the cache step. If the request was anonymous at the cache step, other requests
   * that are anonymous there may also have a caller.
   */
  #onLateCaller({ user }: Visit): void {
    if (user === null) this.tellsLate = true
    this.#config.warn(LATE)
  }

  #read({ req, res, given }: Visit, end: CaptureEnd, before: ReturnType<Response['getHeaders']>) {
    // If the request failed, an error middleware sent the response, not the handler.
    if (end.kind !== 'whole' || hasFailed(req)) return null
    // Middlewares do not process a detached response. For this request, they added their headers to the stale response
    // that was sent.
    const later = [res, ...(given === undefined ? [] : [given])].map((each) => each.getHeaders())
    const now = this.#config.engine.now()
    return this.#keepable({
      req,
      response: end.response,
      before,
      later,
      status: res.statusCode,
      now,
    })
  }

  #drop({ key }: Visit, flight: Flight, landing: Landing): void {
    const { flights } = this.#config.engine
    flights.end(key, flight)
    flight.land(landing)
  }

  #tagsOf(req: Request): readonly string[] | null {
    const { route, warn } = this.#config
    const { tags = [] } = cacheOf(route) ?? {}
    if (typeof tags !== 'function') return tags
    try {
      const list: unknown = tags(req)
      if (Array.isArray(list) && list.every((tag) => typeof tag === 'string')) return list
      ignoreRejection(list)
      warn('Its tags are not a list of strings: the response is not cached.')
    } catch (error) {
      warn(`Its function \`tags\` threw ${textOf(error)}: the response is not cached.`)
    }
    return null
  }
}

function landingOf({ kind }: CaptureEnd, res: Response): Landing {
  return kind === 'aborted' ? { kind } : { kind: 'unfit', status: res.statusCode }
}

/** Creates a response without a connection. */
function detachedResponse({ req, res: sent }: Visit): Response {
  const Class = sent.constructor as new (req: Request) => Response
  const res = new Class(req)
  res.locals = sent.locals
  return res
}

/**
 * Emits the events that end a detached response, because there is no client to cause them. Otherwise, a stream that is
 * still writing to the response would fill the response's buffer.
 */
function releaseDetached(res: Response): void {
  if (res.writableEnded) res.emit('finish')
  else res.destroy()
  res.emit('close')
}

/**
 * Watches whether the request's caller changes while the response is being made, because a step after the cache step
 * may set `req.user` and remove it again.
 *
 * @returns a function that stops watching and returns whether the caller stayed the same.
 */
export function watchCaller(req: Request, res: Response, caller: Caller): () => boolean {
  let isSame = true
  const undo = watchUser(req, () => {
    isSame &&= callerOf(req, res) === caller
  })
  return () => {
    undo()
    return isSame && callerOf(req, res) === caller
  }
}

function watchUser(req: Request, onSet: () => void): () => void {
  const own = Object.getOwnPropertyDescriptor(req, 'user') ?? missing(req)
  if (own?.configurable !== true || !('value' in own)) return () => {}
  let user: unknown = own.value
  const get = () => user
  const set = (other: unknown) => {
    user = other
    onSet()
  }
  Object.defineProperty(req, 'user', { configurable: true, enumerable: true, get, set })
  return () => {
    // If other code has redefined the property in the meantime, leave it unchanged.
    if (Object.getOwnPropertyDescriptor(req, 'user')?.get !== get) return
    // The property did not exist before. It is deleted, so that `'user' in req` is false again.
    if (own === MISSING && user === undefined) Reflect.deleteProperty(req, 'user')
    else Object.defineProperty(req, 'user', { ...own, value: user })
  }
}

/** The descriptor of `req.user` for a request without that property. */
const MISSING: PropertyDescriptor = {
  value: undefined,
  writable: true,
  configurable: true,
  enumerable: true,
}

function missing(req: Request): PropertyDescriptor | undefined {
  return 'user' in req ? undefined : MISSING
}
