import type { SchemaConverters } from '../../contracts/openapi.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { EnvelopeFormat } from '../../contracts/wire-format.js'
import { isNode, type Node } from '../dialect/conversion.js'
import type { References } from '../dialect/references.js'
import { samePlaces, unionsOf } from '../places.js'
import { isBodiless, isEnvelope, isSentWithoutEnvelope, type Wire } from '../response-shape.js'
import { type ReadSchema, readSchema } from './read-schema.js'

/** Creates the functions for the bodies that a schema describes. */
export interface BodyMaker<T> {
  /** For a schema that describes the whole body. */
  readonly of: (schema: unknown, resolve: References['resolve']) => T
  /** For bodies with the framework's envelope, and bodies without. */
  readonly either: (enveloped: T, bare: T) => T
}

/** The functions for the responses of one status. */
export interface MadeBodies<T> {
  /** For the body that `res.json` receives. */
  readonly body: T
  /** For data that an envelope of the application's own will be around; `null` without such an envelope. */
  readonly wrapped: {
    /** For the data before the envelope is added. */
    readonly data: T
    /** For the whole body, whose data is limited already. */
    readonly body: T
  } | null
  /**
   * For rows that a representation of `@Produces` writes one by one; `null` if the document describes no list of rows.
   */
  readonly rows: MadeRows<T> | null
}

/** The functions for the list of rows. */
export interface MadeRows<T> {
  readonly list: T
  /** Whether the document itself is this list. */
  readonly isDocument: boolean
}

/** The parts of a route that its bodies depend on. */
export type BodiesRoute = Wire & Pick<RouteModel, 'operation' | 'produces'>

/** Creates a value for each documented response of a route that has a schema, by status. */
export function mapResponses<T>(
  route: BodiesRoute,
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
    const rows = (data: unknown) =>
      takesRows(route) ? rowsIn({ ...read, json: data }, maker) : null
    if (isSentWithoutEnvelope(response, route)) {
      made.set(status, { body: maker.of(json, resolve), wrapped: null, rows: rows(json) })
    } else if (typeof envelope === 'object') {
      made.set(status, { ...inEnvelope(envelope, read, maker), rows: rows(json) })
    } else {
      const whole = referred(json, resolve)
      const of = (body: unknown) => maker.of(body, resolve)
      if (isEnvelope(whole)) {
        const data = isNode(whole.properties) ? whole.properties['data'] : undefined
        made.set(status, { body: of(json), wrapped: null, rows: rows(data) })
      } else {
        const body = maker.either(of(envelopeOf(json, status)), of(json))
        made.set(status, { body, wrapped: null, rows: rows(json) })
      }
    }
  }
  return made
}

/** Whether a representation may write rows. JSON has all of its data at once. */
export function takesRows({ produces }: Pick<RouteModel, 'produces'>): boolean {
  return produces?.some(({ serialize }) => serialize !== null) === true
}

function rowsIn<T>({ json, resolve }: ReadSchema, maker: BodyMaker<T>): MadeRows<T> | null {
  const found = findRowList(json, resolve)
  return found && { list: maker.of(found.schema, resolve), isDocument: found.isDocument }
}

/** The place of the data in the schema of an envelope of the application's own. */
const DATA = '#/blazon-data'

/**
 * A schema that describes the data in an envelope of the application's own. A body that the handler sends itself is
 * limited as the whole body.
 */
function inEnvelope<T>(
  envelope: EnvelopeFormat,
  { json, resolve }: ReadSchema,
  maker: BodyMaker<T>,
): Omit<MadeBodies<T>, 'rows'> {
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

/** The envelope of the document: `successSchema` in `openapi/envelopes.ts`. */
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

/** The list of a document whose items are streamed. */
interface RowList {
  /** The schema of the list. */
  readonly schema: unknown
  /** Whether the document itself is the list. If not, its property `items` is, as in a page. */
  readonly isDocument: boolean
}

/**
 * Finds the list of which a row is an item: the document itself, or its property `items`. `null` if there is none, or if
 * its items depend on their position or on a condition: a row that comes alone shows neither.
 */
function findRowList(json: unknown, resolve: References['resolve']): RowList | null {
  const property = itemsOf(json, resolve)
  const found = [json, property].filter((schema) => isList(schema, resolve))
  if (found.length === 0 || [json, ...found].some((each) => isUnclear(each, resolve))) return null
  const schema = found.length === 1 ? found[0] : { anyOf: found }
  return { schema, isDocument: found[0] === json }
}

/** Whether a schema describes a list. A schema without keywords describes every value. */
function isList(
  schema: unknown,
  resolve: References['resolve'],
  seen: ReadonlySet<unknown> = new Set(),
): boolean {
  if (schema === true || (isNode(schema) && seen.has(schema))) return true
  if (!isNode(schema) || !allowsList(schema)) return false
  const within = new Set([...seen, schema])
  const is = (part: unknown) => isList(part, resolve, within)
  return partsOf(schema, resolve).every(is) && unionsOf(schema).every((all) => all.some(is))
}

/** A schema without `type` that names properties describes an object. */
function allowsList({ type, items, properties, additionalProperties, ...rest }: Node): boolean {
  if (rest.const !== undefined || rest.enum !== undefined) return false
  if (type !== undefined) return [type].flat().includes('array')
  return items !== undefined || (properties === undefined && additionalProperties === undefined)
}

/** The schema of the property `items`; `undefined` if there is none. */
function itemsOf(
  schema: unknown,
  resolve: References['resolve'],
  seen: ReadonlySet<unknown> = new Set(),
): unknown {
  if (!isNode(schema) || seen.has(schema)) return undefined
  const within = new Set([...seen, schema])
  const inside = (part: unknown) => itemsOf(part, resolve, within)
  const own = isNode(schema.properties) ? [schema.properties['items']] : []
  const unions = unionsOf(schema).map((all) => joined('anyOf', all.map(inside)))
  return joined('allOf', [...own, ...partsOf(schema, resolve).map(inside), ...unions])
}

function joined(word: 'allOf' | 'anyOf', schemas: readonly unknown[]): unknown {
  const found = schemas.filter((schema) => schema !== undefined)
  return found.length > 1 ? { [word]: found } : found[0]
}

/** The schemas that always apply together with a schema. */
function partsOf(node: Node, resolve: References['resolve']): unknown[] {
  const { $ref, allOf } = node
  return [...($ref === undefined ? [] : [resolve(node)]), ...(Array.isArray(allOf) ? allOf : [])]
}

/** Whether anything but the schema of all items decides about an item. */
function isUnclear(schema: unknown, resolve: References['resolve']): boolean {
  if (!isNode(schema)) return false
  return [...samePlaces(schema, resolve)].some(
    ({ items, ...node }) =>
      Array.isArray(items) || UNCLEAR.some((word) => node[word] !== undefined),
  )
}

const UNCLEAR = ['prefixItems', 'if', 'dependentSchemas', 'dependencies', 'patternProperties']
