import type { Clock } from '../contracts/clock.js'
import type { AuthGuard } from '../contracts/guard.js'
import type { Request } from '../contracts/handler.js'
import { ConfigError, invalid } from '../errors/config-error.js'
import { type CarriesCredential, compileCredentials } from '../http/credentials.js'
import { compileRouterAccess } from '../pipeline/compile-route.js'
import { createDenialLog, type OtherDenials } from '../pipeline/log-failure.js'
import type { PipelineConfig } from '../pipeline/route-parts.js'
import type { RouteGuard } from '../pipeline/steps/guard.js'
import type { ErrorPaths } from './error-paths.js'
import type { MadeGuard } from './make-guards.js'
import { isHeaderText } from './settings/guard-options.js'
import type { Settings } from './settings/settings.js'
import type { RunningFeatures } from './start-features.js'

/** The functions that control access to a route. */
export type Access = Pick<PipelineConfig, 'guards' | 'can' | 'logDenial'>

/** The input of {@link buildAccess}. */
export interface AccessConfig {
  readonly settings: Settings
  readonly clock: Clock
  readonly guards: readonly MadeGuard[]
  /** For tests: changes guards, and the functions that find credentials and tenants. */
  readonly harness: {
    readonly wrapGuard: (guard: AuthGuard | null) => AuthGuard | null
    readonly wrapCredentials: (carries: CarriesCredential) => CarriesCredential
    readonly wrapTenantOf: (
      tenantOf: NonNullable<AuthGuard['tenantOf']>,
    ) => NonNullable<AuthGuard['tenantOf']>
  }
  readonly features: Pick<RunningFeatures, 'ofRouters'>
  readonly errors: Pick<ErrorPaths, 'log'>
  readonly denials: OtherDenials
}

/**
 * Builds the functions that control access to routes. Routers that require a tenant use the same guard and functions.
 */
export function buildAccess(config: AccessConfig): Access {
  const { settings, clock, guards: made, features, errors } = config
  const { auth, tenant } = settings
  const logDenial = createDenialLog(errors.log, clock)
  config.denials.start(logDenial)
  const access = { guards: guardsFor(made, config), can: auth.can, logDenial }
  const { ofRouters } = features
  // In an application without a guard, boot rejects routers that require a tenant, so nothing is compiled for them.
  if (ofRouters !== null && tenant !== null && made.length > 0) {
    ofRouters.noteRouterAccess(compileRouterAccess(ofRouters.stages, access))
  }
  return access
}

function guardsFor(made: readonly MadeGuard[], { harness, settings }: AccessConfig): RouteGuard[] {
  if (made.length > 0) return made.map((each) => routeGuard(each, harness))
  // A test can act as a user even if there is no guard.
  const guard = harness.wrapGuard(null)
  if (guard === null) return []
  const isPlaced = harness.wrapCredentials(compileCredentials(settings.auth.credentials))
  const nothing = { name: null, tenantOf: null, abilityChallenge: null }
  return [{ ...nothing, guard, carries: isPlaced, isPlaced, challenge: 'Bearer' }]
}

function routeGuard(
  { settings: { name, option, places }, guard, running }: MadeGuard,
  { wrapGuard, wrapCredentials, wrapTenantOf }: AccessConfig['harness'],
): RouteGuard {
  const isPlaced = wrapCredentials(compileCredentials(places))
  const tenantOf = guard.tenantOf?.bind(guard) ?? null
  return {
    name,
    guard: wrapGuard(running) ?? running,
    carries: guard.carries === undefined ? isPlaced : wrapCredentials(carriesOf(guard)),
    isPlaced,
    challenge: guard.challenge ?? 'Bearer',
    abilityChallenge: guard.abilityChallenge === undefined ? null : challengerOf(guard, option),
    tenantOf: tenantOf === null ? null : wrapTenantOf(tenantOf),
  }
}

function challengerOf(guard: AuthGuard, option: string): RouteGuard['abilityChallenge'] {
  return (abilities) => {
    const challenge = guard.abilityChallenge?.(abilities)
    if (challenge === undefined || isHeaderText(challenge)) return challenge
    const cause = `For ${abilities.join(', ')}, it did not return a valid header value.`
    const remedy = 'Return a challenge, such as \'Bearer error="insufficient_scope"\'.'
    throw new ConfigError([invalid(`${option}.abilityChallenge`, cause, remedy)])
  }
}

/**
 * Only `false` means that there is no credential: a promise, a missing result or an error must not hide an invalid
 * credential from the guard.
 */
function carriesOf(guard: AuthGuard): CarriesCredential {
  return (req) => {
    try {
      return (guard.carries?.(req as Request) as unknown) !== false
    } catch {
      return true
    }
  }
}
