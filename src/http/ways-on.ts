import type { BlazonRequest } from './request.js'

type Resume = (goOn: () => void) => void
type TakeError = (error: unknown) => void

/** An application that has given a request back to its host, which takes the errors of the request from then on. */
interface Return {
  readonly app: object
  readonly takeError: TakeError
  /** Another application that has given the same request back. */
  readonly before: Return | null
}

/** Where a request goes on. */
interface WayOn {
  /**
   * After an error that an error middleware passes over: a function leads on, `null` is the end (the framework has refused the
   * request), and `undefined` is the next middleware.
   */
  resume: Resume | null | undefined
  /** After an application that has no route for it. */
  returned: Return | null
}

/** Only the few requests that do not simply go on to the next middleware or route. */
const ways = new WeakMap<BlazonRequest, WayOn>()

/** Notes how a request goes on if an error middleware passes over its error: as it came to the place that has failed. */
export function noteResume(req: BlazonRequest, resume: Resume): void {
  wayOf(req).resume = resume
}

/** Notes that the framework has refused a request: no error middleware may let it go on. */
export function noteRefusal(req: BlazonRequest): void {
  wayOf(req).resume = null
}

/** Whether the framework has refused a request in the place of a middleware. */
export function isRefused(req: BlazonRequest): boolean {
  return ways.get(req)?.resume === null
}

/** Lets a request go on whose error an error middleware has passed over. */
export function resumeAsBefore(req: BlazonRequest, goOn: () => void): void {
  const way = ways.get(req)
  const resume = way?.resume
  if (way !== undefined) way.resume = undefined
  if (resume == null) goOn()
  else resume(goOn)
}

/**
 * Forgets what was noted of a request before it came to this application.
 *
 * @returns What the host had noted; the host gets it back by {@link noteReturn}.
 */
export function forgetWay(req: BlazonRequest, app: object): Resume | null | undefined {
  const way = ways.get(req)
  if (way === undefined) return undefined
  const { resume, returned } = way
  way.resume = undefined
  way.returned = without(returned, app)
  return resume
}

/** Notes that an application has given a request back to its host. */
export function noteReturn(
  req: BlazonRequest,
  { app, takeError }: Omit<Return, 'before'>,
  resume: Resume | null | undefined,
): void {
  const way = wayOf(req)
  way.resume = resume
  way.returned = { app, takeError, before: way.returned }
}

/** Takes the errors of a request that this application has given back; `undefined` while it has the request. */
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
