import type { OutgoingHttpHeaders } from 'node:http'
import type { BlazonRequest } from '../../http/request.js'
import { membersOf } from './header-list.js'
import { headersReadBy } from './request-key.js'

/**
 * Headers by which middlewares vary what they add to each answer anew: its origin for CORS, its coding. The body that is kept is the
 * same for all of them.
 */
const OF_EACH_ANSWER = [
  'origin',
  'accept-encoding',
  'access-control-request-method',
  'access-control-request-headers',
]

/** The `Vary` of an answer, by who has said it. */
export interface Varying {
  /** What the handler has added itself, which is kept with its answer. */
  readonly own: readonly string[]
  /** All that the answer as it is kept depends on. */
  readonly names: readonly string[]
}

/** Where `Vary` may stand. */
export interface VaryPlaces {
  /** Before the handler. */
  readonly before: OutgoingHttpHeaders
  /** As the handler has ended the answer. */
  readonly answered: OutgoingHttpHeaders
  /** After that. */
  readonly later: readonly OutgoingHttpHeaders[]
}

/** Which headers an answer depends on, whoever says so. */
export function varyingOf({ before, answered, later }: VaryPlaces): Varying {
  const earlier = membersOf(before['vary']).map((name) => name.toLowerCase())
  const own = membersOf(answered['vary']).filter((name) => !earlier.includes(name.toLowerCase()))
  const others = [before, ...later]
    .flatMap(({ vary }) => membersOf(vary))
    .filter((name) => !OF_EACH_ANSWER.includes(name.toLowerCase()))
  const byName = new Map([...others, ...own].map((name) => [name.toLowerCase(), name]))
  return { own, names: [...byName.values()] }
}

/** Those of these headers that a key does not look at. `*` is none that it could. */
export function unkeyedOf(
  names: readonly string[],
  req: BlazonRequest,
  key: ((req: BlazonRequest) => unknown) | undefined,
): readonly string[] {
  if (names.length === 0 || key === undefined) return names
  const known = headersReadBy(key, req)
  return names.filter((name) => !known.has(name.toLowerCase()))
}
