import type { Clock } from '../contracts/clock.js'
import type { AuthGuard } from '../contracts/guard.js'
import { type CarriesCredential, compileCredentials } from '../http/credentials.js'
import { compileAdmission, type PipelineConfig } from '../pipeline/compile-route.js'
import { createDenialLog } from '../pipeline/log-denials.js'
import type { ErrorPaths } from './error-paths.js'
import type { RunningFeatures } from './features.js'
import type { Settings } from './settings/settings.js'

/** The functions that decide who may call a route. */
export type Access = Pick<PipelineConfig, 'guard' | 'carriesCredential' | 'can' | 'logDenial'>

/** The input of {@link buildAccess}. */
export interface AccessConfig {
  readonly settings: Settings
  readonly clock: Clock
  readonly guard: AuthGuard | null
  /** Changes the function that finds credentials. */
  readonly wrapCredentials: (carries: CarriesCredential) => CarriesCredential
  readonly features: Pick<RunningFeatures, 'ofRouters'>
  readonly errors: Pick<ErrorPaths, 'log'>
}

/**
 * Builds the functions that decide access to routes. Routers that need a tenant run the same guard and
 * functions.
 */
export function buildAccess({
  settings,
  clock,
  guard,
  wrapCredentials,
  features,
  errors,
}: AccessConfig): Access {
  const { auth, tenant } = settings
  const carriesCredential = wrapCredentials(compileCredentials(auth.credentials))
  const logDenial = createDenialLog(errors.log, clock)
  const access = { guard, carriesCredential, can: auth.can, logDenial }
  const { ofRouters } = features
  // Boot rejects routers that need a tenant if there is no guard, so there is nothing to build without one.
  if (ofRouters !== null && tenant !== null && auth.guard !== null) {
    ofRouters.noteAdmission(compileAdmission(ofRouters.stages, access))
  }
  return access
}
