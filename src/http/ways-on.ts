import type { BlazonRequest } from './request.js'

type Resume = (goOn: () => void) => void
type TakeError = (error: unknown) => void

/**
 * Stored when an application gives a request back to its host. From then on, the host handles the errors of
 * the request.
 */
interface Return {
  readonly app: object
  readonly takeError: TakeError
  /** Another application that has given back the same request before. */
  readonly before: Return | null
}

/** Where a request continues. */
interface WayOn {
  /**
   * Where it continues after an error middleware calls `next()` for an error. A function continues the request.
   * `null` means that the framework has refused the request, so it cannot continue. `undefined` means the next
   * middleware.
   */
  resume: Resume | null | undefined
  /** Set if an application without a route for the request has given it back. */
  returned: Return | null
}

/** The few requests that do not simply continue with the next middleware or route. */
const ways = new WeakMap<BlazonRequest, WayOn>()

/** Stores how a request continues if an error middleware calls `next()` for its error. */
export function noteResume(req: BlazonRequest, resume: Resume): void {
  wayOf(req).resume = resume
}

/** Stores that the framework has refused a request. No error middleware may let it continue. */
export function noteRefusal(req: BlazonRequest): void {
  wayOf(req).resume = null
}

/** Whether the framework has refused a request in place of a middleware. */
export function isRefused(req: BlazonRequest): boolean {
  return ways.get(req)?.resume === null
}

/** Continues a request after an error middleware has called `next()` for its error. */
export function resumeAsBefore(req: BlazonRequest, goOn: () => void): void {
  const way = ways.get(req)
  const resume = way?.resume
  if (way !== undefined) way.resume = undefined
  if (resume == null) goOn()
  else resume(goOn)
}

/**
 * Removes the stored state that a request has from its host.
 *
 * @returns the removed state. {@link noteReturn} gives it back to the host.
 */
export function forgetWay(req: BlazonRequest, app: object): Resume | null | undefined {
  const way = ways.get(req)
  if (way === undefined) return undefined
  const { resume, returned } = way
  way.resume = undefined
  way.returned = without(returned, app)
  return resume
}

/** Stores that an application has given a request back to its host. */
export function noteReturn(
  req: BlazonRequest,
  { app, takeError }: Omit<Return, 'before'>,
  resume: Resume | null | undefined,
): void {
  const way = wayOf(req)
  way.resume = resume
  way.returned = { app, takeError, before: way.returned }
}

/**
 * Returns the function that handles the errors of a request that this application has given back; `undefined`
 * while the application still has the request.
 */
export function errorTakerOf(req: BlazonRequest, app: object): TakeError | undefined {
  let returned = ways.get(req)?.returned ?? null
  while (returned !== null && returned.app !== app) returned = returned.before
  return returned?.takeError
}

function wayOf(req: BlazonRequest): WayOn {
  const known = ways.get(req)
  if (known !== undefined) return known
  const way: WayOn = { resume: undefined, returned: null }
  ways.set(req, way)
  return way
}

function without(returned: Return | null, app: object): Return | null {
  if (returned === null) return null
  if (returned.app === app) return returned.before
  return { ...returned, before: without(returned.before, app) }
}
