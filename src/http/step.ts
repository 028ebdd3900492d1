import type { Response } from '../contracts/handler.js'
import type { BlazonRequest } from './request.js'

/**
 * What a step answers with that stops a request as is to be expected of it. To throw the error instead takes a walk over the
 * stack and a look at where it was thrown, which cost a fifth of a refused request.
 */
export class Refusal {
  readonly error: unknown

  constructor(error: unknown) {
    this.error = error
  }
}

/**
 * One stage of a route. It answers with what the stages behind it answer, at once if they do and as a
 * promise if they must wait; it stops the request by answering with a refusal, or by throwing.
 */
export type Step = (req: BlazonRequest, res: Response) => unknown

/** Puts a step in front of others. */
export type Stage = (next: Step) => Step

/** Makes the answer of what the stages have come to, unless there is one already. */
export type Settle = (value: unknown, req: BlazonRequest, res: Response) => void

/** Puts a step in front of those that make the answer; `settle` lets it make one behind the request's back. */
export type AnswerStage = (next: Step, settle: Settle) => Step

/** A compiled route: it never throws and leaves no promise behind. */
export type RunRoute = (req: BlazonRequest, res: Response) => void

/** Takes any error of a request to its end. */
export type OnError = (error: unknown, req: BlazonRequest, res: Response) => void

/** Whether an argument to `next` is an error; as in Express, what is falsy and the two words for "go on" are not. */
export function isError(argument: unknown): boolean {
  return Boolean(argument) && argument !== 'route' && argument !== 'router'
}

/** Lets go of what should have been no promise: a rejection that nobody hears of would end the process. */
export function disown(value: unknown): void {
  if (isThenable(value)) Promise.resolve(value).catch(() => {})
}

/**
 * Goes on with what a thenable comes to, once, whatever it is: the `then` of one that is no promise may throw or call back twice, and
 * so may that which somebody has put on a promise of their own. Throws only where it cannot be looked at.
 */
export function follow<T, U>(
  value: PromiseLike<T>,
  go: (settled: T) => U,
  fail?: (error: unknown) => U,
): Promise<U> {
  return Promise.prototype.then.call(Promise.resolve(value), go, fail) as Promise<U>
}

/** Whether a value must be waited for. Promises of other realms and query builders count. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { then?: unknown }).then === 'function'
  )
}
