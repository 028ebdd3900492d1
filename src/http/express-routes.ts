import { kBehind, type Layer, MOUNTED, routerIn } from './express-routers.js'

/** What a router answers by itself, as far as it can be seen. */
export interface ExpressRoute {
  /** `GET`; `*` for all. */
  readonly methods: readonly string[]
  /** As written, prefixes included; `null` where Express does not keep it, or it is no text. */
  readonly path: string | null
}

/** Whether a middleware, of which `listRoutes` has come to know, is not to be looked into. */
export type Leave = (middleware: object) => boolean

/**
 * Lists the routes of a router, or of an Express application, with those of routers in it. A handler of two parameters that stands
 * in `use` counts, because it has no way on; any other middleware does not.
 */
export function listRoutes(middleware: unknown, leave: Leave = () => false): ExpressRoute[] {
  return routesIn(middleware, '', leave)
}

type Prefix = string | null

function routesIn(middleware: unknown, prefix: Prefix, leave: Leave): ExpressRoute[] {
  if (typeof middleware !== 'function' || leave(middleware)) return []
  const { [kBehind]: behind } = middleware as { [kBehind]?: unknown }
  if (behind !== undefined) return routesIn(behind, prefix, leave)
  const router = routerIn(middleware)
  return router === undefined
    ? []
    : router.stack.flatMap((layer) => routesOfLayer(layer, prefix, leave))
}

function routesOfLayer(layer: Layer, prefix: Prefix, leave: Leave): ExpressRoute[] {
  const { route, handle } = layer
  if (route !== undefined && typeof route === 'object') {
    const methods = Object.keys(route.methods).map(methodOf)
    return pathsOf(route.path).map((path) => ({ methods, path: joined(prefix, path) }))
  }
  const places = prefixesOf(layer).map((path) => joined(prefix, path))
  // The routes of an application that stands in another cannot be seen.
  if (layer.name === MOUNTED || isLast(handle)) {
    return leave(handle)
      ? []
      : places.map((path) => ({ methods: ['*'], path: path === '' ? '/' : path }))
  }
  return places.flatMap((path) => routesIn(handle, path, leave))
}

/** Whether a handler has no way to pass a request on. One without parameters may take them as `...all`, or by `arguments`. */
function isLast(handle: Layer['handle']): boolean {
  if (typeof handle !== 'function' || routerIn(handle) !== undefined) return false
  return handle.length === 1 || handle.length === 2
}

/** Express 5 keeps what `use` was given from 5.2 on; that it was nothing, all versions keep. */
function prefixesOf(layer: Layer): Prefix[] {
  const { rawPath, slash, regexp } = layer as Layer & {
    readonly slash?: boolean
    readonly regexp?: { readonly fast_slash?: boolean }
  }
  return slash === true || regexp?.fast_slash === true ? [''] : pathsOf(rawPath)
}

function pathsOf(path: unknown): Prefix[] {
  if (Array.isArray(path)) return path.flat(Number.POSITIVE_INFINITY).flatMap(pathsOf)
  return [typeof path === 'string' ? path : null]
}

function joined(prefix: Prefix, path: Prefix): Prefix {
  return prefix === null || path === null ? null : `${prefix.replace(/\/$/, '')}${path}`
}

function methodOf(name: string): string {
  return name === '_all' ? '*' : name.toUpperCase()
}
