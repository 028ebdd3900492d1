import type { Duration } from '../../contracts/limits.js'
import { invalid, shown } from '../../errors/config-error.js'
import { type OptionGroup, type OptionNames, unknownOptions } from '../../errors/option-group.js'
import { checkDuration, checkSwitch, toSeconds } from '../../http/units.js'

/** The `outgoing` option. */
export interface OutgoingOptions {
  /**
   * Whether calls that may be repeated are sent again, at most twice, after 429, 502, 503, 504 and failed connections: calls of
   * safe methods, and calls with the header `Idempotency-Key`.
   *
   * @defaultValue `false`
   */
  readonly retries?: boolean
  /**
   * Whether calls to a host that has failed five times in a row are refused for ten seconds.
   *
   * @defaultValue `false`
   */
  readonly circuit?: boolean
  /**
   * How long a call outside of requests may take: a duration. A call of a request ends with its request.
   *
   * @defaultValue `'30s'`
   */
  readonly timeout?: Duration
}

/** The options of one call: all options of `fetch`, and three more. */
export interface OutgoingInit extends RequestInit {
  /**
   * The time limit of the call: a duration. It never exceeds the time of its request. Default: the time of the
   * request.
   */
  readonly timeout?: Duration
  /**
   * Whether the URL comes from a stranger. Then only public addresses are called, on the ports of `ports`, and each redirect is
   * checked as well. Default `false`.
   */
  readonly public?: boolean
  /** The ports that a URL with `public: true` may have. Default: 80 and 443. */
  readonly ports?: readonly number[]
}

/** The `outgoing` option, resolved. */
export interface OutgoingSettings {
  readonly retries: boolean
  readonly circuit: boolean
  readonly timeoutMs: number
}

type Option = OutgoingOptions | undefined

const NAMES: OptionNames<OutgoingOptions> = { retries: true, circuit: true, timeout: true }
const TIMEOUT_SECONDS = 30

/** The `outgoing` option. */
export const outgoingGroup: OptionGroup<Option, OutgoingSettings> = {
  unknown: (outgoing) => unknownOptions('outgoing.', outgoing, NAMES),
  check(outgoing = {}) {
    if (typeof outgoing !== 'object' || outgoing === null || Array.isArray(outgoing)) {
      const remedy = "Pass { retries: true, circuit: true, timeout: '10s' }."
      return [invalid('outgoing', `${shown(outgoing)} is not an object of options.`, remedy)]
    }
    const { retries, circuit, timeout } = outgoing
    return [
      ...checkSwitch('outgoing.retries', retries),
      ...checkSwitch('outgoing.circuit', circuit),
      ...checkDuration('outgoing.timeout', timeout),
    ]
  },
  resolve({ retries = false, circuit = false, timeout = TIMEOUT_SECONDS } = {}) {
    const timeoutMs = 1000 * (toSeconds(timeout) as number)
    return Object.freeze({ retries, circuit, timeoutMs })
  },
}
