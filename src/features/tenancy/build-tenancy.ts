import type { Clock } from '../../contracts/clock.js'
import type { Logger } from '../../contracts/logger.js'
import type { AppModel, RouteModel } from '../../contracts/route-model.js'
import type { RequestScopes } from '../../http/request-scopes.js'
import type { RunRoute, Stage, Step } from '../../step/step.js'
import { compileResolve, enterScope, requiredMessage, type ScopeEnds } from './enter-scope.js'
import { keepMiddlewares, nobodyStage, scopeStage, tenantScopes } from './request-tenant.js'
import { hostOf, noteHost } from './tenant-hosts.js'
import type { TenantSettings } from './tenant-options.js'
import { claimStage, membershipStage, requireTenantStage } from './tenant-stages.js'

/** What tenancy puts around the requests of an application that uses it. */
export interface Tenancy {
  /** Stands before all middlewares of the application. */
  readonly enter: (ends: ScopeEnds) => RunRoute
  /** Stands around each of those, and around what routers among them call. */
  readonly keepMiddlewares: typeof keepMiddlewares
  /** Says how routers that need a tenant let requests pass. */
  readonly noteAdmission: (admit: Step) => void
  readonly scopes: RequestScopes
  readonly stagesOf: (route: RouteModel) => TenancyStages
  /** Those before a router that needs a tenant. */
  readonly stagesOfRouters: Omit<TenancyStages, 'scope'>
}

/** What it puts around the steps of one route. */
export interface TenancyStages {
  readonly scope: (run: RunRoute) => RunRoute
  readonly claim: Stage | null
  readonly tenant: Stage | null
  readonly membership: Stage | null
}

const NOT_ASKED = { claim: null, membership: null } as const

/** What tenancy is built from. */
export interface TenancyConfig {
  /** `null` where the application leaves tenants to its own middlewares. */
  readonly settings: TenantSettings | null
  readonly model: AppModel
  readonly clock: Clock
  readonly logger: Logger
  /** What the application is known by in its scopes. */
  readonly host: object
}

/** Builds tenancy; `null` for an application that uses none. */
export function buildTenancy(config: TenancyConfig): Tenancy | null {
  const { settings, model, clock, logger, host } = config
  if (settings === null && !model.routes.some(usesTenant)) return null
  const authorize = settings?.authorize ?? null
  const authorizes = authorize !== null
  noteHost(host, { logger, authorizes })
  const required = requireTenantStage(requiredMessage(settings))
  const membership = authorize === null ? null : membershipStage(authorize)
  const resolve = settings === null ? null : compileResolve(settings, clock)
  return {
    enter: (ends) => enterScope(resolve, { host, authorizes }, ends),
    keepMiddlewares,
    noteAdmission: (admit) => {
      const facts = hostOf({ host })
      if (facts !== undefined) facts.admit = admit
    },
    scopes: tenantScopes,
    stagesOf: (route) => ({
      scope: isForNobody(route, settings) ? nobodyStage : scopeStage,
      ...(isAuthorized(route, settings) ? { claim: claimStage, membership } : NOT_ASKED),
      tenant: needsTenant(route, settings) ? required : null,
    }),
    stagesOfRouters: {
      ...(authorizes ? { claim: claimStage, membership } : NOT_ASKED),
      tenant: required,
    },
  }
}

/** Whether a route cannot do without a tenant. Its own word wins over the application's. */
export function needsTenant(
  { tenant }: Pick<RouteModel, 'tenant'>,
  settings: TenantSettings | null,
): boolean {
  return tenant === null ? settings?.isRequired === true : !tenant.isOptional
}

/** Whether `authorize` is asked: not where a route is open to everybody and says nothing of tenants, such as a login. */
export function isAuthorized(
  route: Pick<RouteModel, 'tenant' | 'isProtected'>,
  settings: TenantSettings | null,
): boolean {
  if (settings === null || settings.authorize === null) return false
  return route.isProtected || route.tenant !== null || settings.isRequired
}

/** Whether a route runs in nobody's name: where `authorize` has not been asked, no tenant is taken for granted. */
function isForNobody(route: RouteModel, settings: TenantSettings | null): boolean {
  return settings !== null && settings.authorize !== null && !isAuthorized(route, settings)
}

function usesTenant({ tenant, parameters }: RouteModel): boolean {
  return tenant !== null || parameters?.some(({ source }) => source === 'tenant') === true
}
