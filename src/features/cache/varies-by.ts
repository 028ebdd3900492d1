import type { OutgoingHttpHeaders } from 'node:http'
import type { Request } from '../../contracts/handler.js'
import { membersOf } from './header-list.js'
import { headersReadBy } from './request-key.js'

/**
 * Request headers by which middlewares vary the headers or the coding that they add to each response: the
 * origin for CORS, the accepted codings. The stored body does not depend on them.
 */
const OF_EACH_RESPONSE = [
  'origin',
  'accept-encoding',
  'access-control-request-method',
  'access-control-request-headers',
]

/** The `Vary` of a response, by its source. */
export interface Varying {
  /** The names that the handler itself has added, which are stored with the response. */
  readonly own: readonly string[]
  /** All names that the stored response depends on. */
  readonly names: readonly string[]
}

/** The headers that may contain `Vary`, at three moments. */
export interface VaryPlaces {
  /** Before the handler. */
  readonly before: OutgoingHttpHeaders
  /** At the moment when the handler ended the response. */
  readonly ended: OutgoingHttpHeaders
  /** After that. */
  readonly later: readonly OutgoingHttpHeaders[]
}

/**
 * Reads `Vary` of the response at the three moments. Names in `OF_EACH_RESPONSE` are left out, unless the
 * handler itself has added them.
 */
export function varyingOf({ before, ended, later }: VaryPlaces): Varying {
  const earlier = membersOf(before['vary']).map((name) => name.toLowerCase())
  const own = membersOf(ended['vary']).filter((name) => !earlier.includes(name.toLowerCase()))
  const others = [before, ...later]
    .flatMap(({ vary }) => membersOf(vary))
    .filter((name) => !OF_EACH_RESPONSE.includes(name.toLowerCase()))
  const byName = new Map([...others, ...own].map((name) => [name.toLowerCase(), name]))
  return { own, names: [...byName.values()] }
}

/**
 * Returns the names that the key function does not read; all names when the route has no key function. No key
 * function reads `*`.
 */
export function unkeyedOf(
  names: readonly string[],
  req: Request,
  key: ((req: Request) => unknown) | undefined,
): readonly string[] {
  if (names.length === 0 || key === undefined) return names
  const known = headersReadBy(key, req)
  return names.filter((name) => !known.has(name.toLowerCase()))
}
