import { AsyncLocalStorage } from 'node:async_hooks'
import type { Plugin } from '../../contracts/plugin.js'
import { watchDirectCalls } from '../../features/outgoing/direct-calls.js'
import type { DevReport } from './dev-report.js'

/** Warns under `blazon dev` about handlers that call `fetch` directly. */
export function noticeFetch({ placeIn }: Pick<DevReport, 'placeIn'>): Plugin {
  const requests = new AsyncLocalStorage<true>()
  let stop = () => {}
  return {
    name: 'notice-fetch',
    requests({ logger }) {
      stop = watchDirectCalls({
        isInRequest: () => requests.getStore() === true,
        placeIn,
        warn: (message) => logger.warn({}, message),
      })
      return { around: (_req, next) => requests.run(true, next) }
    },
    onClose: () => stop(),
  }
}
