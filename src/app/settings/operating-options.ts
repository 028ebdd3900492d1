import type { Problem } from '../../errors/config-error.js'
import { invalid, shown } from '../../errors/invalid.js'

/** The options about ids of requests and about reports of errors. */
interface OperatingOptions {
  readonly requestIds?: unknown
  readonly trustRequestId?: unknown
  readonly onError?: unknown
}

/** Checks the options `requestIds`, `trustRequestId` and `onError`. */
export function checkOperating(options: OperatingOptions): Problem[] {
  const { requestIds, trustRequestId, onError } = options
  const switches = Object.entries({ requestIds, trustRequestId }).filter(
    ([, value]) => value !== undefined && typeof value !== 'boolean',
  )
  const problems = switches.map(([name, value]) =>
    invalid(name, `${shown(value)} is not a boolean.`, 'Give true or false.'),
  )
  if (onError === undefined || typeof onError === 'function') return problems
  const remedy = 'Give a function (error, context) => { … }.'
  return [...problems, invalid('onError', `${shown(onError)} is not a function.`, remedy)]
}
