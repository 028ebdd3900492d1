import type { ClientRequest } from 'node:http'
import type { Response, Test } from 'supertest'
import { afterThisTurn } from './settle.js'

/**
 * Called when a request has finished, with its failure so far (`null` for none). Returns the failure to
 * report, or `null`.
 */
export type Finish = (failure: unknown, request: FinishedRequest) => unknown

/** A request as it was sent. */
export interface FinishedRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** `undefined` if nothing was sent. */
  readonly sent: ClientRequest | undefined
}

type Done = (failure: unknown, response: Response) => void

/**
 * Replaces the failure of a supertest request by the result of `finish`. `finish` runs one turn of the event
 * loop after the response, because Node reports unhandled rejections only then.
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
