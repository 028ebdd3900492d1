import type { Feature } from '../../step/feature.js'
import type { RequestLogSettings } from './request-log.js'

export { logsGroup } from './logs-options.js'
export type { RequestLogSettings } from './request-log.js'

interface Settings {
  readonly logs: RequestLogSettings | null
}

/** The `logs` option, which logs a line for each request. */
export const logs: Feature<Settings> = {
  name: 'logs',
  load({ settings: { logs } }) {
    if (logs === null) return null
    return import('./request-log.js').then((file) => file.requestLog(logs))
  },
}
