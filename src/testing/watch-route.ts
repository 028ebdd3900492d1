import type { RouteModel } from '../contracts/route-model.js'
import type { Stage } from '../step/step.js'
import { keyCoverageStage, unkeyed } from './cache-key/key-coverage.js'
import type { Contract } from './contract/contract.js'
import { itemCheckStage } from './contract/item-check-stage.js'

/** The settings of the application that identify a caller. */
interface CallerSettings {
  readonly tenantHeader: string | null
  /** Headers that may identify the caller, in lower case. */
  readonly credentials: readonly string[]
}

/** Reports wrong items of a stream, and inputs of a cached handler that its cache key does not contain. */
export function watchRoute(
  route: RouteModel,
  contract: Contract,
  settings: CallerSettings,
): Stage | null {
  if (route.stream !== null) return itemCheckStage(contract)
  return keyCoverageStage(route, {
    ...settings,
    report: ({ name }, { method, originalUrl: url }, read) =>
      contract.note({ method, url }, unkeyed(name, read)),
  })
}
