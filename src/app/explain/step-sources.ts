import type { StepName } from '../../contracts/steps.js'
import type { ReadApp } from './explain-steps.js'
import type { ExplainedStep, NamedFunction, RouteExplanation } from './explanation.js'
import { nameOf } from './name-of.js'

/** Everything that is known of a route besides its steps. */
export type Explained = Omit<RouteExplanation, 'steps'>

type Sources = (route: Explained, app: ReadApp) => readonly string[]

/** What each step uses, a line each. A step that is left out uses nothing that has a name. */
const SOURCES: Partial<Record<StepName, Sources>> = {
  scope: ({ tenant }) => tenantLines(tenant),
  admission: (route) => limitLines(route, true),
  quota: (route) => limitLines(route, false),
  guard: ({ guard }) => [guard ?? 'no guard is configured: every request is a 401'],
  tenant: ({ tenant }) => tenantLines(tenant),
  membership: (_, { settings: { tenant } }) =>
    tenant?.authorize ? [`tenant.authorize: ${nameOf(tenant.authorize)}`] : [],
  can: ({ abilities }, { settings: { auth } }) => [
    ...abilities,
    ...(auth.can === undefined ? [] : [`decided by auth.can: ${nameOf(auth.can)}`]),
  ],
  audience: ({ audience }) =>
    audience.map(({ field, abilities }) => `${field}: ${abilities.join(', ')}`),
  use: ({ middlewares }) => middlewares.map(({ name }) => name),
  cache: ({ cache }) => cacheLines(cache),
  body: ({ body }) =>
    body === null ? [] : [`at most ${body.maxBytes} bytes, nested at most ${body.maxDepth} deep`],
  validate: ({ inputs }) =>
    inputs.map(({ in: part, library, schema }) => `${part} (${library}): ${schema}`),
  unexpired: ({ handlerTimeoutSeconds: seconds }) =>
    seconds === null ? [] : [`handler timeout: ${seconds} s`],
  headers: ({ headers }) => headers.map(({ name, value }) => `${name}: ${value}`),
  fields: ({ responseFields: { mode, from } }) => [`'${mode}' (${from})`],
  intercept: ({ interceptors }) => interceptors.map(withOrigin),
  handler: ({ controller, handler, handlerTimeoutSeconds: seconds }) => [
    `${controller}.${handler}${seconds === null ? '' : `, at most ${seconds} s`}`,
  ],
}

/** The lines about what a step uses. */
export function sourcesOf(
  { name, isCertain }: Omit<ExplainedStep, 'sources'>,
  route: Explained,
  app: ReadApp,
): string[] {
  const lines = SOURCES[name]?.(route, app) ?? []
  return isCertain ? [...lines] : [...lines, ...pluginLines(route)]
}

function pluginLines({ plugins }: Explained): string[] {
  return plugins.filter(({ mayAddSteps }) => mayAddSteps).map(({ name }) => `plugin '${name}'`)
}

function withOrigin({ name, from }: NamedFunction): string {
  return `${name} (${from})`
}

function tenantLines(tenant: Explained['tenant']): string[] {
  if (tenant === null) return []
  const { sources, isConfirmed, isIgnored } = tenant
  if (isIgnored)
    return ['no tenant: `tenant.authorize` does not run on a public route without @Tenant']
  if (sources.length === 0) return ['set by middlewares of the application']
  return [...sources, ...(isConfirmed ? ['confirmed by tenant.store'] : [])]
}

function limitLines({ rateLimits }: Explained, isByAddress: boolean): string[] {
  return rateLimits
    .filter(({ by }) => (by === 'ip') === isByAddress)
    .map(
      ({ name, limit, windowSeconds, by, from }) =>
        `${name}: ${limit} requests in ${windowSeconds} s by ${by} (${from})`,
    )
}

function cacheLines(cache: Explained['cache']): string[] {
  if (cache === null) return []
  const { ttlSeconds, staleWhileRevalidateSeconds: stale, key, isShared, tags, headers } = cache
  const lifetime = `fresh for ${ttlSeconds} s${stale > 0 ? `, then stale for ${stale} s` : ''}`
  return [
    lifetime,
    `key: ${key}${isShared ? ', shared by all callers' : ''}`,
    ...(tags.length === 0 ? [] : [`tags: ${tags.join(', ')}`]),
    ...(headers.length === 0 ? [] : [`headers: ${headers.join(', ')}`]),
  ]
}
