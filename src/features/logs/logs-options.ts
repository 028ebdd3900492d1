import type { LogLevel } from '../../contracts/logger.js'
import type { EndedRequest } from '../../contracts/observers.js'
import { invalid, type Problem, shown } from '../../errors/config-error.js'
import { type OptionGroup, type OptionNames, unknownOptions } from '../../errors/option-group.js'
import type { RequestLogSettings } from './request-log.js'

/** The `logs` option. */
export interface LogsOptions {
  /**
   * A function that returns the level of a request's line, or `null` for no line.
   *
   * @defaultValue depends on the status: `error` for 500 and above, `debug` for the health and metrics routes, and
   * `info` for all others
   */
  readonly level?: (ended: EndedRequest) => Exclude<LogLevel, 'silent'> | null
  /**
   * A function that returns additional facts for a request's line, such as its user agent.
   *
   * @defaultValue none
   */
  readonly fields?: (ended: EndedRequest) => object
}

type Option = boolean | LogsOptions | undefined

const NAMES: OptionNames<LogsOptions> = { level: 'sync', fields: 'sync' }

/** The `logs` option. The settings are `null` if requests are not logged. */
export const logsGroup: OptionGroup<Option, RequestLogSettings | null> = {
  unknown: (logs) => unknownOptions('logs.', logs, NAMES),
  check,
  resolve(logs = false) {
    if (logs === false) return null
    const { level = null, fields = null } = logs === true ? {} : logs
    return Object.freeze({ level, fields })
  },
}

function check(logs: unknown): Problem[] {
  if (logs === undefined || typeof logs === 'boolean') return []
  if (typeof logs !== 'object' || logs === null || Array.isArray(logs)) {
    return [
      invalid(
        'logs',
        `${shown(logs)} is not a valid value.`,
        'Pass true, false, or { level, fields }.',
      ),
    ]
  }
  return Object.entries(logs)
    .filter(([name, value]) => Object.hasOwn(NAMES, name) && typeof value !== 'function')
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) =>
      invalid(
        `logs.${name}`,
        `${shown(value)} is not a function.`,
        'Pass a function (ended) => ….',
      ),
    )
}
