import type { AppModel, RouteModel } from '../../contracts/route-model.js'
import type { StepName } from '../../contracts/steps.js'
import { isCached, lifetimeOf } from '../../features/cache/build-cache.js'
import { cacheOf } from '../../features/cache/decorator.js'
import { FEATURES } from '../../features/index.js'
import {
  type PlannedLimit,
  placeLimits,
  planLimits,
} from '../../features/rate-limit/plan-limits.js'
import {
  isAuthorized,
  isConfirmed,
  isVerified,
  needsTenant,
  runsWithoutTenant,
  usesTenants,
} from '../../features/tenancy/tenant-rules.js'
import { chainOf, readDecorators } from '../../metadata/read.js'
import { boundsOf } from '../../model/bounds.js'
import { writePath } from '../../model/paths.js'
import { guardsOfRoute } from '../../model/route-guards.js'
import { listVersions, routesIn } from '../../model/versions.js'
import { fieldsModeOf, ownSteps } from '../../pipeline/pipeline-steps.js'
import { STEPS, stepsBy } from '../../pipeline/route-steps.js'
import { buildRouter } from '../../routing/build-router.js'
import { schemasOfBody } from '../../schema/body-schemas.js'
import { markedFields, markedSides, marksOfRoute } from '../../schema/visibility/route-marks.js'
import { type Description, routeTable } from '../describe.js'
import { isForErrors } from '../prepare-middlewares.js'
import type { Settings } from '../settings/settings.js'
import {
  type ExplainedDecorator,
  type ExplainedStep,
  type ExplainResult,
  findPlace,
  type RouteExplanation,
  type RouteQuery,
} from './explanation.js'

/** The methods that a request can have; an `@All` route matches all of them. */
const METHODS = ['GET', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

/** The routes that match a query, and the routes that match its path. */
export interface FoundRoutes {
  readonly found: readonly RouteModel[]
  readonly candidates: readonly RouteModel[]
}

/**
 * Finds routes with the router, as for a request. The path can also be a route path, such as `/users/:id`: `:id` or
 * `{id}` is then the value of the parameter.
 */
export function findRoutes(model: AppModel, { method, path, version }: RouteQuery): FoundRoutes {
  const routes = version === undefined ? model.routes : routesIn(model.routes, version)
  const versions = listVersions(routes)
  const sets = versions.length === 0 ? [routes] : versions.map((name) => routesIn(routes, name))
  const routers = sets.map((own) => ({ own, match: buildRouter(own) }))
  const isOwn = routes.some((route) => route.path === path)
  const url = isOwn ? writePath(path, (name) => `:${name}`) : path
  const reached = (name: string): RouteModel[] => {
    const all = routers.flatMap(({ own, match }) => {
      const result = match(name, url)
      return result.kind === 'route' ? own.filter(({ index }) => index === result.index) : []
    })
    return [...new Set(all)]
  }
  const candidates = [...new Set(METHODS.flatMap(reached))]
  if (method === null) return { found: candidates, candidates }
  const ofAll = candidates.filter((route) => route.method === 'ALL')
  return { found: method === 'ALL' ? ofAll : reached(method), candidates }
}

/** An application before it starts, and the folder to which file paths are relative. */
export interface ExplainedApp extends ReadApp {
  readonly cwd: string
}

/** Finds a route and explains the steps of its requests. Nothing is constructed, and no plugin is set up. */
export function explainQuery(query: RouteQuery, app: ExplainedApp): ExplainResult {
  const { found, candidates } = findRoutes(app.model, query)
  const [route] = found
  if (route !== undefined && found.length === 1)
    return { kind: 'route', route: explainRoute(route, app) }
  return { kind: 'candidates', candidates: routeTable({ ...app.model, routes: candidates }) }
}

/** Explains the steps of a route's requests. */
export function explainRoute(route: RouteModel, app: ExplainedApp): RouteExplanation {
  const [row] = routeTable({ ...app.model, routes: [route] })
  return {
    ...(row as NonNullable<typeof row>),
    // Error middlewares are excluded, because only failed requests reach them.
    before: app.settings.middlewares
      .filter(({ middleware }) => !isForErrors(middleware))
      .map(({ middleware, name: from }) => ({ name: nameOf(middleware), from })),
    steps: explainSteps(route, app),
    decorators: explainDecorators(route, app.cwd),
  }
}

/**
 * The decorators of a route with their locations: decorators of the class and its base classes, then decorators of the
 * method.
 *
 * @param cwd The folder to which the paths are relative.
 */
function explainDecorators({ controller, handler }: RouteModel, cwd: string): ExplainedDecorator[] {
  const found = chainOf(controller).flatMap((link) =>
    readDecorators(link, handler).map((decorator) => ({ ...decorator, owner: link.name })),
  )
  const ofClass = found.filter(({ member }) => member === null)
  const ofMethod = found.filter(({ member }) => member !== null)
  return [...ofClass, ...ofMethod].map(({ name, owner, member, parameter, ...stacks }) => {
    const method = `${owner}.${String(member)}`
    const target = parameter === null ? method : `parameter ${parameter} of ${method}`
    return {
      name: name.replace('()', ''),
      on: member === null ? `class ${owner}` : target,
      at: findPlace(stacks, cwd),
    }
  })
}

/** An application before it starts. */
interface ReadApp {
  readonly settings: Settings
  readonly model: Description['model']
}

/**
 * Lists the steps of a route in order, without constructing anything. A step is uncertain if only plugins determine it,
 * because plugins return their steps only when the application starts.
 */
function explainSteps(route: RouteModel, app: ReadApp): ExplainedStep[] {
  const { settings, model } = app
  const limits = planLimits(settings.rateLimit, model).ofRoutes[route.index] ?? []
  const plugins = settings.plugins.filter(({ steps }) => steps !== undefined)
  const mayBeExtended = plugins.length > 0
  const certain = usedSteps(route, limits, { ...app, hasPluginSteps: false })
  const possible = usedSteps(route, limits, { ...app, hasPluginSteps: mayBeExtended })
  return STEPS.filter(({ name }) => possible.has(name)).map(({ name, phase, does }) => {
    const own = sourcesOf(name, { route, limits, settings })
    const isCertain = certain.has(name)
    const others = isCertain ? [] : plugins.map((plugin) => `plugin '${plugin.name}'`)
    return { name, phase, does, isCertain, sources: [...own, ...others] }
  })
}

function usedSteps(
  route: RouteModel,
  limits: readonly PlannedLimit[],
  { settings, model, hasPluginSteps }: ReadApp & { readonly hasPluginSteps: boolean },
): ReadonlySet<StepName> {
  const features = featureSteps(route, limits, { settings, model })
  const own = ownSteps(route, {
    usesFeature: features.length > 0,
    hasPluginSteps,
    hasDeadline: boundsOf(route, settings.timeouts).handlerMs !== null,
    mayFailLate: settings.middlewares.some(({ middleware }) => !isForErrors(middleware)),
    interceptsAll: settings.interceptors.length > 0,
    limitsFields: fieldsModeOf(route, settings.responses.fields) !== 'send',
    visibility: markedSides(marksOfRoute(route, settings.converters)),
  })
  return new Set<StepName>([
    'respond',
    ...features,
    ...(route.isProtected || route.isAuthOptional ? (['guard'] as const) : []),
    ...(route.abilities === null ? [] : (['can'] as const)),
    ...used(own),
    ...(route.definedParameters === null ? [] : (['parameters'] as const)),
    ...FEATURES.flatMap(({ places }) => places?.(route) ?? []),
    ...(hasPluginSteps ? stepsBy('plugin') : []),
    'handler',
  ])
}

/** The steps of features, under the same conditions as at boot. */
function featureSteps(
  route: RouteModel,
  limits: readonly PlannedLimit[],
  { settings: { tenant }, model }: ReadApp,
): StepName[] {
  const { ipRateLimit, userRateLimit } = placeLimits(limits)
  return used({
    scope: usesTenants(tenant, model),
    unverifiedTenant: isVerified(route, tenant),
    tenant: needsTenant(route, tenant) || isConfirmed(route, tenant),
    authorizeTenant: isAuthorized(route, tenant),
    ipRateLimit: ipRateLimit.length > 0,
    userRateLimit: userRateLimit.length > 0,
    cache: isCached(route) && route.method !== 'QUERY',
    queryCache: isCached(route) && route.method === 'QUERY',
  })
}

function used<K extends StepName>(steps: Readonly<Record<K, boolean>>): K[] {
  return (Object.keys(steps) as K[]).filter((name) => steps[name])
}

/** A route that has a step, with its rate limits. */
interface StepOwner {
  readonly route: RouteModel
  readonly limits: readonly PlannedLimit[]
  readonly settings: Settings
}

type Sources = (owner: StepOwner) => readonly string[]

/** The names, limits and schemas of each step, one per line. Steps that are left out have none. */
const SOURCES: Partial<Record<StepName, Sources>> = {
  scope: tenantLines,
  tenant: tenantLines,
  ipRateLimit: ({ limits }) => placeLimits(limits).ipRateLimit.map(limitLine),
  userRateLimit: ({ limits }) => placeLimits(limits).userRateLimit.map(limitLine),
  guard({ route, settings }) {
    const guards = guardsOfRoute(route, settings.auth.guards)
    if (guards.length === 0) return ['no guard is configured: every request gets a 401 response']
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
    const { bodyBytes, depth } = boundsOf(route, limits)
    return [`at most ${bodyBytes} bytes, nested at most ${depth} levels deep`]
  },
  validate: inputLines,
  headers: ({ route }) => (route.headers ?? []).map(([name, value]) => `${name}: ${value}`),
  fields: ({ route, settings }) => [fieldsModeOf(route, settings.responses.fields)],
  intercept: ({ route, settings }) => [
    ...settings.interceptors.map((entry, index) => `${nameOf(entry)} (interceptors[${index}])`),
    ...(route.uses?.interceptors ?? []).map((entry) => `${nameOf(entry)} (@Use)`),
  ],
  handler({ route, settings }) {
    const { handlerMs: ms } = boundsOf(route, settings.timeouts)
    return [`${route.name}${ms === null ? '' : `, at most ${ms / 1000} s`}`]
  },
}

/** The lines about the parts that a step uses. */
function sourcesOf(step: StepName, owner: StepOwner): readonly string[] {
  return SOURCES[step]?.(owner) ?? []
}

/** The sources of the tenant, in the order in which `compileIdentify` tries them. */
function tenantLines({ route, settings: { tenant } }: StepOwner): string[] {
  if (runsWithoutTenant(route, tenant))
    return ['no tenant: `tenant.authorize` does not run on public routes without @Tenant']
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
  const { key, shared = false, tags = [] } = cacheOf(route) ?? {}
  const { freshMs, staleMs } = lifetimeOf(route)
  const stale = staleMs > 0 ? `, then stale for ${staleMs / 1000} s` : ''
  const names = typeof tags === 'function' ? [nameOf(tags)] : tags
  return [
    `fresh for ${freshMs / 1000} s${stale}`,
    `key: ${key === undefined ? 'default' : nameOf(key)}${shared ? ', shared by all callers' : ''}`,
    ...(names.length === 0 ? [] : [`tags: ${names.join(', ')}`]),
  ]
}

/** The request parts that have a schema, with the schema library, in the order of validation. */
function inputLines({ route }: StepOwner): string[] {
  const parts = ['params', 'query', 'headers', 'cookies', 'body'] as const
  return parts.flatMap((part) => {
    const schemas = part === 'body' ? schemasOfBody(route) : [route.inputs[part] ?? []].flat()
    return schemas.map((schema) =>
      '~standard' in schema ? `${part} (${schema['~standard'].vendor})` : `${part} (JSON Schema)`,
    )
  })
}

/** The name of a function, a class, an instance or a token, for display. */
function nameOf(value: unknown): string {
  if (typeof value === 'function') return value.name || 'anonymous'
  if (typeof value === 'symbol') return String(value)
  if (typeof value === 'string') return `'${value}'`
  const { description, constructor: made } = value as {
    description?: unknown
    constructor?: unknown
  }
  if (typeof description === 'string') return `token ${description}`
  const isOfClass = typeof made === 'function' && made !== Object
  return isOfClass ? nameOf(made) : 'anonymous object'
}
