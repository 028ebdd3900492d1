import type { RouteModel } from '../contracts/route-model.js'
import type { StepFactory } from '../step/step.js'
import { keyCoverageStage, unkeyed } from './cache-key/key-coverage.js'
import type { CallerFacts } from './caller-facts.js'
import type { Contract } from './contract/contract.js'
import { itemCheckStage } from './contract/item-check-stage.js'

/** Reports wrong items of a stream, and inputs of a cached handler that its cache key does not contain. */
export function watchRoute(
  route: RouteModel,
  contract: Contract,
  { ownTenantHeader, credentials }: CallerFacts,
): StepFactory | null {
  if (route.stream !== null) return itemCheckStage(route, contract)
  return keyCoverageStage(route, {
    tenantHeader: ownTenantHeader,
    credentials: credentials.headers,
    report: ({ name }, { method, originalUrl: url }, read) =>
      contract.note({ method, url, index: route.index }, unkeyed(name, read)),
  })
}
