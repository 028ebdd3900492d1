import type { RouteModel } from '../contracts/route-model.js'
import { guardsOfRoute } from '../model/route-guards.js'
import type { StepFactory } from '../step/step.js'
import type { PipelineConfig, RouteStages } from './route-parts.js'
import type { RouteSteps } from './route-steps.js'
import { canStage } from './steps/can.js'
import { type GuardConfig, guardStage, optionalGuardStage } from './steps/guard.js'
import type { PluginStages } from './steps/plugin.js'
import { severalGuardsStage } from './steps/several-guards.js'

export type Access = Pick<PipelineConfig, 'guards' | 'logDenial' | 'can'>
export type AccessStages = Pick<RouteStages, 'unverifiedTenant' | 'tenant' | 'authorizeTenant'> &
  Partial<Pick<RouteStages, 'cache'>>

type AccessSteps = AccessStages & Pick<RouteSteps, 'beforeGuard' | 'guard' | 'afterGuard' | 'can'>

interface AddedToAccess {
  readonly stages: AccessStages
  /** The plugin steps; `null` for a router, because plugins do not add steps to routers. */
  readonly plugins: Pick<PluginStages, 'beforeGuard' | 'afterGuard'> | null
}

/**
 * Creates the steps that decide about access.
 *
 * @param route The route; `null` for a router, which always needs the guard.
 */
export function accessSteps(
  route: RouteModel | null,
  { stages: { unverifiedTenant, tenant, authorizeTenant, cache = null }, plugins }: AddedToAccess,
  { can, guards, logDenial }: Access,
): AccessSteps {
  const { abilities = null, isProtected = true, isAuthOptional = false } = route ?? {}
  const accepted = route === null ? guards.slice(0, 1) : guardsOfRoute(route, guards)
  // The guard forbids storing the response, unless the route has a cache: the cache itself decides which callers
  // receive a stored response.
  const config = {
    guards: accepted,
    logDenial,
    route: route ?? undefined,
    forbidsStoring: cache === null,
  }
  return {
    beforeGuard: plugins?.beforeGuard ?? null,
    unverifiedTenant,
    guard: isProtected || isAuthOptional ? stageOfGuards(config, isAuthOptional) : null,
    tenant,
    authorizeTenant,
    afterGuard: plugins?.afterGuard ?? null,
    can: abilities === null ? null : canStage({ abilities, guards: accepted, decide: can }),
  }
}

function stageOfGuards(config: GuardConfig, isOptional: boolean): StepFactory {
  if (config.guards.length > 1) return severalGuardsStage(config, isOptional)
  return isOptional ? optionalGuardStage(config) : guardStage(config)
}
