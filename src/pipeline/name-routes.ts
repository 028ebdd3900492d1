import { METHODS } from 'node:http'
import type { RouteModel } from '../contracts/route-model.js'
import type { BlazonRequest } from '../http/request.js'
import { requireExpress } from '../http/require-express.js'
import type { OnError, RunRoute } from '../step/step.js'
import { nextOf } from './steps/handler.js'

/** A route of the application or the framework. */
type Named = Pick<RouteModel, 'method' | 'path'>

/** Wraps a route so that the route reports its path to a tracing library before it runs. */
type Teller = (run: RunRoute, route: Named, model: RouteModel | undefined) => RunRoute

/** The input of {@link nameRoutes}: the routes that the handlers belong to. */
export interface NamedRoutes {
  readonly routes: readonly RouteModel[]
  /** The paths of the framework's own routes, which follow `routes`. */
  readonly others: readonly Pick<RouteModel, 'path'>[]
  readonly onError: OnError
}

/**
 * Reports a request's route to tracing libraries, which name spans and transactions after the route's path pattern. The
 * libraries are looked up once, at startup. If there are none, the handlers are returned unchanged.
 */
export function nameRoutes(
  handlers: readonly RunRoute[],
  { routes, others, onError }: NamedRoutes,
): readonly RunRoute[] {
  const tellers: Teller[] = []
  if (openTelemetry() !== undefined) tellers.push(tellOpenTelemetry)
  // Sentry is outermost, because its layer may also trigger the Express instrumentation, which reports a less exact
  // name for the route.
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

/** The `RPCMetadata` of `@opentelemetry/core`, in which the route of a request is set. */
interface RpcMetadata {
  route?: string | undefined
}

/** The properties of the `@opentelemetry/api` registry that are used here. */
interface OpenTelemetryApi {
  readonly context?: { active(): { getValue(key: symbol): unknown } }
}

/** The key under which all copies of version 1 of `@opentelemetry/api` share their registry. */
const kApi = Symbol.for('opentelemetry.js.api.1')
const kMetadata = Symbol.for('OpenTelemetry SDK Context Key RPC_METADATA')

function openTelemetry(): OpenTelemetryApi['context'] {
  return (globalThis as { [kApi]?: OpenTelemetryApi })[kApi]?.context
}

/**
 * Sets the route in the metadata. When the response ends, the `node:http` instrumentation names the span after the
 * route.
 */
function tellOpenTelemetry(run: RunRoute, { path }: Named): RunRoute {
  return function runNamed(req, res) {
    const metadata = openTelemetry()?.active().getValue(kMetadata) as RpcMetadata | undefined
    if (metadata !== undefined) metadata.route = mounted(path, req, metadata.route)
    run(req, res)
  }
}

/**
 * Prepends the application's mount path to a path. The Express instrumentation may have set the mount path as a
 * pattern, followed by the paths of routers in `middlewares`. Those paths are removed.
 */
function mounted(path: string, { baseUrl }: BlazonRequest, outer = ''): string {
  if (baseUrl === '') return path
  const segments = outer.split('/')
  const depth = baseUrl.split('/').length
  const base = segments.length < depth ? baseUrl : segments.slice(0, depth).join('/')
  return path === '/' ? base : base + path
}

/** Whether Sentry is loaded. All Sentry packages share this global variable. */
function hasSentry(): boolean {
  return '__SENTRY__' in globalThis
}

/** The method of an Express layer that is called here. */
interface Layer {
  handleRequest(req: unknown, res: unknown, next: unknown): void
}

/**
 * Sentry provides no function to report a route. It instruments the layers of Express routers when they are created and
 * called. For this reason, each route is called as a layer of a router that never matches paths itself.
 */
function tellSentry(onError: OnError): Teller {
  const express = requireExpress()
  return (run, { method, path }, model) => {
    const router = express.Router()
    // Express reserves `!`. All other characters of a path have the same meaning in Express.
    const route = router.route(path.replaceAll('!', '\\!'))
    for (const each of method === 'ALL' ? METHODS : [method]) {
      route[each.toLowerCase() as 'get']((req, res) => {
        // Express has set `req.route` to its own route.
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
