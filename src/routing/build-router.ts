import type { IncomingHttpHeaders } from 'node:http'
import findMyWay, { type HTTPMethod as TreeMethod } from 'find-my-way'
import type { RouteMatch, RouteModel } from '../contracts/route-model.js'
import { isLiteral, literalOf, type PathSegment, parsePath, pathShape } from '../model/paths.js'
import {
  ALL_METHODS,
  explainMiss,
  type Find,
  type HTTPMethod,
  methodsOf,
  WHOLE_SERVER,
} from './path-methods.js'
import {
  byPrecedence,
  createPattern,
  type FindPattern,
  indexPatterns,
  MAX_PARAM_LENGTH,
  type Matched,
  matchFirst,
  overlap,
  type PathPattern,
} from './path-patterns.js'

/** The fields of a route that the router needs. */
export type Routable = Pick<RouteModel, 'index' | 'method' | 'path'>

/**
 * Finds the route for a request. No other part of the framework compares paths.
 *
 * @param headers The headers, which can specify an API version. Default: none.
 */
export type Router = (method: string, url: string, headers?: IncomingHttpHeaders) => RouteMatch

/** Finds the route for a request; `null` if there is none. */
export type Finder = (method: string, url: string) => Extract<RouteMatch, { kind: 'route' }> | null

/**
 * Builds the router. As in Express, paths are case-insensitive, a trailing slash is ignored, and parameters are decoded
 * once. Unlike in Express, a static segment takes precedence over a parameter, regardless of the order of declaration.
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
 * Builds a router for a few routes that most requests do not match. This router does not explain why a request has no
 * route, because an explanation takes several lookups.
 */
export function buildFinder(routes: readonly Routable[]): Finder {
  const find = buildFind(routes)
  return function findRoute(method, url) {
    const match = find(method as HTTPMethod, url)
    return match?.kind === 'route' ? match : null
  }
}

/** A route with its parsed path. */
interface ReadRoute extends Routable {
  /** The path in the syntax of find-my-way; `null` if find-my-way's tree cannot represent the route. */
  readonly treePath: string | null
  readonly hasParameters: boolean
  readonly wildcard: string | null
  /** The patterns that can match the same paths and have priority over the route, in order. */
  readonly rivals: readonly PathPattern[]
}

type ByMethod<T> = ReadonlyMap<HTTPMethod, T>

/**
 * Adds all routes whose segments are literals, parameters or wildcards to the radix tree of find-my-way. Paths with
 * segments that mix literals and parameters become patterns: the tree cannot have two mixed segments at the same
 * position, and it compares their literals after decoding.
 */
function buildFind(routes: readonly Routable[]): Find {
  const hasHeads = routes.some(({ method }) => method === 'HEAD' || method === 'ALL')
  const byMethod = routesByMethod(routes.map(readRoute), hasHeads)
  const findPath = buildFindPath(byMethod)
  // A `HEAD` request runs the `GET` route of its path. Without `@Head` and `@All` routes, `HEAD` is looked up as `GET`,
  // because a second set of equal branches for `HEAD` would take a third of the time to build the tree.
  const find: Find = hasHeads
    ? findPath
    : (method, url) => findPath(method === 'HEAD' ? 'GET' : method, url)
  // find-my-way assumes that the first character of a URL is a slash, and skips it. `OPTIONS *` can match a route for
  // this reason. Only in this case is `*` checked separately.
  return find('OPTIONS', WHOLE_SERVER) === null
    ? find
    : (method, url) => (url === WHOLE_SERVER ? null : find(method, url))
}

/**
 * Lists the declared methods of all routes first, then the implied methods: `HEAD` for a `GET` route, and the remaining
 * methods for an `@All` route.
 */
function routesByMethod(
  routes: readonly ReadRoute[],
  hasHeads: boolean,
): ByMethod<readonly ReadRoute[]> {
  const byMethod = new Map<HTTPMethod, ReadRoute[]>()
  const add = (method: HTTPMethod, route: ReadRoute) => {
    const same = byMethod.get(method)
    if (same === undefined) byMethod.set(method, [route])
    else same.push(route)
  }
  for (const route of routes) if (route.method !== 'ALL') add(route.method, route)
  if (!hasHeads) return byMethod
  const nameOf = (method: string, { path }: Routable) => `${method} ${pathShape(path)}`
  const taken = new Set(routes.map((route) => nameOf(route.method, route)))
  const addFree = (method: HTTPMethod, route: ReadRoute) => {
    const name = nameOf(method, route)
    if (!taken.has(name)) add(method, route)
    taken.add(name)
  }
  for (const route of routes) if (route.method === 'GET') addFree('HEAD', route)
  for (const route of routes) {
    if (route.method === 'ALL') for (const method of ALL_METHODS) addFree(method, route)
  }
  return byMethod
}

function buildFindPath(byMethod: ByMethod<readonly ReadRoute[]>): Find {
  const tree = findMyWay({
    caseSensitive: false,
    ignoreTrailingSlash: true,
    maxParamLength: MAX_PARAM_LENGTH,
    onBadUrl: unreachable,
    // The router does not parse the query string. It is parsed when the handler first reads it.
    querystringParser: String,
  })
  const mixed = new Map<HTTPMethod, FindPattern>()
  for (const [method, routes] of byMethod) {
    const patterns = routes.filter(({ treePath }) => treePath === null).map(createPattern)
    patterns.sort(byPrecedence)
    if (patterns.length > 0) mixed.set(method, indexPatterns(patterns))
    for (const route of routes) {
      const { treePath } = route
      if (treePath !== null)
        tree.on(method as TreeMethod, treePath, unreachable, withRivals(route, patterns))
    }
  }
  const patternsOf = allPatterns(byMethod)
  return function findPath(method, url) {
    const found = tree.find(method as TreeMethod, url)
    if (found === null) {
      if (mixed.size === 0 && !grows(url)) return null
      return (grows(url) ? patternsOf(method) : mixed.get(method))?.(url) ?? null
    }
    // For a URL that cannot be decoded, find-my-way returns its `onBadUrl` handler, which has no store.
    if (found.store === null) return MALFORMED
    const { index, hasParameters, wildcard, rivals } = found.store as ReadRoute
    const params = found.params as Record<string, string>
    if (hasParameters) {
      const rival = rivals.length === 0 ? null : matchFirst(rivals, url)
      if (rival !== null) return rival
      const flaw = flawOf(params)
      if (flaw === 'malformed') return MALFORMED
      if (flaw === 'empty' || (wildcard !== null && grows(url))) {
        return patternsOf(method)?.(url) ?? null
      }
      if (wildcard !== null) nameWildcard(params, wildcard)
    }
    return { kind: 'route', index, params }
  }
}

const MALFORMED: Matched = { kind: 'malformed' }

/** Whether a path contains `İ`, which is longer in lower case. find-my-way relies on equal lengths. */
function grows(url: string): boolean {
  return url.includes('%') && /%c4%b0/i.test(url)
}

/**
 * Returns routes as patterns, for URLs that the tree matches incorrectly. The patterns are created when the first such
 * URL is looked up.
 */
function allPatterns(
  byMethod: ByMethod<readonly ReadRoute[]>,
): (method: HTTPMethod) => FindPattern | undefined {
  const created = new Map<HTTPMethod, FindPattern>()
  return (method) => {
    const routes = byMethod.get(method)
    if (routes === undefined || created.has(method)) return created.get(method)
    // The tree matches paths without parameters correctly.
    const misread = routes.filter((route) => route.hasParameters || route.treePath === null)
    const find = indexPatterns(misread.map(createPattern))
    created.set(method, find)
    return find
  }
}

const NO_RIVALS: readonly PathPattern[] = []

function readRoute({ index, method, path }: Routable): ReadRoute {
  const segments = isLiteral(path) ? null : parsePath(path)
  const parts = segments?.flat() ?? []
  const wildcard = parts.find(({ kind }) => kind === 'wildcard')
  return {
    index,
    method,
    path,
    treePath: segments === null ? treeLiteral(path) : toTreePath(segments),
    hasParameters: parts.some(({ kind }) => kind !== 'literal'),
    wildcard: wildcard?.kind === 'wildcard' ? wildcard.name : null,
    rivals: NO_RIVALS,
  }
}

function toTreePath(segments: readonly PathSegment[]): string | null {
  const texts = segments.map(treeSegment)
  return texts.includes(null) ? null : texts.join('/')
}

/**
 * Returns a segment in find-my-way's syntax, which has no names for wildcards; `null` if the tree cannot represent it.
 */
function treeSegment(segment: PathSegment): string | null {
  const literal = literalOf(segment)
  if (literal !== null) return treeLiteral(literal)
  const [part] = segment
  if (segment.length > 1 || part === undefined || part.kind === 'literal') return null
  return part.kind === 'wildcard' ? '*' : `:${part.name}`
}

/**
 * Returns a literal as a tree segment. Returns `null` if it contains `*`, a character that URLs always encode, or `İ`
 * (see {@link grows}).
 */
function treeLiteral(literal: string): string | null {
  return /[*%?#\u0130]/.test(literal) ? null : literal.replaceAll(':', '::')
}

function withRivals(route: ReadRoute, patterns: readonly PathPattern[]): ReadRoute {
  if (patterns.length === 0 || !route.hasParameters) return route
  const own = createPattern(route)
  const isRival = (other: PathPattern) => byPrecedence(other, own) < 0 && overlap(other, own)
  return { ...route, rivals: patterns.filter(isRival) }
}

/**
 * Returns the error in the parameters; `null` if there is none. As in Express, a parameter must not be empty: the
 * handler of `DELETE /users/:id` must not run for `/users//` with the ID `''`. A parameter must also not contain a zero
 * byte, because it causes errors in databases and file systems.
 */
function flawOf(params: Readonly<Record<string, string>>): 'empty' | 'malformed' | null {
  for (const name in params) {
    const value = params[name] as string
    if (value === '' && name !== '*') return 'empty'
    if (value.includes('\0')) return 'malformed'
  }
  return null
}

/** Renames the wildcard, because find-my-way names every wildcard `*`, but the handler uses the declared name. */
function nameWildcard(params: Record<string, string>, name: string): void {
  params[name] = params['*'] as string
  delete params['*']
}

function unreachable(): never {
  throw new Error('The router only looks up routes. It never calls their handlers.')
}
