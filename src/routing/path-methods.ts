import { METHODS } from 'node:http'
import type { HTTPMethod as TreeMethod } from 'find-my-way'
import type { RouteMatch, RouteModel } from '../contracts/route-model.js'
import type { Matched } from './path-patterns.js'

/**
 * The methods of an `@All` route. All other methods, most importantly TRACE, result in a 405 response unless a route
 * declares them. If Node's parser does not support `QUERY`, it refuses the method with a 400 response, so `Allow` does
 * not list it.
 */
export const ALL_METHODS: readonly HTTPMethod[] = (
  ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
).filter((method) => method !== 'QUERY' || METHODS.includes(method))

/** The methods that find-my-way supports. Its types do not include `QUERY` yet. */
export type HTTPMethod = TreeMethod | 'QUERY'

/** The request target of `OPTIONS *`, which means the whole server instead of a path (RFC 9110, section 7.1). */
export const WHOLE_SERVER = '*'

/** Finds the route for a request; `null` if there is none. */
export type Find = (method: HTTPMethod, url: string) => Matched | null

/**
 * Returns the `Allow` header for `OPTIONS *`: every method that at least one path allows, `HEAD` if there is a `GET`,
 * and `OPTIONS`.
 */
export function methodsOf(routes: readonly Pick<RouteModel, 'method'>[]): string[] {
  const declared = new Set<string>(routes.map(({ method }) => method))
  return ALL_METHODS.filter((method) => {
    const isImplied = method === 'OPTIONS' || (method === 'HEAD' && declared.has('GET'))
    return isImplied || declared.has(method) || declared.has('ALL')
  })
}

/**
 * Explains why a request has no route, and collects the methods of its path for `Allow`. This function looks up every
 * method in turn, but only for requests without a route.
 */
export function explainMiss(find: Find, method: string, url: string): RouteMatch {
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
