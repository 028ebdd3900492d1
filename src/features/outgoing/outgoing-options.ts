import type { Duration } from '../../contracts/limits.js'
import { invalid, shown } from '../../errors/config-error.js'
import { type OptionGroup, type OptionNames, unknownOptions } from '../../errors/option-group.js'
import { checkDuration, checkSwitch, toSeconds } from '../../http/units.js'

/** The `outgoing` option. */
export interface OutgoingOptions {
  /**
   * Whether calls are sent again, at most twice, after a failed connection or a 429, 502, 503 or 504 response. Only
   * calls with a safe method, and calls with the header `Idempotency-Key`, are sent again.
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
   * The time limit for calls outside requests: a duration. A call in a request ends with its request.
   *
   * @defaultValue `'30s'`
   */
  readonly timeout?: Duration
}

/** The options of one call: all `fetch` options, and three additional options. */
export interface OutgoingInit extends RequestInit {
  /**
   * The time limit of the call: a duration. It never exceeds the remaining time of the request or, outside requests,
   * the `outgoing.timeout` option. Default: the longest time that is allowed.
   */
  readonly timeout?: Duration
  /**
   * Whether the URL comes from an untrusted party. If so, only public addresses on the ports in `ports` are called, and
   * each redirect is checked as well. Default: `false`.
   */
  readonly public?: boolean
  /** The ports that are allowed in a URL with `public: true`. Default: 80 and 443. */
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
