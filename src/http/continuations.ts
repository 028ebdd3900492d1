import type { Request } from '../contracts/handler.js'

type Resume = (goOn: () => void) => void
type TakeError = (error: unknown) => void

/**
 * The record of an application that returned a request to its host. From then on, the host handles the errors of the
 * request.
 */
interface Return {
  readonly app: object
  readonly takeError: TakeError
  /** The record of another application that returned the same request earlier. */
  readonly before: Return | null
}

interface Continuation {
  /**
   * Continues the request after an error middleware handled an error by calling `next()` without an argument. `null`:
   * the framework refused the request, so it cannot continue. `undefined`: the request continues with the next
   * middleware.
   */
  resume: Resume | null | undefined
  /** Set if a mounted application passed the request back because it has no route for the request. */
  returned: Return | null
}

/** The records of the few requests that do not simply continue with the next middleware or route. */
const continuations = new WeakMap<Request, Continuation>()

/** Records how a request continues if an error middleware handles its error by calling `next()` without an argument. */
export function noteResume(req: Request, resume: Resume): void {
  continuationOf(req).resume = resume
}

/** Records that the framework refused a request. No error middleware can then make the request continue. */
export function noteRefusal(req: Request): void {
  continuationOf(req).resume = null
}

/** Whether the framework refused a request. */
export function isRefused(req: Request): boolean {
  return continuations.get(req)?.resume === null
}

/** Continues a request after an error middleware handled its error by calling `next()` without an argument. */
export function resumeAsBefore(req: Request, goOn: () => void): void {
  const continuation = continuations.get(req)
  const resume = continuation?.resume
  if (continuation !== undefined) continuation.resume = undefined
  if (resume == null) goOn()
  else resume(goOn)
}

/**
 * Removes the state that the host recorded for a request.
 *
 * @returns the removed state. {@link noteReturn} restores it for the host.
 */
export function takeContinuation(req: Request, app: object): Resume | null | undefined {
  const continuation = continuations.get(req)
  if (continuation === undefined) return undefined
  const { resume, returned } = continuation
  continuation.resume = undefined
  continuation.returned = without(returned, app)
  return resume
}

/** Records that an application returned a request to its host. */
export function noteReturn(
  req: Request,
  { app, takeError }: Omit<Return, 'before'>,
  resume: Resume | null | undefined,
): void {
  const continuation = continuationOf(req)
  continuation.resume = resume
  continuation.returned = { app, takeError, before: continuation.returned }
}

/**
 * Returns the function that handles the errors of a request after this application returned it; `undefined` while the
 * application is still handling the request.
 */
export function errorTakerOf(req: Request, app: object): TakeError | undefined {
  let returned = continuations.get(req)?.returned ?? null
  while (returned !== null && returned.app !== app) returned = returned.before
  return returned?.takeError
}

function continuationOf(req: Request): Continuation {
  const known = continuations.get(req)
  if (known !== undefined) return known
  const continuation: Continuation = { resume: undefined, returned: null }
  continuations.set(req, continuation)
  return continuation
}

function without(returned: Return | null, app: object): Return | null {
  if (returned === null) return null
  if (returned.app === app) return returned.before
  return { ...returned, before: without(returned.before, app) }
}
