import type { StepFactory as PublicStage } from '../../contracts/steps.js'
import {
  buildTenancy,
  type Tenancy,
  type TenancyConfig,
} from '../../features/tenancy/build-tenancy.js'
import { internalStep } from '../../step/internal-step.js'
import type { OnError, RunRoute, Step, StepFactory } from '../../step/step.js'
import { returnInOwnContext, wrapMiddlewares } from './keep-scopes.js'
import { noteRouterAccess } from './tenant-router.js'

/** How an application admits requests to routers that need a tenant. */
export interface RouterTenancy {
  /** The stages before such a router; `null` for a stage that the application does not use. */
  readonly stages: Readonly<
    Record<'unverifiedTenant' | 'tenant' | 'authorizeTenant', StepFactory | null>
  >
  /** Sets the step that allows or refuses a request to a router. */
  readonly noteRouterAccess: (admit: Step) => void
}

/** The parts of a request's way that tenants add, and the source of their steps. */
export interface RunningTenancy extends Pick<Tenancy, 'scopes' | 'steps'> {
  readonly enter: (ends: { run: RunRoute; onError: OnError }) => RunRoute
  readonly wrapMiddlewares: typeof wrapMiddlewares
  readonly ofRouters: RouterTenancy
}

/** Starts the tenancy of an application. Loaded for one that uses tenants. */
export function startTenancy(config: TenancyConfig): RunningTenancy {
  const tenancy = buildTenancy(config)
  return {
    enter: (ends) => returnInOwnContext(tenancy.enter(ends)),
    wrapMiddlewares,
    ofRouters: routerTenancy(tenancy, config.host),
    scopes: tenancy.scopes,
    steps: tenancy.steps,
  }
}

function routerTenancy({ stagesOfRouters }: Tenancy, host: object): RouterTenancy {
  const { unverifiedTenant, tenant, authorizeTenant } = stagesOfRouters
  return {
    stages: {
      unverifiedTenant: orNull(unverifiedTenant),
      tenant: orNull(tenant),
      authorizeTenant: orNull(authorizeTenant),
    },
    noteRouterAccess: (admit) => noteRouterAccess(host, admit),
  }
}

function orNull(stage: PublicStage | null): StepFactory | null {
  return stage === null ? null : internalStep(stage)
}
