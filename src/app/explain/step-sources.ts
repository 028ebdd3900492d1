import type { RouteModel } from '../../contracts/route-model.js'
import type { StepName } from '../../contracts/steps.js'
import { lifetimeOf } from '../../features/cache/build-cache.js'
import { type PlannedLimit, placeLimits } from '../../features/rate-limit/plan-limits.js'
import { runsWithoutTenant } from '../../features/tenancy/tenant-rules.js'
import { guardsOfRoute } from '../../model/route-guards.js'
import { handlerMsOf } from '../../pipeline/deadline-set.js'
import { fieldsModeOf } from '../../pipeline/pipeline-steps.js'
import { schemasOfBody } from '../../schema/body-schemas.js'
import { markedFields, marksOfRoute } from '../../schema/visibility/route-marks.js'
import type { Settings } from '../settings/settings.js'
import { nameOf } from './name-of.js'

/** A route that has a step, with its rate limits. */
export interface StepOwner {
  readonly route: RouteModel
  readonly limits: readonly PlannedLimit[]
  readonly settings: Settings
}

type Sources = (owner: StepOwner) => readonly string[]

/** The names, limits and schemas that each step uses, a line each. A step that is left out uses none. */
const SOURCES: Partial<Record<StepName, Sources>> = {
  scope: tenantLines,
  tenant: tenantLines,
  ipRateLimit: ({ limits }) => placeLimits(limits).ipRateLimit.map(limitLine),
  userRateLimit: ({ limits }) => placeLimits(limits).userRateLimit.map(limitLine),
  guard({ route, settings }) {
    const guards = guardsOfRoute(route, settings.auth.guards)
    if (guards.length === 0) return ['no guard is configured: every request is a 401']
    return guards.map(({ entry }) => nameOf(entry))
  },
  authorizeTenant: ({ settings: { tenant } }) =>
    tenant?.authorize ? [`tenant.authorize: ${nameOf(tenant.authorize)}`] : [],
  can: ({ route, settings: { auth } }) => [
    ...(route.abilities ?? []),
    ...(auth.can === undefined ? [] : [`decided by auth.can: ${nameOf(auth.can)}`]),
  ],
  visibility: ({ route, settings }) =>
    markedFields(marksOfRoute(route, settings.converters)).map(
      ({ path, mark }) => `${path}: ${mark.join(', ')}`,
    ),
  use: ({ route }) => (route.uses?.middlewares ?? []).map(nameOf),
  cache: cacheLines,
  queryCache: cacheLines,
  body({ route, settings: { limits } }) {
    const bytes = route.limits?.bodyBytes ?? limits.bodyBytes
    return [`at most ${bytes} bytes, nested at most ${route.limits?.depth ?? limits.depth} deep`]
  },
  validate: inputLines,
  headers: ({ route }) => (route.headers ?? []).map(([name, value]) => `${name}: ${value}`),
  fields: ({ route, settings }) => [fieldsModeOf(route, settings.responses.fields)],
  intercept: ({ route, settings }) => [
    ...settings.interceptors.map((entry, index) => `${nameOf(entry)} (interceptors[${index}])`),
    ...(route.uses?.interceptors ?? []).map((entry) => `${nameOf(entry)} (@Use)`),
  ],
  handler({ route, settings }) {
    const ms = handlerMsOf(route.limits, settings.timeouts.handlerMs)
    return [`${route.name}${ms === null ? '' : `, at most ${ms / 1000} s`}`]
  },
}

/** The lines about the parts that a step uses. */
export function sourcesOf(step: StepName, owner: StepOwner): readonly string[] {
  return SOURCES[step]?.(owner) ?? []
}

/** In the order in which `compileIdentify` tries them. */
function tenantLines({ route, settings: { tenant } }: StepOwner): string[] {
  if (runsWithoutTenant(route, tenant))
    return ['no tenant: `tenant.authorize` does not run on a public route without @Tenant']
  if (tenant === null) return ['set by middlewares of the application']
  const { header, jwtClaim, strategies, guards, store } = tenant
  return [
    ...(header === null ? [] : [`header ${header}`]),
    ...(jwtClaim === null ? [] : [`claim ${jwtClaim} of the bearer token`]),
    ...strategies.map((strategy) => `strategy ${nameOf(strategy)}`),
    ...(guards.some(({ confirmsTenant }) => confirmsTenant) ? ['verified credential'] : []),
    ...(store === null ? [] : ['confirmed by tenant.store']),
  ]
}

function limitLine({ name, limit, windowMs, by }: PlannedLimit): string {
  const counted = typeof by === 'function' ? `function ${nameOf(by)}` : by
  return `${name}: ${limit} requests in ${windowMs / 1000} s by ${counted}`
}

function cacheLines({ route }: StepOwner): string[] {
  const { key, shared = false, tags = [] } = route.cache ?? {}
  const { freshMs, staleMs } = lifetimeOf(route)
  const stale = staleMs > 0 ? `, then stale for ${staleMs / 1000} s` : ''
  const names = typeof tags === 'function' ? [nameOf(tags)] : tags
  return [
    `fresh for ${freshMs / 1000} s${stale}`,
    `key: ${key === undefined ? 'default' : nameOf(key)}${shared ? ', shared by all callers' : ''}`,
    ...(names.length === 0 ? [] : [`tags: ${names.join(', ')}`]),
  ]
}

/** The parts of a request that have a schema, with the library of each, in the order in which they are checked. */
function inputLines({ route }: StepOwner): string[] {
  const parts = ['params', 'query', 'headers', 'cookies', 'body'] as const
  return parts.flatMap((part) => {
    const schemas = part === 'body' ? schemasOfBody(route) : [route.inputs[part] ?? []].flat()
    return schemas.map((schema) =>
      '~standard' in schema ? `${part} (${schema['~standard'].vendor})` : `${part} (JSON Schema)`,
    )
  })
}
