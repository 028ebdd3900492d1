import type { Response } from '../contracts/handler.js'
import type { StepFactory as PublicStage } from '../contracts/steps.js'
import type { BlazonRequest } from '../http/request.js'

/**
 * Whether a value must be awaited: a promise, including a promise from another realm, or any object with a `then`
 * method, such as a query builder. A step that awaits only such values does not create a promise if the later steps are
 * synchronous.
 *
 * @example
 * const counted: StepFactory = (next) => (req, res) => {
 *   const value = next(req, res)
 *   return isThenable(value) ? value.then(count) : count(value)
 * }
 */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { then?: unknown }).then === 'function'
  )
}

/**
 * Calls either `go` or `fail` when a thenable settles. A thenable's `then` can throw or call back twice, and a promise
 * can have its own `then`. In all these cases, only one of the callbacks runs, and only once. This function throws only
 * if a getter of the thenable throws.
 */
export function whenSettled<T, U>(
  value: PromiseLike<T>,
  go: (settled: T) => U,
  fail?: (error: unknown) => U,
): Promise<U> {
  return Promise.prototype.then.call(Promise.resolve(value), go, fail) as Promise<U>
}

/**
 * Ignores the rejection of a promise that was returned where a promise is not expected. An unhandled rejection would
 * end the process.
 */
export function ignoreRejection(value: unknown): void {
  if (isThenable(value)) Promise.resolve(value).catch(() => {})
}

/**
 * One step of a route. A step handles the request itself, or calls the next step and returns the result of that step,
 * directly or as a promise. A step stops the request by returning a `Refusal` or by throwing.
 */
export type Step = (req: BlazonRequest, res: Response) => unknown

/**
 * Creates a step. The framework calls this function once for each route, at boot.
 *
 * @param next The step that runs after the new one.
 */
export type StepFactory = (next: Step) => Step

/** Sends, as the response, the value that the steps returned, unless a response was already sent. */
export type Settle = (value: unknown, req: BlazonRequest, res: Response) => void

/** A compiled route. It never throws, and it handles the rejection of every promise that it creates. */
export type RunRoute = (req: BlazonRequest, res: Response) => void

/** Handles the error of a request. It always ends the request, with a response or by closing the connection. */
export type OnError = (error: unknown, req: BlazonRequest, res: Response) => void

/** Joins stages into one stage, in which the first one is the outermost. Returns `null` for an empty list. */
export function joinStages(stages: readonly StepFactory[]): StepFactory | null {
  if (stages.length === 0) return null
  return (next) => stages.reduceRight((run, stage) => stage(run), next)
}

/**
 * Converts a stage with public types to an internal step. The stages of features and plugins declare the public request
 * type, which every request has.
 */
export function internalStep(stage: PublicStage): StepFactory {
  return stage as unknown as StepFactory
}
