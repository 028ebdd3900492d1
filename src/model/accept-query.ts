import { METHODS } from 'node:http'
import type { RouteModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'

/**
 * Matches a media range that can be written as a structured field token (RFC 9651, 3.3.4). Other media ranges are
 * written as strings.
 */
const TOKEN = /^[A-Za-z*][\w!#$%&'*+.^`|~:/-]*$/

/** Returns the media types that a `QUERY` route accepts, as the value of `Accept-Query` (RFC 10008). */
export function acceptQuery({ bodies }: Pick<RouteModel, 'bodies'>): string {
  const types = bodies?.flatMap(({ contentTypes }) => contentTypes) ?? ['application/json']
  return types.map((type) => (TOKEN.test(type) ? type : JSON.stringify(type))).join(', ')
}

/** Checks whether Node's parser accepts the method of a `QUERY` route. */
export function checkQueryMethod({ method, name }: RouteModel): Problem[] {
  if (method !== 'QUERY' || METHODS.includes(method)) return []
  return [
    {
      code: 'E_QUERY_METHOD',
      subject: name,
      cause: `The HTTP parser of Node ${process.versions.node} does not support the method QUERY.`,
      remedy: 'Run Node 20 from 20.19.2 on, or Node 22 or later; or use @Post.',
    },
  ]
}
