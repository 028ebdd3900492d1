import type { ClientRequest } from 'node:http'
import type { Response, Test } from 'supertest'
import { afterThisTurn } from './settle.js'

/** Told that a request is over, and what is wrong with it so far; answers with what is, or `null`. */
export type Finish = (failure: unknown, request: FinishedRequest) => unknown

/** A request as it was sent. */
export interface FinishedRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
}

const NEVER_SENT = { method: '', path: '' }

type Done = (failure: unknown, response: Response) => void

/** Hands what `finish` finds to whoever waits for the test, a turn after its answer: rejections are noticed then. */
export function finishTest(test: Test, finish: Finish): void {
  const end = test.end as (this: Test, done: Done) => Test
  test.end = function endFinished(this: Test, done?: Done) {
    return end.call(this, (failure, response) => {
      const { method, path: url } = (test as unknown as { req?: ClientRequest }).req ?? NEVER_SENT
      afterThisTurn(() => done?.call(this, finish(failure, { method, url }), response))
    })
  } as Test['end']
}
