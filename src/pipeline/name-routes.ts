import { METHODS } from 'node:http'
import express from 'express'
import type { RouteModel } from '../contracts/route-model.js'
import type { BlazonRequest } from '../http/request.js'
import type { OnError, RunRoute } from '../step/step.js'
import { nextOf } from './steps/handler.js'

/** A route of the application, or of the framework's own. */
type Named = Pick<RouteModel, 'method' | 'path'>

/** Makes a route tell what it is before it runs. */
type Teller = (run: RunRoute, route: Named, model: RouteModel | undefined) => RunRoute

/** The routes behind the handlers. */
export interface NamedRoutes {
  readonly routes: readonly RouteModel[]
  /** Paths of the framework's own, which follow. */
  readonly others: readonly Pick<RouteModel, 'path'>[]
  readonly onError: OnError
}

/**
 * Tells those who trace requests which route one has: its pattern is what their spans and transactions are named by. Who they are is
 * looked up once, when the application starts; without any, the handlers stay as they are.
 */
export function nameRoutes(
  handlers: readonly RunRoute[],
  { routes, others, onError }: NamedRoutes,
): readonly RunRoute[] {
  const tellers: Teller[] = []
  if (openTelemetry() !== undefined) tellers.push(tellOpenTelemetry)
  // The outermost: instrumentation of Express may hear of it too, and says less.
  if (hasSentry()) tellers.push(tellSentry(onError))
  if (tellers.length === 0) return handlers
  const named: Named[] = [
    ...routes,
    ...others.map(({ path }) => ({ method: 'GET' as const, path })),
  ]
  return handlers.map((handler, index) =>
    tellers.reduce((run, tell) => tell(run, named[index] as Named, routes[index]), handler),
  )
}

/** What `@opentelemetry/core` keeps of a request, for whoever knows its route: `RPCMetadata`. */
interface RpcMetadata {
  route?: string | undefined
}

/** As much of the registry of `@opentelemetry/api` as is asked. */
interface OpenTelemetryApi {
  readonly context?: { active(): { getValue(key: symbol): unknown } }
}

/** Where all copies of `@opentelemetry/api` 1 find each other. */
const kApi = Symbol.for('opentelemetry.js.api.1')
const kMetadata = Symbol.for('OpenTelemetry SDK Context Key RPC_METADATA')

function openTelemetry(): OpenTelemetryApi['context'] {
  return (globalThis as { [kApi]?: OpenTelemetryApi })[kApi]?.context
}

/** Instrumentation of `node:http` names the span by what stands here when the response ends. */
function tellOpenTelemetry(run: RunRoute, { path }: Named): RunRoute {
  return function runNamed(req, res) {
    const metadata = openTelemetry()?.active().getValue(kMetadata) as RpcMetadata | undefined
    if (metadata !== undefined) metadata.route = mounted(path, req, metadata.route)
    run(req, res)
  }
}

/**
 * A path behind the one that the application is mounted on, which is a pattern where instrumentation of Express has left one. Routers in
 * `middlewares` have added theirs to that.
 */
function mounted(path: string, { baseUrl }: BlazonRequest, outer = ''): string {
  if (baseUrl === '') return path
  const segments = outer.split('/')
  const depth = baseUrl.split('/').length
  const base = segments.length < depth ? baseUrl : segments.slice(0, depth).join('/')
  return path === '/' ? base : base + path
}

/** Where all copies of Sentry's packages find each other. */
function hasSentry(): boolean {
  return '__SENTRY__' in globalThis
}

/** As much of Express' layers as is called. */
interface Layer {
  handleRequest(req: unknown, res: unknown, next: unknown): void
}

/**
 * Sentry has no place where a route can be told: it listens to the layers of Express' router, to their making and their calls. So each
 * route is called as the layer of one, which is never asked whether it matches.
 */
function tellSentry(onError: OnError): Teller {
  return (run, { method, path }, model) => {
    const router = express.Router()
    // Of what a path of ours may have, Express' syntax reserves only this.
    const route = router.route(path.replaceAll('!', '\\!'))
    for (const each of method === 'ALL' ? METHODS : [method]) {
      route[each.toLowerCase() as 'get']((req, res) => {
        // Express' own route stands there now.
        req.route = model
        run(req as BlazonRequest, res)
      })
    }
    const layer = router.stack[0] as unknown as Layer
    return function runLayer(req, res) {
      layer.handleRequest(req, res, nextOf(req, res, onError))
    }
  }
}
