import type { RouteModel } from '../contracts/route-model.js'
import type { Stage } from '../step/step.js'
import { keyCoverageStage, unkeyed } from './cache-key/key-coverage.js'
import type { Contract } from './contract/contract.js'
import { itemCheckStage } from './contract/item-check-stage.js'

/** The places of a request that name its caller and its tenant. */
interface RequestPlaces {
  readonly tenantHeader: string | null
  /** Headers of credentials, in lower case. */
  readonly credentials: readonly string[]
}

/** Reports wrong items of a stream, and inputs of a cached handler that its cache key does not contain. */
export function watchRoute(
  route: RouteModel,
  contract: Contract,
  places: RequestPlaces,
): Stage | null {
  if (route.stream !== null) return itemCheckStage(contract)
  return keyCoverageStage(route, {
    ...places,
    report: ({ name }, { method, originalUrl: url }, read) =>
      contract.note({ method, url }, unkeyed(name, read)),
  })
}
