import type { SchemaConverters } from '../../contracts/openapi.js'
import type { References } from '../dialect/references.js'
import { findDifference } from './find-difference.js'
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
