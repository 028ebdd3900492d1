import { STATUS_CODES } from 'node:http'
import type { Response } from '../../contracts/handler.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { successEnvelope } from '../../errors/envelope.js'
import type { BlazonRequest } from '../../http/request.js'
import type { Deadlines } from '../deadlines.js'
import { isThenable, type OnError, type RunRoute, type Step } from '../step.js'

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
  const answer = answerOf(config)
  function settle(value: unknown, req: BlazonRequest, res: Response): void {
    try {
      answer(value, req, res)
    } catch (error) {
      onError(error, req, res)
    }
  }
  return function respond(req, res) {
    let value: unknown
    try {
      value = run(req, res)
    } catch (error) {
      return onError(error, req, res)
    }
    if (!isThenable(value)) return settle(value, req, res)
    const deadline = deadlines?.start(req)
    value.then(
      (settled) => {
        if (deadline !== undefined) deadlines?.stop(deadline)
        settle(settled, req, res)
      },
      (error) => {
        if (deadline !== undefined) deadlines?.stop(deadline)
        onError(error, req, res)
      },
    )
  }
}

/** What becomes of the handler's return value once it is there and nobody has answered. */
function answerOf({ route, mayAnswerLater, deadlines }: RespondConfig) {
  const { status, redirect } = route
  return function answer(value: unknown, req: BlazonRequest, res: Response): void {
    if (res.headersSent || value === res) return
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
