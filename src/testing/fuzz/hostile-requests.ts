import type { CaseSource } from './case-source.js'
import {
  HOSTILE_BODIES,
  HOSTILE_FORMS,
  HOSTILE_HEADERS,
  HOSTILE_QUERIES,
  HOSTILE_SEGMENTS,
  HOSTILE_TEXTS,
} from './hostile-values.js'
import { choose } from './random.js'
import type { RequestParts, WireRequest, WrongRequest } from './wire-request.js'

/** The random choices for a hostile request. */
export interface HostileChoice {
  readonly place: number
  readonly value: number
  /** A random string, used in addition to the fixed strings. */
  readonly text: string
}

/** A place for hostile values, and the values to use there. */
interface HostileSlot {
  readonly name: string
  readonly values: readonly string[]
  readonly put: (value: string) => WireRequest
}

/** Headers that applications often read without documenting them. */
const HEADERS = ['x-request-id', 'accept', 'accept-language', 'origin', 'if-none-match', 'cookie']

/** Creates a valid request with one hostile value in it. */
export function hostileRequest(
  source: CaseSource,
  parts: RequestParts,
  { place: placeSeed, value: valueSeed, text }: HostileChoice,
): WrongRequest {
  const places = placesOf(source, parts, text)
  // The list is never empty, because it always contains queries and headers.
  const place = choose(places, ({ name }) => name, placeSeed) as HostileSlot
  const value = choose(place.values, (each) => each, valueSeed) as string
  const shown = value.length > 60 ? `${value.slice(0, 60)}…` : value
  return { what: `${place.name}: ${JSON.stringify(shown)}`, request: place.put(value) }
}

function placesOf(
  { documented, write, body: type }: CaseSource,
  parts: RequestParts,
  text: string,
): HostileSlot[] {
  const { parameters = [], requestBody } = documented.operation
  const texts = [...HOSTILE_TEXTS, text]
  const own = parameters.map(({ in: where, name }): HostileSlot => {
    const put = (value: string) => write(parts, { [where]: { [name]: value } })
    const values = { path: HOSTILE_SEGMENTS, query: texts, header: HOSTILE_HEADERS, cookie: texts }[
      where
    ]
    return { name: `${where} ${name}`, values, put }
  })
  const queries: HostileSlot = {
    name: 'query',
    values: HOSTILE_QUERIES,
    put: (more) => write(parts, { more }),
  }
  const header: HostileSlot = {
    name: 'header',
    values: HEADERS.flatMap((name) => HOSTILE_HEADERS.map((value) => `${name}: ${value}`)),
    put(line) {
      const request = write(parts)
      const [name = ''] = line.split(': ', 1)
      const value = line.slice(name.length + 2)
      return { ...request, headers: { ...request.headers, [name]: value } }
    },
  }
  if (requestBody === undefined) return [...own, queries, header]
  const isUpload = type?.kind === 'upload'
  const body: HostileSlot = {
    name: 'body',
    values: isUpload ? HOSTILE_FORMS : HOSTILE_BODIES,
    put: (value) => write(parts, { body: isUpload ? Buffer.from(value, 'latin1') : value }),
  }
  const leaves = textPathsOf(parts.body).map((path): HostileSlot => {
    const put = (value: string) => write({ ...parts, body: replaced(parts.body, path, value) })
    return { name: `body ${path.join('.')}`, values: texts, put }
  })
  return [...own, queries, header, body, ...leaves]
}

/** Lists the paths of all strings in a value. */
function textPathsOf(value: unknown): string[][] {
  if (typeof value === 'string') return [[]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) =>
    textPathsOf(child).map((path) => [key, ...path]),
  )
}

function replaced(value: unknown, [key, ...rest]: readonly string[], text: string): unknown {
  if (key === undefined) return text
  const child = (value as Record<string, unknown>)[key]
  if (Array.isArray(value)) {
    return value.map((item, n) => (n === Number(key) ? replaced(child, rest, text) : item))
  }
  return { ...(value as object), [key]: replaced(child, rest, text) }
}
