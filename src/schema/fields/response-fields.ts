import type { SchemaConverters } from '../../contracts/openapi.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { EnvelopeFormat } from '../../contracts/wire-format.js'
import { isNode, type Node } from '../dialect/conversion.js'
import type { References } from '../dialect/references.js'
import { isBodiless, isEnvelope, isSentWithoutEnvelope, type Wire } from '../response-shape.js'
import { findDifference } from './find-difference.js'
import { limitTo } from './limit-fields.js'
import { createMatcher, type Path } from './matcher.js'
import { createFormReader } from './read-form.js'
import { type ReadSchema, readSchema } from './read-schema.js'
import { namesIn, showPath } from './show-path.js'
import { toPlain, UnsendableError } from './to-plain.js'

/** The result of a check: the body as plain data, or what differs from its schema, without any value of the body. */
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
}

/** Compiles the documented responses of a route that have a schema, by status. */
export function compileResponseFields(
  route: Wire & Pick<RouteModel, 'operation'>,
  converters: SchemaConverters,
): ReadonlyMap<number, ResponseFields> {
  const { envelope } = route
  const fields = new Map<number, ResponseFields>()
  for (const response of route.operation.responses) {
    const { status, schema } = response
    if (schema === undefined || isBodiless(status)) continue
    const read = readSchema(schema, converters)
    const { json, resolve } = read
    if (isSentWithoutEnvelope(response, route)) {
      fields.set(status, { ...ofBody(json, resolve), wrapped: null })
    } else if (typeof envelope === 'object') {
      fields.set(status, inEnvelope(envelope, read))
    } else {
      const isWhole = isEnvelope(referred(json, resolve))
      const of = isWhole ? ofBody(json, resolve) : ofData(json, { resolve, status })
      fields.set(status, { ...of, wrapped: null })
    }
  }
  return fields
}

/** The place of the data in the schema of an envelope of the application's own. */
const DATA = '#/blazon-data'

/**
 * A schema that describes the data in an envelope of the application's own. What the handler sends itself is limited as
 * the whole body.
 */
function inEnvelope(envelope: EnvelopeFormat, { json, resolve }: ReadSchema): ResponseFields {
  const body = envelope.schema({ $ref: DATA })
  const within =
    (data: unknown): References['resolve'] =>
    (node) =>
      node.$ref === DATA ? data : resolve(node)
  return {
    ...ofBody(body, within(json)),
    wrapped: { data: ofBody(json, resolve), body: ofBody(body, within(true)) },
  }
}

/** A longer chain of references is a circle. */
const MAX_REFERENCES = 10

function referred(schema: unknown, resolve: References['resolve']): Node {
  let node = schema
  for (let i = 0; i < MAX_REFERENCES && isNode(node) && node.$ref !== undefined; i++) {
    node = resolve(node)
  }
  return isNode(node) ? node : {}
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
function ofData(
  schema: unknown,
  { resolve, status }: { readonly resolve: References['resolve']; readonly status: number },
): BodyFields {
  const enveloped = ofBody(envelopeOf(schema, status), resolve)
  const bare = ofBody(schema, resolve)
  return {
    strip: (body) => (isEnveloped(body) ? enveloped : bare).strip(body),
    check: enveloped.check,
  }
}

/** The envelope as the document describes it: `successSchema` in `openapi/envelopes.ts`. */
function envelopeOf(data: unknown, status: number): Node {
  return {
    type: 'object',
    properties: {
      statusCode: { type: 'string', enum: ['success'] },
      status: { type: 'integer', enum: [status] },
      message: { type: 'string' },
      data,
    },
    required: ['statusCode', 'status', 'message', 'data'],
  }
}

function isEnveloped(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false
  return ['statusCode', 'status', 'message'].every((name) => Object.hasOwn(body, name))
}
