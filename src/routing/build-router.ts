import findMyWay, { type HTTPMethod, type HTTPVersion, type Instance } from 'find-my-way'
import type { AppModel, RouteModel } from '../contracts/route-model.js'

/** Longest path parameter, in characters. */
const MAX_PARAM_LENGTH = 1024

/** What `@All` answers; others, TRACE above all, stay 405 unless they are declared. */
const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** The router's answer to a method and a URL. */
export type Match =
  | { readonly kind: 'route'; readonly index: number; readonly params: Record<string, string> }
  /** No path of ours. */
  | { readonly kind: 'none' }
  /** A path of ours, but not with this method. */
  | { readonly kind: 'method'; readonly allow: readonly string[] }
  /** A path that cannot be decoded. */
  | { readonly kind: 'malformed' }

/** Finds the route of a request. The only code in the framework that compares paths. */
export type Router = (method: string, url: string) => Match

type Tree = Instance<HTTPVersion.V1>

/** What the tree keeps of a route. */
interface Entry {
  readonly index: number
  /** Name of the path's wildcard; `null` without. */
  readonly wildcard: string | null
}

/**
 * Builds the radix tree. As in Express, case and a trailing slash do not count and parameters are
 * decoded once; unlike there, a static segment beats a parameter whatever the order of declaration.
 */
export function buildRouter({ routes }: AppModel): Router {
  const tree = findMyWay({
    caseSensitive: false,
    ignoreTrailingSlash: true,
    maxParamLength: MAX_PARAM_LENGTH,
    onBadUrl: unreachable,
    // The query string is parsed when somebody asks for it.
    querystringParser: String,
  })
  for (const [method, route] of declarations(routes, tree)) {
    tree.on(method, route.path.replace(/\*\w+$/, '*'), unreachable, entryOf(route))
  }
  return function match(method, url) {
    const found = tree.find(method as HTTPMethod, url)
    if (found === null) return explainMiss(tree, method, url)
    // find-my-way answers a URL that does not decode with a handler of its own, which has no store.
    if (found.store === null) return { kind: 'malformed' }
    const { index, wildcard } = found.store as Entry
    const params = found.params as Record<string, string>
    if (wildcard !== null) nameWildcard(params, wildcard)
    return { kind: 'route', index, params }
  }
}

function entryOf({ index, path, pathParameters }: RouteModel): Entry {
  return { index, wildcard: path.includes('*') ? (pathParameters.at(-1) as string) : null }
}

/** Declared methods first, then what they imply: `HEAD` of a `GET`, and the rest of an `@All`. */
function* declarations(
  routes: readonly RouteModel[],
  tree: Tree,
): Generator<[HTTPMethod, RouteModel]> {
  const isFree = (method: HTTPMethod, { path }: RouteModel) =>
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
function explainMiss(tree: Tree, method: string, url: string): Match {
  const allow: string[] = []
  for (const candidate of ALL_METHODS) {
    const found = tree.find(candidate, url)
    if (found !== null && found.store === null) return { kind: 'malformed' }
    if (found !== null) allow.push(candidate)
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

/** find-my-way calls every wildcard `*`; a path calls it by name. */
function nameWildcard(params: Record<string, string>, name: string): void {
  params[name] = params['*'] as string
  delete params['*']
}

function unreachable(): never {
  throw new Error('The router is only asked to find, never to call.')
}
