import findMyWay, {
  type FindResult,
  type HTTPMethod,
  type HTTPVersion,
  type Instance,
} from 'find-my-way'
import type { RouteMatch, RouteModel } from '../contracts/route-model.js'

/** Longest path parameter, in characters. */
const MAX_PARAM_LENGTH = 1024

/** What `@All` answers; others, TRACE above all, stay 405 unless they are declared. */
const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** Finds the route of a request. The only code in the framework that compares paths. */
export type Router = (method: string, url: string) => RouteMatch

type Tree = Instance<HTTPVersion.V1>

/** What the router must know of a route. */
export type Routable = Pick<RouteModel, 'index' | 'method' | 'path' | 'pathParameters'>

/**
 * Builds the radix tree. As in Express, case and a trailing slash do not count and parameters are
 * decoded once; unlike there, a static segment beats a parameter whatever the order of declaration.
 */
export function buildRouter(routes: readonly Routable[]): Router {
  const tree = findMyWay({
    caseSensitive: false,
    ignoreTrailingSlash: true,
    maxParamLength: MAX_PARAM_LENGTH,
    onBadUrl: unreachable,
    // The query string is parsed when somebody asks for it.
    querystringParser: String,
  })
  for (const [method, route] of declarations(routes, tree)) {
    tree.on(method, route.path.replace(/\*\w+$/, '*'), unreachable, route)
  }
  return function match(method, url) {
    const found = tree.find(method as HTTPMethod, url)
    return found === null ? explainMiss(tree, method, url) : toMatch(found)
  }
}

function toMatch(found: FindResult<HTTPVersion.V1>): RouteMatch {
  // find-my-way answers a URL that does not decode with a handler of its own, which has no store.
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

/** Declared methods first, then what they imply: `HEAD` of a `GET`, and the rest of an `@All`. */
function* declarations(routes: readonly Routable[], tree: Tree): Generator<[HTTPMethod, Routable]> {
  const isFree = (method: HTTPMethod, { path }: Routable) =>
    tree.findRoute(method, path.replace(/\*\w+$/, '*')) === null
  for (const route of routes) if (route.method !== 'ALL') yield [route.method, route]
  for (const route of routes) {
    if (route.method === 'GET' && isFree('HEAD', route)) yield ['HEAD', route]
  }
  for (const route of routes.filter(({ method }) => method === 'ALL')) {
    for (const method of ALL_METHODS) if (isFree(method, route)) yield [method, route]
  }
}

/** Only ever runs for requests that have no route, so it may ask for every method in turn. */
function explainMiss(tree: Tree, method: string, url: string): RouteMatch {
  const allow: string[] = []
  for (const candidate of ALL_METHODS) {
    const found = tree.find(candidate, url)
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
  try {
    decodeURI(url.split('?', 1)[0] as string)
    return true
  } catch {
    return false
  }
}

/**
 * A parameter is never empty, as in Express: `DELETE /users//` must not delete what `''` stands for.
 * Nor does it hold a zero byte, which nothing is named with, and which databases and file systems choke on.
 */
function flawOf(params: Readonly<Record<string, string>>): 'none' | 'malformed' | null {
  for (const name in params) {
    const value = params[name] as string
    if (value === '' && name !== '*') return 'none'
    if (value.includes('\0')) return 'malformed'
  }
  return null
}

/** find-my-way calls every wildcard `*`; a path calls it by name. */
function nameWildcard(params: Record<string, string>, names: readonly string[]): void {
  params[names.at(-1) as string] = params['*'] as string
  delete params['*']
}

function unreachable(): never {
  throw new Error('The router is only asked to find, never to call.')
}
