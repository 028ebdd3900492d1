import type { SchemaConverters } from '../../contracts/openapi.js'
import { isNode } from '../dialect/conversion.js'
import type { References } from '../dialect/references.js'
import { limitTo } from './limit-fields.js'
import { createMatcher, type Path } from './matcher.js'
import { createFormReader } from './read-form.js'
import { type BodiesRoute, isEnveloped, type MadeRows, mapResponses } from './response-bodies.js'
import { namesIn, showPath } from './show-path.js'
import { toPlain, UnsendableError } from './to-plain.js'

/** The result of a check: the body as plain data, or the difference to its schema, without any value of the body. */
export type CheckedBody = { readonly plain: unknown; readonly lie: null } | { readonly lie: string }

/** The functions for the bodies of one status. */
export interface BodyFields {
  /** Returns a copy of the body with the fields that the schema names. */
  readonly strip: (body: unknown) => unknown
  /** Compares the body with the schema. */
  readonly check: (body: unknown) => CheckedBody
}

/** The functions for the responses of one status. */
export interface ResponseFields extends BodyFields {
  /** For data that an envelope of the application's own will be around; `null` without such an envelope. */
  readonly wrapped: {
    /** For the data, before the envelope is around it. */
    readonly data: BodyFields
    /** For the whole body, whose data is limited already. */
    readonly body: BodyFields
  } | null
  /** For rows that come one by one; `null` if the document has no list of them. */
  readonly rows: MadeRows<BodyFields> | null
}

/** Compiles the documented responses of a route that have a schema, by status. */
export function compileResponseFields(
  route: BodiesRoute,
  converters: SchemaConverters,
): ReadonlyMap<number, ResponseFields> {
  const made = mapResponses(route, converters, { of: ofBody, either: ofData })
  return new Map([...made].map(([status, { body, ...rest }]) => [status, { ...body, ...rest }]))
}

/** A schema that describes the whole body. */
function ofBody(schema: unknown, resolve: References['resolve']): BodyFields {
  const { matches, findMismatch } = createMatcher(resolve)
  const limit = limitTo(createFormReader(resolve, matches)(schema))
  const names = namesIn(schema)
  return {
    // JSON has no `undefined`, and an empty body is not JSON.
    strip: (body) => limit(body, '') ?? (body === undefined ? undefined : null),
    check(body) {
      const plain = readPlain(body)
      if (plain instanceof UnsendableError) {
        const { kind, path } = plain
        return { lie: `it has ${kind}${at(path, names)}, which has no form in JSON` }
      }
      const wrong = findMismatch(schema, plain)
      if (wrong !== null) return { lie: `it does not match its schema${at(wrong, names)}` }
      const extra = findDifference(plain, limit(plain, ''))
      if (extra === null) return { plain, lie: null }
      const place = at(extra, new Set([...names, ...extra.slice(-1).map(String)]))
      return { lie: `it has a field that its schema does not name${place}` }
    },
  }
}

function readPlain(body: unknown): unknown {
  try {
    return toPlain(body)
  } catch (error) {
    if (error instanceof UnsendableError) return error
    throw error
  }
}

function at(path: Path, names: ReadonlySet<string>): string {
  return path.length === 0 ? '' : ` at '${showPath(path, names)}'`
}

/** A schema that describes the `data` of the envelope. Of a body without envelope, the fields of the data stay. */
function ofData(enveloped: BodyFields, bare: BodyFields): BodyFields {
  return {
    strip: (body) => (isEnveloped(body) ? enveloped : bare).strip(body),
    check: enveloped.check,
  }
}

/** Returns the path of the first part that JSON data has and its reduced copy lacks; `null` if there is none. */
function findDifference(plain: unknown, reduced: unknown): Path | null {
  if (Array.isArray(plain)) {
    if (!Array.isArray(reduced)) return []
    return firstOf(plain.keys(), (index) =>
      index < reduced.length ? inPart(index, plain[index], reduced[index]) : [index],
    )
  }
  if (!isNode(plain)) return null
  if (!isNode(reduced)) return []
  return firstOf(Object.keys(plain), (name) =>
    // A dropped part is `undefined`, in an object as in a list.
    reduced[name] === undefined ? [name] : inPart(name, plain[name], reduced[name]),
  )
}

function inPart(key: string | number, plain: unknown, reduced: unknown): Path | null {
  const path = findDifference(plain, reduced)
  return path === null ? null : [key, ...path]
}

function firstOf<T>(keys: Iterable<T>, find: (key: T) => Path | null): Path | null {
  for (const key of keys) {
    const path = find(key)
    if (path !== null) return path
  }
  return null
}
