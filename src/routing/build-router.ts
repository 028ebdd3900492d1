import findMyWay, {
  type FindResult,
  type HTTPMethod,
  type HTTPVersion,
  type Instance,
} from 'find-my-way'
import type { RouteMatch, RouteModel } from '../contracts/route-model.js'

/** The longest path parameter, in characters. */
const MAX_PARAM_LENGTH = 1024

/**
 * The methods of an `@All` route. All other methods, most importantly TRACE, get 405 unless a route declares
 * them.
 */
const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** Finds the route of a request. No other code in the framework compares paths. */
export type Router = (method: string, url: string) => RouteMatch

/** Finds the route of a request; `null` if it has none. */
export type Finder = (method: string, url: string) => Extract<RouteMatch, { kind: 'route' }> | null

type Tree = Instance<HTTPVersion.V1>

/** The fields of a route that the router needs. */
export type Routable = Pick<RouteModel, 'index' | 'method' | 'path' | 'pathParameters'>

/**
 * Builds the radix tree. As in Express, paths ignore case and a trailing slash, and parameters are decoded
 * once. Unlike in Express, a static segment takes precedence over a parameter, in any order of declaration.
 */
export function buildRouter(routes: readonly Routable[]): Router {
  const find = buildFind(routes)
  return function match(method, url) {
    const found = find(method as HTTPMethod, url)
    if (found !== null) return toMatch(found)
    return url === WHOLE_SERVER
      ? { kind: 'method', allow: methodsOf(routes) }
      : explainMiss(find, method, url)
  }
}

/**
 * Builds the same tree for a few routes that most requests do not have. It does not explain why a request has no route,
 * because that takes several lookups.
 */
export function buildFinder(routes: readonly Routable[]): Finder {
  const find = buildFind(routes)
  return function findRoute(method, url) {
    const found = find(method as HTTPMethod, url)
    const match = found === null ? null : toMatch(found)
    return match?.kind === 'route' ? match : null
  }
}

function buildFind(routes: readonly Routable[]): Find {
  const tree = findMyWay({
    caseSensitive: false,
    ignoreTrailingSlash: true,
    maxParamLength: MAX_PARAM_LENGTH,
    onBadUrl: unreachable,
    // The request parses the query string when the handler first reads it.
    querystringParser: String,
  })
  const hasHeads = routes.some(({ method }) => method === 'HEAD' || method === 'ALL')
  declare(routes, tree, hasHeads)
  // A `HEAD` request runs the `GET` route of its path. Without `@Head` and `@All` routes, `HEAD` is looked up
  // as `GET`. A second set of equal branches for `HEAD` would cost a third of the time to build the tree.
  const findPath: Find = hasHeads
    ? (method, url) => tree.find(method, url)
    : (method, url) => tree.find(method === 'HEAD' ? 'GET' : method, url)
  // find-my-way skips the first character of a URL, because it takes it for a slash. The extra check for `*`
  // is needed only if that would lead `OPTIONS *` to a route.
  return findPath('OPTIONS', WHOLE_SERVER) === null
    ? findPath
    : (method, url) => (url === WHOLE_SERVER ? null : findPath(method, url))
}

/** The request target of `OPTIONS *`, which means the whole server and no path (RFC 9110, section 7.1). */
const WHOLE_SERVER = '*'

/**
 * Returns the `Allow` header of `OPTIONS *`: every method that some path allows, `HEAD` with `GET`, and
 * `OPTIONS`.
 */
function methodsOf(routes: readonly Routable[]): string[] {
  const declared = new Set(routes.map(({ method }) => method))
  return ALL_METHODS.filter((method) => {
    const isImplied = method === 'OPTIONS' || (method === 'HEAD' && declared.has('GET'))
    return isImplied || declared.has(method) || declared.has('ALL')
  })
}

type Find = (method: HTTPMethod, url: string) => FindResult<HTTPVersion.V1> | null

function toMatch(found: FindResult<HTTPVersion.V1>): RouteMatch {
  // For a URL that does not decode, find-my-way returns its `onBadUrl` handler, which has no store.
  if (found.store === null) return { kind: 'malformed' }
  const { index, path, pathParameters } = found.store as Routable
  const params = found.params as Record<string, string>
  if (pathParameters.length > 0) {
    const flaw = flawOf(params)
    if (flaw !== null) return { kind: flaw }
    if (path.includes('*')) nameWildcard(params, pathParameters)
  }
  return { kind: 'route', index, params }
}

/**
 * Declares the methods of all routes first. Then it declares the methods that routes imply: `HEAD` for a
 * `GET`, and the remaining methods of an `@All`.
 */
function declare(routes: readonly Routable[], tree: Tree, hasHeads: boolean): void {
  const declareAs = (method: HTTPMethod, route: Routable) =>
    tree.on(method, patternOf(route), unreachable, route)
  const isFree = (method: HTTPMethod, route: Routable) =>
    tree.findRoute(method, patternOf(route)) === null
  for (const route of routes) if (route.method !== 'ALL') declareAs(route.method, route)
  if (!hasHeads) return
  for (const route of routes) {
    if (route.method === 'GET' && isFree('HEAD', route)) declareAs('HEAD', route)
  }
  for (const route of routes.filter(({ method }) => method === 'ALL')) {
    for (const method of ALL_METHODS) if (isFree(method, route)) declareAs(method, route)
  }
}

/** find-my-way does not support named wildcards. */
function patternOf({ path }: Routable): string {
  return path.includes('*') ? path.replace(/\*\w+$/, '*') : path
}

/**
 * Explains why a request has no route, and collects the methods of its path for `Allow`. It looks up every
 * method in turn, but only requests without a route take that time.
 */
function explainMiss(find: Find, method: string, url: string): RouteMatch {
  const allow: string[] = []
  for (const candidate of ALL_METHODS) {
    const found = find(candidate, url)
    if (found === null) continue
    const { kind } = toMatch(found)
    if (kind === 'malformed') return { kind }
    if (kind === 'route') allow.push(candidate)
  }
  if (allow.length === 0) return isDecodable(url) ? { kind: 'none' } : { kind: 'malformed' }
  if (!allow.includes('OPTIONS')) allow.push('OPTIONS')
  return {
    kind: 'method',
    allow: allow.filter((allowed) => allowed !== method || method === 'OPTIONS'),
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

/**
 * Returns the error of a path parameter. It must not be empty, as in Express: the handler of
 * `DELETE /users/:id` must not run for `/users//` with the id `''`. It must not contain a zero byte: no
 * resource is named with one, and databases and file systems fail on it.
 */
function flawOf(params: Readonly<Record<string, string>>): 'none' | 'malformed' | null {
  for (const name in params) {
    const value = params[name] as string
    if (value === '' && name !== '*') return 'none'
    if (value.includes('\0')) return 'malformed'
  }
  return null
}

/** find-my-way names every wildcard `*`; the handler reads it by its own name. */
function nameWildcard(params: Record<string, string>, names: readonly string[]): void {
  params[names.at(-1) as string] = params['*'] as string
  delete params['*']
}

function unreachable(): never {
  throw new Error('The router only looks up routes. It never calls their handlers.')
}
