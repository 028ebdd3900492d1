import type { Duration } from '../../contracts/units.js'
import type { Problem } from '../../errors/config-error.js'
import { invalid } from '../../errors/invalid.js'
import { type Names, type OptionGroup, unknownNames } from '../../errors/option-group.js'
import { toSeconds } from '../../http/units.js'

/** How long things may take: seconds, or a string with a unit (`'250ms'`, `'2m'`). */
export interface TimeoutOptions {
  /**
   * A handler, with guard and validation: a duration, or `false` for no limit. Then the response is 503, and `req.signal`
   * aborts.
   *
   * @defaultValue `'30s'`
   */
  readonly handler?: Duration | false
  /**
   * The arrival of a request's head: a duration. Then 408.
   *
   * @defaultValue `'15s'`, or `timeouts.request` where that is shorter
   */
  readonly headers?: Duration
  /**
   * The arrival of a whole request: a duration. Then 408.
   *
   * @defaultValue `'60s'`, or `timeouts.headers` where that is longer
   */
  readonly request?: Duration
  /**
   * An idle connection: a duration, longer than the 60 s of common load balancers, which must close first. Then the
   * connection is closed.
   *
   * @defaultValue `'72s'`
   */
  readonly keepAlive?: Duration
  /**
   * Requests under way when the application closes: a duration. Then their connections are cut.
   *
   * @defaultValue `'10s'`
   */
  readonly close?: Duration
}

/** The `timeouts` option, resolved. */
export interface TimeoutSettings {
  /** `null` where handlers may take as long as they want. */
  readonly handlerMs: number | null
  readonly headersMs: number
  readonly requestMs: number
  readonly keepAliveMs: number
  readonly closeMs: number
}

type Option = TimeoutOptions | undefined

const NAMES: Names<TimeoutOptions> = {
  handler: true,
  headers: true,
  request: true,
  keepAlive: true,
  close: true,
}
const HANDLER_SECONDS = 30
const HEADERS_SECONDS = 15
const REQUEST_SECONDS = 60
const KEEP_ALIVE_SECONDS = 72
const CLOSE_SECONDS = 10

/** The `timeouts` option. */
export const timeoutGroup: OptionGroup<Option, TimeoutSettings> = {
  unknown: (timeouts) => unknownNames('timeouts.', timeouts, NAMES),
  check: (timeouts) => [
    ...checkDuration('timeouts.handler', timeouts?.handler),
    ...checkDuration('timeouts.headers', timeouts?.headers),
    ...checkDuration('timeouts.request', timeouts?.request),
    ...checkDuration('timeouts.keepAlive', timeouts?.keepAlive),
    ...checkDuration('timeouts.close', timeouts?.close),
    ...checkHead(timeouts ?? {}),
  ],
  resolve(timeouts) {
    const { handler, keepAlive, close } = timeouts ?? {}
    const { headers, request } = arrival(timeouts ?? {})
    return Object.freeze({
      handlerMs: handler === false ? null : 1000 * (secondsOf(handler) ?? HANDLER_SECONDS),
      headersMs: wholeMs(headers),
      requestMs: wholeMs(request),
      keepAliveMs: wholeMs(secondsOf(keepAlive) ?? KEEP_ALIVE_SECONDS),
      closeMs: 1000 * (secondsOf(close) ?? CLOSE_SECONDS),
    })
  },
}

/**
 * The arrival of the head is part of the arrival of the request, and Node refuses a head that may take longer. Where only one
 * of the two is given, the default of the other one gives way. In seconds.
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

/** Node takes whole milliseconds. */
function wholeMs(seconds: number): number {
  return Math.round(seconds * 1000)
}

function checkDuration(name: string, value: Duration | false | undefined): Problem[] {
  if (value === undefined || (value === false && name === 'timeouts.handler')) return []
  if (toSeconds(value as Duration)) return []
  return [
    invalid(name, `${value} is not a duration.`, "Give seconds above 0, or '250ms', '30s', '2m'."),
  ]
}

function checkHead(timeouts: TimeoutOptions): Problem[] {
  const { headers, request } = arrival(timeouts)
  if (headers <= request) return []
  const cause =
    'The head of a request may not take longer than the whole of it (`timeouts.request`).'
  return [invalid('timeouts.headers', cause, 'Lower it, or raise `timeouts.request`.')]
}
