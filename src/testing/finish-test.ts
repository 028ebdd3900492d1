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
}

const NEVER_SENT = { method: '', path: '' }

type Done = (failure: unknown, response: Response) => void

/**
 * Replaces the failure of a supertest request by the result of `finish`. `finish` runs one turn of the event
 * loop after the response, because Node reports unhandled rejections only then.
 */
export function finishTest(test: Test, finish: Finish): void {
  const end = test.end as (this: Test, done: Done) => Test
  test.end = function endFinished(this: Test, done?: Done) {
    return end.call(this, (failure, response) => {
      const { method, path: url } = (test as unknown as { req?: ClientRequest }).req ?? NEVER_SENT
      afterThisTurn(() => done?.call(this, finish(failure, { method, url }), response))
    })
  } as Test['end']
}
