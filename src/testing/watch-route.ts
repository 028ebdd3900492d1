import { authGroup } from '../app/settings/auth-options.js'
import { tenantGroup } from '../app/settings/tenant-options.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { Stage } from '../step/step.js'
import { keyCoverageStage, unkeyed } from './cache-key/key-coverage.js'
import type { Contract } from './contract/contract.js'
import { itemCheckStage } from './contract/item-check-stage.js'
import type { TestOptions } from './test-options.js'

/** Reports wrong items of a stream, and inputs of a cached handler that its cache key does not contain. */
export function watchRoute(
  route: RouteModel,
  contract: Contract,
  { tenant, auth }: TestOptions,
): Stage | null {
  if (route.stream !== null) return itemCheckStage(contract)
  return keyCoverageStage(route, {
    tenantHeader: tenantGroup.resolve(tenant)?.header ?? null,
    credentials: authGroup.resolve(auth).credentials.headers,
    report: ({ name }, { method, originalUrl: url }, read) =>
      contract.note({ method, url }, unkeyed(name, read)),
  })
}
