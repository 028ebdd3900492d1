import type { Stage as PublicStage } from '../../contracts/steps.js'
import {
  buildTenancy,
  type Tenancy,
  type TenancyConfig,
} from '../../features/tenancy/build-tenancy.js'
import { ownStage } from '../../step/own-stage.js'
import type { OnError, RunRoute, Stage, Step } from '../../step/step.js'
import { returnInOwnContext, wrapMiddlewares } from './keep-scopes.js'
import { noteAdmission } from './tenant-router.js'

/** How an application admits requests to routers that need a tenant. */
export interface RouterTenancy {
  /** The stages before such a router; `null` for a stage that the application does not use. */
  readonly stages: Readonly<Record<'claim' | 'tenant' | 'membership', Stage | null>>
  /** Sets the step that decides about admission. Only its result `true` admits the request. */
  readonly noteAdmission: (admit: Step) => void
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
  const { claim, tenant, membership } = stagesOfRouters
  return {
    stages: { claim: orNull(claim), tenant: orNull(tenant), membership: orNull(membership) },
    noteAdmission: (admit) => noteAdmission(host, admit),
  }
}

function orNull(stage: PublicStage | null): Stage | null {
  return stage === null ? null : ownStage(stage)
}
