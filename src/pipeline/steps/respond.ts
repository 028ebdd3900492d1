import { STATUS_CODES } from 'node:http'
import type { Response } from '../../contracts/handler.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { successEnvelope } from '../../errors/envelope.js'
import { kHasFailed } from '../../http/own-fields.js'
import type { BlazonRequest } from '../../http/request.js'
import { statusReader } from '../../http/said-status.js'
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
import type { BareAnswers } from './bare.js'

/** What the last stage needs beside the route. */
export interface RespondConfig {
  readonly route: Pick<RouteModel, 'status' | 'redirect'>
  /** Whether the handler may answer after it has returned nothing. */
  readonly mayAnswerLater: boolean
  /** How answers are sent that are documented without envelope; `null` where none is. */
  readonly bare: BareAnswers | null
  readonly onError: OnError
  /** `null` when handlers may take any time. */
  readonly deadlines: Deadlines | null
  /** Whether an error may wait for its answer, while its handler is still at work. */
  readonly mayAnswerErrorsLater: boolean
}

/** Runs the stages and sees to it that exactly one answer comes of it, whatever they do. */
export function respondStep(config: RespondConfig, run: Step): RunRoute {
  const { onError, deadlines, mayAnswerErrorsLater } = config
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
          // What a handler comes to after its request has failed is no answer any more, though the error has none yet.
          if (mayAnswerErrorsLater && req[kHasFailed]) return
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
  const answer = config.bare === null ? answerOf(config) : bareAnswerOf(config, config.bare)
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
  const statusOf = statusReader(status)
  return function answer(value: unknown, req: BlazonRequest, res: Response): void {
    if (res.headersSent) return
    // A handler that ends with `return res.status(200)`, or with a pipe, has not answered yet.
    if (value === res) return deadlines?.startUntilClosed(req, res)
    if (value !== undefined) return envelop(res, statusOf(res), value)
    if (redirect !== null) return res.redirect(redirect.status, redirect.url)
    if (mayAnswerLater) return deadlines?.startUntilClosed(req, res)
    const said = statusOf(res)
    envelop(res, status === null && said === 200 ? 204 : said, undefined)
  }
}

/** As `answerOf`, but for what is documented without envelope. */
function bareAnswerOf(config: RespondConfig, bare: BareAnswers) {
  const { route, mayAnswerLater } = config
  const { status, redirect } = route
  const answer = answerOf(config)
  const statusOf = statusReader(status)
  const mayBeOver = redirect === null && !mayAnswerLater
  return function answerBare(value: unknown, req: BlazonRequest, res: Response): void {
    const said = statusOf(res)
    const isOver = mayBeOver && (status !== null || said !== 200)
    const isReturned = value === undefined ? isOver : value !== res
    const send = isReturned && !res.headersSent ? bare.get(said) : undefined
    if (send === undefined) answer(value, req, res)
    else send(res, value)
  }
}

function envelop(res: Response, status: number, data: unknown): void {
  if (status === 204) return void res.status(204).end()
  res.status(status).json(successEnvelope(status, STATUS_CODES[status] ?? 'OK', data))
}
