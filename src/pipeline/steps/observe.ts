import type { Response } from '../../contracts/handler.js'
import type { PluginSteps, RequestOutcome } from '../../contracts/steps.js'
import type { BlazonRequest } from '../../http/request.js'
import type { RequestScopes } from '../../http/request-scopes.js'
import { inScopeOf } from '../../http/request-scopes.js'
import { isThenable, type StepFactory, whenSettled } from '../../step/step.js'
import { hasTimedOut } from '../deadlines.js'
import type { LogFailure } from '../log-failure.js'

/** The steps that one plugin adds to a route. */
export interface NamedSteps {
  /** The name of the plugin, for messages. */
  readonly plugin: string
  readonly steps: PluginSteps
}

/** The parts of an application that observers depend on. */
export interface Observation {
  readonly log: LogFailure
  /** The request scopes; `null` if requests have no scopes. */
  readonly scopes: RequestScopes | null
}

/**
 * Calls a plugin's observer. The observer's errors are only logged, because the response has already been determined.
 */
type Notify = (req: BlazonRequest, call: () => unknown) => void

/** Calls the plugins' `onResponse` and `onEnd`; `null` if no plugin has either of them for this route. */
export function observeStage(
  added: readonly NamedSteps[],
  { log, scopes }: Observation,
): StepFactory | null {
  const onResponse = added.flatMap(({ steps }) => steps.onResponse ?? [])
  const onEnd = added.flatMap(({ steps }) => steps.onEnd ?? [])
  if (onResponse.length === 0 && onEnd.length === 0) return null
  const notify: Notify = (req, call) => {
    const fail = (error: unknown) => {
      const { statusCode: status } = req.res
      log(error, req, { status, message: 'A plugin failed after the response was decided' })
    }
    inScopeOf(scopes, req, () => {
      try {
        const returned = call()
        if (isThenable(returned)) whenSettled(returned, () => {}, fail)
      } catch (error) {
        fail(error)
      }
    })
  }
  return (next) =>
    function observe(req, res) {
      if (onResponse.length > 0) {
        beforeHead(res, () => {
          for (const call of onResponse) notify(req, () => call(req, res))
        })
      }
      if (onEnd.length > 0) {
        whenOver(req, res, (outcome) => {
          for (const call of onEnd) notify(req, () => call(req, res, outcome))
        })
      }
      return next(req, res)
    }
}

type WriteHead = (this: Response, ...args: unknown[]) => Response

const SENDS =
  'A plugin sent a response in `onResponse`, after another response was chosen. The connection was closed. Send the response from a step that wraps the handler, such as `aroundHandler`.'

/**
 * Calls a function once, before the head of a response is written. The function can set headers. If it sends a response
 * itself, the connection is closed.
 */
function beforeHead(res: Response, call: () => void): void {
  const methods = res as unknown as { writeHead: WriteHead }
  const original = methods.writeHead
  let isCalled = false
  let isCalling = false
  let isSending = false
  methods.writeHead = function writeHead(...args) {
    if (isCalling) {
      isSending = true
      throw new TypeError(SENDS)
    }
    if (!isCalled && !this.headersSent) {
      isCalled = true
      // The function reads the status that is passed to `writeHead`.
      if (typeof args[0] === 'number') this.statusCode = args[0]
      isCalling = true
      call()
      isCalling = false
      // The headers may already describe the plugin's response. The client would then wait for bytes that never arrive,
      // or read a part of this response as the next response.
      if (isSending) this.destroy()
      if (typeof args[0] === 'number') args[0] = this.statusCode
    }
    return original.apply(this, args)
  }
}

/** Calls a function once, when the response has been sent or its connection has closed. */
function whenOver(
  req: BlazonRequest,
  res: Response,
  call: (outcome: RequestOutcome) => void,
): void {
  let isOver = false
  const end = () => {
    if (isOver) return
    isOver = true
    if (hasTimedOut(req)) return call('timeout')
    // A destroyed response can still emit `finish`, although the client does not receive all bytes.
    call(res.writableFinished && !res.destroyed ? 'sent' : 'aborted')
  }
  res.once('finish', end)
  res.once('close', end)
}
