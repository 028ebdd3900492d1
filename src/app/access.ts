import type { Clock } from '../contracts/clock.js'
import type { AuthGuard } from '../contracts/guard.js'
import { compileAdmission, type PipelineConfig } from '../pipeline/compile-route.js'
import { createDenialLog } from '../pipeline/log-denials.js'
import type { ErrorPaths } from './error-paths.js'
import type { RunningFeatures } from './features.js'
import type { Settings } from './settings/settings.js'

/** What decides who may call a route. */
export type Access = Pick<PipelineConfig, 'guard' | 'can' | 'logDenial'>

/** What access is built from. */
export interface AccessConfig {
  readonly settings: Settings
  readonly clock: Clock
  readonly guard: AuthGuard | null
  readonly features: Pick<RunningFeatures, 'ofRouters'>
  readonly errors: Pick<ErrorPaths, 'log'>
}

/** Builds what decides access: to routes, and to routers that need a tenant, which ask the same questions. */
export function buildAccess({ settings, clock, guard, features, errors }: AccessConfig): Access {
  const { auth, tenant } = settings
  const access = { guard, can: auth.can, logDenial: createDenialLog(errors.log, clock) }
  const { ofRouters } = features
  // Without a guard there is nothing to ask, and boot has refused such routers.
  if (ofRouters !== null && tenant !== null && auth.guard !== null) {
    ofRouters.noteAdmission(compileAdmission(ofRouters.stagesOfRouters, access))
  }
  return access
}
