import type { SchemaConverters } from '../../contracts/openapi.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { EnvelopeFormat } from '../../contracts/wire-format.js'
import { isNode, type Node } from '../dialect/conversion.js'
import type { References } from '../dialect/references.js'
import { isBodiless, isEnvelope, isSentWithoutEnvelope, type Wire } from '../response-shape.js'
import { type ReadSchema, readSchema } from './read-schema.js'

/** Makes what is needed for the bodies that a schema describes. */
export interface BodyMaker<T> {
  /** For a schema that describes the whole body. */
  readonly of: (schema: unknown, resolve: References['resolve']) => T
  /** For bodies with the framework's envelope, and bodies without. */
  readonly either: (enveloped: T, bare: T) => T
}

/** What was made for the responses of one status. */
export interface MadeBodies<T> {
  /** For the body that `res.json` receives. */
  readonly body: T
  /** For data that an envelope of the application's own will be around; `null` without such an envelope. */
  readonly wrapped: {
    /** For the data, before the envelope is around it. */
    readonly data: T
    /** For the whole body, whose data is limited already. */
    readonly body: T
  } | null
}

/** Makes something for each documented response of a route that has a schema, by status. */
export function mapResponses<T>(
  route: Wire & Pick<RouteModel, 'operation'>,
  converters: SchemaConverters,
  maker: BodyMaker<T>,
): Map<number, MadeBodies<T>> {
  const { envelope } = route
  const made = new Map<number, MadeBodies<T>>()
  for (const response of route.operation.responses) {
    const { status, schema } = response
    if (schema === undefined || isBodiless(status)) continue
    const read = readSchema(schema, converters)
    const { json, resolve } = read
    if (isSentWithoutEnvelope(response, route)) {
      made.set(status, { body: maker.of(json, resolve), wrapped: null })
    } else if (typeof envelope === 'object') {
      made.set(status, inEnvelope(envelope, read, maker))
    } else {
      const isWhole = isEnvelope(referred(json, resolve))
      const of = (body: unknown) => maker.of(body, resolve)
      const body = isWhole ? of(json) : maker.either(of(envelopeOf(json, status)), of(json))
      made.set(status, { body, wrapped: null })
    }
  }
  return made
}

/** The place of the data in the schema of an envelope of the application's own. */
const DATA = '#/blazon-data'

/**
 * A schema that describes the data in an envelope of the application's own. What the handler sends itself is limited as
 * the whole body.
 */
function inEnvelope<T>(
  envelope: EnvelopeFormat,
  { json, resolve }: ReadSchema,
  maker: BodyMaker<T>,
): MadeBodies<T> {
  const body = envelope.schema({ $ref: DATA })
  const within =
    (data: unknown): References['resolve'] =>
    (node) =>
      node.$ref === DATA ? data : resolve(node)
  return {
    body: maker.of(body, within(json)),
    wrapped: { data: maker.of(json, resolve), body: maker.of(body, within(true)) },
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

/** Whether a body has the framework's envelope. */
export function isEnveloped(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false
  return ['statusCode', 'status', 'message'].every((name) => Object.hasOwn(body, name))
}
