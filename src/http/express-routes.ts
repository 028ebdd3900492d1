import { kWrappedRouter, type Layer, MOUNTED, routerIn } from './express-routers.js'

/** A route of an Express router, with the data that the router exposes. */
export interface ExpressRoute {
  /** HTTP methods such as `GET`; `*` for all methods. */
  readonly methods: readonly string[]
  /**
   * The path as declared, with the prefixes of its routers. `null` if Express does not store it or it is not a string.
   */
  readonly path: string | null
}

/** Decides whether {@link listRoutes} skips a middleware. */
export type Skip = (middleware: object) => boolean

/**
 * Lists the routes of a router or an Express application, including nested routers. A function with one or two
 * parameters in `use` counts as a route, because it cannot call `next`. A mounted application also counts as one route.
 * No other middleware counts.
 */
export function listRoutes(middleware: unknown, skip: Skip = () => false): ExpressRoute[] {
  return routesIn(middleware, '', skip)
}

type Prefix = string | null

function routesIn(middleware: unknown, prefix: Prefix, skip: Skip): ExpressRoute[] {
  if (typeof middleware !== 'function' || skip(middleware)) return []
  const { [kWrappedRouter]: wrapped } = middleware as { [kWrappedRouter]?: unknown }
  if (wrapped !== undefined) return routesIn(wrapped, prefix, skip)
  const router = routerIn(middleware)
  return router === undefined
    ? []
    : router.stack.flatMap((layer) => routesOfLayer(layer, prefix, skip))
}

function routesOfLayer(layer: Layer, prefix: Prefix, skip: Skip): ExpressRoute[] {
  const { route, handle } = layer
  if (route !== undefined && typeof route === 'object') {
    const methods = Object.keys(route.methods).map(methodOf)
    return pathsOf(route.path).map((path) => ({ methods, path: joined(prefix, path) }))
  }
  const places = prefixesOf(layer).map((path) => joined(prefix, path))
  // The routes of a mounted application are not accessible.
  if (layer.name === MOUNTED || isLast(handle)) {
    return skip(handle)
      ? []
      : places.map((path) => ({ methods: ['*'], path: path === '' ? '/' : path }))
  }
  return places.flatMap((path) => routesIn(handle, path, skip))
}

/**
 * Whether a handler cannot pass a request on. A handler without declared parameters could use `...all` or `arguments`.
 */
function isLast(handle: Layer['handle']): boolean {
  if (typeof handle !== 'function' || routerIn(handle) !== undefined) return false
  return handle.length === 1 || handle.length === 2
}

/** Express has stored the path of `use` since 5.2. All versions store whether `use` had a path. */
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
