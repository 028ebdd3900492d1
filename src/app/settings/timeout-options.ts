import type { Duration } from '../../contracts/limits.js'
import { invalid, type Problem } from '../../errors/config-error.js'
import { type OptionGroup, type OptionNames, unknownNames } from '../../errors/option-group.js'
import { checkDuration, toSeconds } from '../../http/units.js'

/** The `timeouts` option. A duration is a number of seconds or a string with a unit (`'250ms'`, `'2m'`). */
export interface TimeoutOptions {
  /**
   * The maximum time for guard, validation and handler: a duration, or `false` for no limit. After this time, the
   * client receives a 503 response, and `req.signal` aborts. `@Limits` sets another limit for a route.
   *
   * @defaultValue `'30s'`
   * @see docs/decorators.md#limits-of-a-route
   */
  readonly handler?: Duration | false
  /**
   * The maximum time until the request head has arrived: a duration. After this time, the client receives a 408
   * response.
   *
   * @defaultValue `'15s'`, or `timeouts.request` if that is shorter
   */
  readonly headers?: Duration
  /**
   * The maximum time until the whole request has arrived: a duration. After this time, the client receives a 408
   * response.
   *
   * @defaultValue `'60s'`, or `timeouts.headers` if that is longer
   */
  readonly request?: Duration
  /**
   * How long a client can stall without reading any bytes of a pending response: a duration, or 0 for no limit. After
   * this time, the connection is closed, and a line is logged. A stream that has nothing to send is not affected.
   *
   * @defaultValue `'60s'`
   * @see docs/operating.md#slow-readers
   */
  readonly response?: Duration
  /**
   * How long an idle connection stays open: a duration. It should be longer than the 60 s of common load
   * balancers, because the load balancer must close the connection first.
   *
   * @defaultValue `'72s'`
   */
  readonly keepAlive?: Duration
  /**
   * How long `close()` waits for running requests: a duration. After this time, their connections are closed.
   *
   * @defaultValue `'10s'`
   */
  readonly close?: Duration
  /**
   * How long an application still accepts requests after a signal: a duration, or 0. During this time, it reports that
   * it is not ready, so that the load balancer stops sending requests.
   *
   * @defaultValue 5 seconds if `KUBERNETES_SERVICE_HOST` is set, otherwise 0
   * @see docs/operating.md#start-and-stop
   */
  readonly preStop?: Duration
  /**
   * The maximum time for each `onClose` of a plugin or provider: a duration. After this time, the next `onClose` is
   * called.
   *
   * @defaultValue `'5s'`
   */
  readonly onClose?: Duration
}

/** The `timeouts` option, resolved. */
export interface TimeoutSettings {
  /** The time limit of handlers; `null` for no limit. */
  readonly handlerMs: number | null
  readonly headersMs: number
  readonly requestMs: number
  /** The time limit of stalled clients; `null` for no limit. */
  readonly responseMs: number | null
  readonly keepAliveMs: number
  readonly closeMs: number
  readonly preStopMs: number
  readonly onCloseMs: number
}

type Option = TimeoutOptions | undefined

const NAMES: OptionNames<TimeoutOptions> = {
  handler: true,
  headers: true,
  request: true,
  response: true,
  keepAlive: true,
  close: true,
  preStop: true,
  onClose: true,
}
const HANDLER_SECONDS = 30
const HEADERS_SECONDS = 15
const REQUEST_SECONDS = 60
const RESPONSE_SECONDS = 60
const KEEP_ALIVE_SECONDS = 72
const CLOSE_SECONDS = 10
const PRE_STOP_SECONDS = 5
const ON_CLOSE_SECONDS = 5

/** The `timeouts` option. */
export const timeoutGroup: OptionGroup<Option, TimeoutSettings> = {
  unknown: (timeouts) => unknownNames('timeouts.', timeouts, NAMES),
  check: (timeouts) => [
    ...checkHandler(timeouts ?? {}),
    ...checkDuration('timeouts.headers', timeouts?.headers),
    ...checkDuration('timeouts.request', timeouts?.request),
    ...checkOrZero('timeouts.response', timeouts?.response),
    ...checkDuration('timeouts.keepAlive', timeouts?.keepAlive),
    ...checkDuration('timeouts.close', timeouts?.close),
    ...checkOrZero('timeouts.preStop', timeouts?.preStop),
    ...checkDuration('timeouts.onClose', timeouts?.onClose),
    ...checkHead(timeouts ?? {}),
  ],
  resolve(timeouts) {
    const { handler, response, keepAlive, close, preStop, onClose } = timeouts ?? {}
    const { headers, request } = arrival(timeouts ?? {})
    return Object.freeze({
      handlerMs: handler === false ? null : 1000 * (secondsOf(handler) ?? HANDLER_SECONDS),
      headersMs: wholeMs(headers),
      requestMs: wholeMs(request),
      responseMs: 1000 * (secondsOf(response) ?? RESPONSE_SECONDS) || null,
      keepAliveMs: wholeMs(secondsOf(keepAlive) ?? KEEP_ALIVE_SECONDS),
      closeMs: 1000 * (secondsOf(close) ?? CLOSE_SECONDS),
      preStopMs: 1000 * (secondsOf(preStop) ?? defaultPreStop()),
      onCloseMs: 1000 * (secondsOf(onClose) ?? ON_CLOSE_SECONDS),
    })
  },
}

/**
 * Returns the time limits for the head and the whole request, in seconds. Node rejects a limit for the head that is
 * longer than the limit for the request. If only one of the options is set, the default of the other option is
 * adjusted.
 */
function arrival({ headers, request }: TimeoutOptions): { headers: number; request: number } {
  const head = secondsOf(headers)
  const whole = secondsOf(request)
  return {
    headers: head ?? Math.min(HEADERS_SECONDS, whole ?? HEADERS_SECONDS),
    request: whole ?? Math.max(REQUEST_SECONDS, head ?? REQUEST_SECONDS),
  }
}

function secondsOf(duration: Duration | undefined): number | undefined {
  return duration === undefined ? undefined : toSeconds(duration)
}

/**
 * Converts to milliseconds, as a whole number greater than 0: Node accepts only whole numbers, and 0 would mean no
 * limit.
 */
function wholeMs(seconds: number): number {
  return Math.max(1, Math.round(seconds * 1000))
}

function checkHandler({ handler }: TimeoutOptions): Problem[] {
  return handler === false ? [] : checkDuration('timeouts.handler', handler)
}

/** Kubernetes continues to send requests for some seconds after the signal, until all nodes have removed the pod. */
function defaultPreStop(): number {
  return process.env['KUBERNETES_SERVICE_HOST'] ? PRE_STOP_SECONDS : 0
}

/** In contrast to the other durations, 0 is valid here. */
function checkOrZero(name: string, value: Duration | undefined): Problem[] {
  if (value === undefined || toSeconds(value) !== undefined) return []
  const remedy = "Pass seconds, a string such as '5s', or 0."
  return [invalid(name, `${String(value)} is not a duration.`, remedy)]
}

function checkHead(timeouts: TimeoutOptions): Problem[] {
  const { headers, request } = arrival(timeouts)
  if (headers <= request) return []
  const cause = 'It is longer than `timeouts.request`, the time limit for the whole request.'
  return [invalid('timeouts.headers', cause, 'Reduce it, or increase `timeouts.request`.')]
}
