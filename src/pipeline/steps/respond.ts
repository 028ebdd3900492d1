import { STATUS_CODES } from 'node:http'
import type { Response } from '../../contracts/handler.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { successEnvelope } from '../../errors/envelope.js'
import { kHasFailed } from '../../http/own-fields.js'
import type { BlazonRequest } from '../../http/request.js'
import { discardBody } from '../../http/send/raw-body.js'
import { statusReader } from '../../http/send/status-of.js'
import { Refusal } from '../../step/refusal.js'
import type { OnError, RunRoute, Settle, Step } from '../../step/step.js'
import { isThenable, whenSettled } from '../../step/thenable.js'
import type { Deadlines } from '../deadlines.js'
import { isOrdinaryData, sendUnusual } from '../unusual-values.js'
import type { BareResponses } from './bare.js'

/** How a route responds. */
export interface RespondConfig {
  readonly route: Pick<RouteModel, 'name' | 'status' | 'redirect'>
  /** Whether the handler may send its response after it has returned nothing. */
  readonly mayRespondLater: boolean
  /** Sends the responses that are documented without an envelope; `null` if there are none. */
  readonly bare: BareResponses | null
  readonly onError: OnError
  /** `null` if handlers have no time limit. */
  readonly deadlines: Deadlines | null
  /** Whether the response to an error may be sent later, while the handler is still running. */
  readonly mayRespondToErrorsLater: boolean
}

/** Runs the steps after it, and sends exactly one response for the value or the error that comes back. */
export function respondStage(config: RespondConfig): (next: Step) => RunRoute {
  return (next) => respondStep(config, next)
}

function respondStep(config: RespondConfig, next: Step): RunRoute {
  const { onError, deadlines, mayRespondToErrorsLater } = config
  const settle = settleOf(config)
  return function respond(req, res) {
    let value: unknown
    let isWaiting = false
    try {
      value = next(req, res)
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
      whenSettled(
        value as PromiseLike<unknown>,
        (settled) => {
          // The request has failed meanwhile. The response is the error, even if it has not been sent yet.
          if (mayRespondToErrorsLater && req[kHasFailed]) return discardBody(settled)
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

/** Creates the function that turns the value of the steps into a response, or passes on its error. */
export function settleOf(config: RespondConfig): Settle {
  const send = config.bare === null ? sendEnveloped(config) : sendBare(config, config.bare)
  return function settle(value, req, res) {
    let failure: unknown
    try {
      // Most handlers return `res`. `instanceof` reads the chain of prototypes, which costs time, and which a proxy
      // may refuse.
      if (value === res || !(value instanceof Refusal)) return send(value, req, res)
      failure = value.error
    } catch (error) {
      failure = error
    }
    config.onError(failure, req, res)
  }
}

/** Sends the value that a handler has returned in the envelope, unless the handler has sent a response itself. */
function sendEnveloped(config: RespondConfig): Settle {
  const { route, mayRespondLater, deadlines } = config
  const { status, redirect } = route
  const readStatus = statusReader(status)
  return function sendValue(value, req, res) {
    if (res.headersSent) return value === res ? undefined : discardBody(value)
    // A handler that ends with `return res.status(200)`, or with a pipe, has sent nothing yet.
    if (value === res) return deadlines?.startUntilClosed(req, res)
    if (value !== undefined) {
      const current = readStatus(res)
      if (isOrdinaryData(value)) return envelop(res, current, value)
      const target = { req, res, status: current, type: null }
      if (!sendUnusual(value, config, target)) envelop(res, current, value)
      return
    }
    if (redirect !== null) return res.redirect(redirect.status, redirect.url)
    if (mayRespondLater) return deadlines?.startUntilClosed(req, res)
    const current = readStatus(res)
    envelop(res, status === null && current === 200 ? 204 : current, undefined)
  }
}

/** As `sendEnveloped`, except for the statuses that are documented without envelope. */
function sendBare(config: RespondConfig, bare: BareResponses): Settle {
  const { route, mayRespondLater } = config
  const { status, redirect } = route
  const sendOther = sendEnveloped(config)
  const readStatus = statusReader(status)
  const mayBeOver = redirect === null && !mayRespondLater
  return function sendBareValue(value: unknown, req: BlazonRequest, res: Response): void {
    const current = readStatus(res)
    const isOver = mayBeOver && (status !== null || current !== 200)
    const isReturned = value === undefined ? isOver : value !== res
    const response = isReturned && !res.headersSent ? bare.get(current) : undefined
    if (response === undefined) sendOther(value, req, res)
    else if (value === undefined || isOrdinaryData(value)) response.send(res, value)
    else {
      const target = { req, res, status: current, type: response.type }
      if (!sendUnusual(value, config, target)) response.send(res, value)
    }
  }
}

function envelop(res: Response, status: number, data: unknown): void {
  if (status === 204) return void res.status(204).end()
  res.status(status).json(successEnvelope(status, STATUS_CODES[status] ?? 'OK', data))
}
