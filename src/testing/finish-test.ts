import type { ClientRequest } from 'node:http'
import type { Response, Test } from 'supertest'
import { afterThisTurn } from './settle.js'

/** Receives the failure of a finished request (`null` for none), and returns the failure to report, or `null`. */
export type Finish = (failure: unknown, request: FinishedRequest) => unknown

/** A sent request. */
export interface FinishedRequest {
  readonly method: string
  /** The path and query. */
  readonly url: string
  /** The request of the client; `undefined` if nothing was sent. */
  readonly sent: ClientRequest | undefined
}

type Done = (failure: unknown, response: Response) => void

/**
 * Replaces the failure of a supertest request with the result of `finish`. `finish` runs one turn of the event loop
 * after the response, because Node reports unhandled rejections only then.
 */
export function finishTest(test: Test, finish: Finish): void {
  const end = test.end as (this: Test, done: Done) => Test
  test.end = function endFinished(this: Test, done?: Done) {
    return end.call(this, (failure, response) => {
      const { req: sent } = test as unknown as { readonly req?: ClientRequest }
      const request = { method: sent?.method ?? '', url: sent?.path ?? '', sent }
      afterThisTurn(() => done?.call(this, finish(failure, request), response))
    })
  } as Test['end']
}

/**
 * Returns the first failure of a request, after adding the other failures to its message. If an error were reported
 * only when the application closes, it would hide the first error: `await using` puts both into a `SuppressedError`
 * without a message.
 *
 * @param found The failures, in the order in which a reader needs them; `null` and `undefined` count as none.
 * @returns `null` if there is none. If there are several and the first is not an `Error`, or is frozen, an `Error` with
 * the first failure as its cause.
 */
export function joinFailures(found: readonly unknown[]): unknown {
  const [first = null, ...others] = found.filter((each) => each !== null && each !== undefined)
  if (others.length === 0) return first
  const isOpen = first instanceof Error && !Object.isFrozen(first)
  const joined = isOpen ? first : new Error(String(first), { cause: first })
  for (const other of others) addToMessage(joined, `In addition: ${String(other)}`)
  return joined
}

/** Adds a paragraph to the message of an error. */
export function addToMessage(error: Error, paragraph: string): void {
  const { message, stack } = error
  const text = `${message}\n\n${paragraph}\n`
  // The error can be frozen. In that case, an assignment would throw, but `Reflect.set` has no effect.
  Reflect.set(error, 'message', text)
  // The stack trace contains the original message. Some runners print the stack trace; others print the message.
  if (stack?.includes(message))
    Reflect.set(
      error,
      'stack',
      stack.replace(message, () => text),
    )
}
