import type { SchemaConverters } from '../../contracts/openapi.js'
import type { ApiResponseOptions } from '../../contracts/operation.js'
import { isNode, type Node } from '../dialect/conversion.js'
import type { References } from '../dialect/references.js'
import { isBodiless, isEnvelope, isSentWithoutEnvelope } from '../response-shape.js'
import { findDifference } from './find-difference.js'
import { limitTo } from './limit-fields.js'
import { createMatcher, type Path } from './matcher.js'
import { createFormReader } from './read-form.js'
import { readSchema } from './read-schema.js'
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

/** Compiles the documented responses that have a schema, by status. */
export function compileResponseFields(
  responses: readonly ApiResponseOptions[],
  converters: SchemaConverters,
): ReadonlyMap<number, BodyFields> {
  const fields = new Map<number, BodyFields>()
  for (const response of responses) {
    const { status, schema } = response
    if (schema === undefined || isBodiless(status)) continue
    const { json, resolve } = readSchema(schema, converters)
    const isWhole =
      status >= 400 || isSentWithoutEnvelope(response) || isEnvelope(referred(json, resolve))
    fields.set(status, isWhole ? ofBody(json, resolve) : ofData(json, { resolve, status }))
  }
  return fields
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
