import type { IncomingHttpHeaders } from 'node:http'
import type { RouteMatch } from '../contracts/route-model.js'
import {
  ALL_METHODS,
  buildFind,
  type Find,
  type HTTPMethod,
  type Routable,
  WHOLE_SERVER,
} from './build-find.js'

export type { Routable } from './build-find.js'

/**
 * Finds the route of a request. No other code in the framework compares paths.
 *
 * @param headers The headers that may name a version of the API. Default: none.
 */
export type Router = (method: string, url: string, headers?: IncomingHttpHeaders) => RouteMatch

/** Finds the route of a request; `null` if it has none. */
export type Finder = (method: string, url: string) => Extract<RouteMatch, { kind: 'route' }> | null

/**
 * Builds the router. As in Express, paths ignore case and a trailing slash, and parameters are decoded once. Unlike in
 * Express, a static segment takes precedence over a parameter, in any order of declaration.
 */
export function buildRouter(routes: readonly Routable[]): Router {
  const find = buildFind(routes)
  return function match(method, url) {
    const found = find(method as HTTPMethod, url)
    if (found !== null) return found
    return url === WHOLE_SERVER
      ? { kind: 'method', allow: methodsOf(routes) }
      : explainMiss(find, method, url)
  }
}

/**
 * Builds the same for a few routes that most requests do not have. It does not explain why a request has no route,
 * because that takes several lookups.
 */
export function buildFinder(routes: readonly Routable[]): Finder {
  const find = buildFind(routes)
  return function findRoute(method, url) {
    const match = find(method as HTTPMethod, url)
    return match?.kind === 'route' ? match : null
  }
}

/**
 * Returns the `Allow` header of `OPTIONS *`: every method that some path allows, `HEAD` with `GET`, and
 * `OPTIONS`.
 */
function methodsOf(routes: readonly Routable[]): string[] {
  const declared = new Set<string>(routes.map(({ method }) => method))
  return ALL_METHODS.filter((method) => {
    const isImplied = method === 'OPTIONS' || (method === 'HEAD' && declared.has('GET'))
    return isImplied || declared.has(method) || declared.has('ALL')
  })
}

/**
 * Explains why a request has no route, and collects the methods of its path for `Allow`. It looks up every
 * method in turn, but only requests without a route take that time.
 */
function explainMiss(find: Find, method: string, url: string): RouteMatch {
  const allow: string[] = []
  let query: number | undefined
  for (const candidate of ALL_METHODS) {
    const found = find(candidate, url)
    if (found?.kind === 'malformed') return found
    if (found === null) continue
    allow.push(candidate)
    if (candidate === 'QUERY') query = found.index
  }
  if (allow.length === 0) return isDecodable(url) ? { kind: 'none' } : { kind: 'malformed' }
  if (!allow.includes('OPTIONS')) allow.push('OPTIONS')
  return {
    kind: 'method',
    allow: allow.filter((allowed) => allowed !== method || method === 'OPTIONS'),
    ...(query !== undefined && { query }),
  }
}

function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true
  try {
    decodeURI(url.split('?', 1)[0] as string)
    return true
  } catch {
    return false
  }
}
