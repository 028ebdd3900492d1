import type { Application } from 'express'
import type { InterceptorEntry } from '../../contracts/interceptor.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { planLimits } from '../../features/rate-limit/plan-limits.js'
import { readsBody } from '../../model/body-methods.js'
import { guardsOfRoute } from '../../model/route-guards.js'
import { handlerMsOf } from '../../pipeline/deadline-set.js'
import { fieldsModeOf } from '../../pipeline/own-steps.js'
import { markedFields, marksOfRoute } from '../../schema/audience/route-marks.js'
import { isForErrors } from '../prepare-middlewares.js'
import { routeTable } from '../route-table.js'
import type { GuardSettings } from '../settings/guard-options.js'
import { explainDecorators } from './explain-decorators.js'
import { explainCache, explainLimits, explainTenant } from './explain-features.js'
import { explainInputs, explainPlugins, explainResponses } from './explain-operation.js'
import { explainSteps, type ReadApp } from './explain-steps.js'
import type { ExplainResult, NamedFunction, RouteExplanation, RouteQuery } from './explanation.js'
import { findRoute } from './find-route.js'
import { nameOf, plain } from './name-of.js'
import { type Explained, sourcesOf } from './step-sources.js'

/** An application before it starts, and the folder that paths of files are relative to. */
export interface ExplainedApp extends ReadApp {
  readonly express: Application
  readonly cwd: string
}

/** Finds a route and explains what its requests pass. Nothing is constructed, and no plugin is set up. */
export function explainQuery(query: RouteQuery, app: ExplainedApp): ExplainResult {
  const found = findRoute(app.model, query)
  if (found.kind === 'route') return { kind: 'route', route: explainRoute(found.route, app) }
  const { kind, candidates } = found
  return { kind, candidates: routeTable({ ...app.model, routes: candidates }) }
}

/** Explains what requests of a route pass. */
export function explainRoute(route: RouteModel, app: ExplainedApp): RouteExplanation {
  const { settings, model, cwd, express } = app
  const { auth, limits, timeouts } = settings
  const planned = planLimits(settings.rateLimit, model).ofRoutes[route.index] ?? []
  const { bounds } = route
  const guards = guardsOfRoute(route, auth.guards)
  const maxBytes = bounds?.bodyBytes ?? limits.bodyBytes
  const maxDepth = bounds?.depth ?? limits.depth
  const handlerMs = handlerMsOf(bounds, timeouts.handlerMs)
  const explained: Explained = {
    ...rowOf(route, app),
    before: middlewaresBefore(app),
    plugins: explainPlugins(route, settings.plugins),
    guard: guards.length === 0 ? null : guards.map(guardName).join(', '),
    abilities: route.abilities ?? [],
    tenant: explainTenant(route, app),
    rateLimits: explainLimits(route, planned),
    cache: explainCache(route),
    middlewares: named(route.uses?.middlewares, '@Use'),
    interceptors: interceptorsOf(route, app),
    inputs: explainInputs(route, app),
    body: readsBody(route) ? { maxBytes, maxDepth } : null,
    handlerTimeoutSeconds: handlerMs === null ? null : handlerMs / 1000,
    responseFields: {
      mode: fieldsModeOf(route, settings.responses.fields),
      from: route.responseFields === null ? 'responses' : '@ResponseFields',
    },
    audience: explainAudience(route, settings),
    responses: explainResponses(route, app, express),
    headers: (route.headers ?? []).map(([name, value]) => ({ name, value })),
    options: route.options.map(({ name, value }) => ({ name, value: plain(value) })),
    decorators: explainDecorators(route, cwd),
  }
  const steps = explainSteps(route, planned, app)
  const withSources = steps.map((step) => ({ ...step, sources: sourcesOf(step, explained, app) }))
  return { ...explained, steps: withSources }
}

function explainAudience(
  route: RouteModel,
  { converters }: ReadApp['settings'],
): RouteExplanation['audience'] {
  const fields = markedFields(marksOfRoute(route, converters))
  return fields.map(({ path: field, mark: abilities }) => ({ field, abilities }))
}

function guardName({ name, entry }: GuardSettings): string {
  return name === null ? nameOf(entry) : `${name} (${nameOf(entry)})`
}

function rowOf(route: RouteModel, { model }: ReadApp) {
  const [row] = routeTable({ ...model, routes: [route] })
  return row as NonNullable<typeof row>
}

/** Error middlewares are left out: a request passes them only after it has failed. */
function middlewaresBefore({ settings: { middlewares } }: ReadApp): NamedFunction[] {
  return middlewares
    .filter(({ middleware }) => !isForErrors(middleware))
    .map(({ middleware, name: from }) => ({ name: nameOf(middleware), from }))
}

function interceptorsOf({ uses }: RouteModel, { settings }: ReadApp): NamedFunction[] {
  const ofApp = settings.interceptors.map((entry, index) => ({
    name: nameOf(entry),
    from: `interceptors[${index}]`,
  }))
  return [...ofApp, ...named<InterceptorEntry>(uses?.interceptors, '@Use')]
}

function named<T>(entries: readonly T[] = [], from: string): NamedFunction[] {
  return entries.map((entry) => ({ name: nameOf(entry), from }))
}
