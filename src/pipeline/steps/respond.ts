import { STATUS_CODES } from 'node:http'
import type { Response } from '../../contracts/handler.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { successEnvelope } from '../../errors/envelope.js'
import type { BlazonRequest } from '../../http/request.js'
import {
  follow,
  isThenable,
  type OnError,
  Refusal,
  type RunRoute,
  type Settle,
  type Step,
} from '../../http/step.js'
import type { Deadlines } from '../deadlines.js'

/** What the last stage needs beside the route. */
export interface RespondConfig {
  readonly route: Pick<RouteModel, 'status' | 'redirect'>
  /** Whether the handler may answer after it has returned nothing. */
  readonly mayAnswerLater: boolean
  readonly onError: OnError
  /** `null` when handlers may take any time. */
  readonly deadlines: Deadlines | null
}

/** Runs the stages and sees to it that exactly one answer comes of it, whatever they do. */
export function respondStep(config: RespondConfig, run: Step): RunRoute {
  const { onError, deadlines } = config
  const settle = settleOf(config)
  return function respond(req, res) {
    let value: unknown
    let isWaiting = false
    try {
      value = run(req, res)
      isWaiting = isThenable(value)
    } catch (error) {
      return onError(error, req, res)
    }
    if (!isWaiting) return settle(value, req, res)
    deadlines?.start(req)
    const fail = (error: unknown) => {
      deadlines?.stop(req)
      onError(error, req, res)
    }
    try {
      follow(
        value as PromiseLike<unknown>,
        (settled) => {
          deadlines?.stop(req)
          settle(settled, req, res)
        },
        fail,
      )
    } catch (error) {
      fail(error)
    }
  }
}

/** Makes an answer of what the stages have come to, or an error of it. */
export function settleOf(config: RespondConfig): Settle {
  const answer = answerOf(config)
  return function settle(value, req, res) {
    let failure: unknown
    try {
      // A look at the chain of prototypes, which a proxy may refuse, and which most answers, which are `res`, are spared.
      if (value === res || !(value instanceof Refusal)) return answer(value, req, res)
      failure = value.error
    } catch (error) {
      failure = error
    }
    config.onError(failure, req, res)
  }
}

/** What becomes of the handler's return value once it is there and nobody has answered. */
function answerOf({ route, mayAnswerLater, deadlines }: RespondConfig) {
  const { status, redirect } = route
  return function answer(value: unknown, req: BlazonRequest, res: Response): void {
    if (res.headersSent) return
    // A handler that ends with `return res.status(200)`, or with a pipe, has not answered yet.
    if (value === res) return deadlines?.startUntilClosed(req, res)
    if (value !== undefined) return envelop(res, status ?? 200, value)
    if (redirect !== null) return res.redirect(redirect.status, redirect.url)
    if (mayAnswerLater) return deadlines?.startUntilClosed(req, res)
    if (status === null || status === 204) return void res.status(204).end()
    envelop(res, status, undefined)
  }
}

function envelop(res: Response, status: number, data: unknown): void {
  if (status === 204) return void res.status(204).end()
  res.status(status).json(successEnvelope(status, STATUS_CODES[status] ?? 'OK', data))
}
