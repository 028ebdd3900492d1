import type { SchemaConverters } from '../../contracts/openapi.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { EnvelopeFormat } from '../../contracts/wire-format.js'
import { isNode, type Node } from '../dialect/conversion.js'
import type { References } from '../dialect/references.js'
import { samePlaces, unionsOf } from '../places.js'
import { isBodiless, isEnvelope, isSentWithoutEnvelope, type Wire } from '../response-shape.js'
import { type ReadSchema, readSchema } from './read-schema.js'

/** Creates the values, such as functions, for the bodies that a schema describes. */
export interface BodyMaker<T> {
  /** Creates the value for a schema that describes the whole body. */
  readonly of: (schema: unknown, resolve: References['resolve']) => T
  /** Combines the values for bodies with and without the framework's envelope. */
  readonly either: (enveloped: T, bare: T) => T
}

/** The values for the responses with one status. */
export interface MadeBodies<T> {
  /** For the body that `res.json` receives. */
  readonly body: T
  /** For data in the application's own envelope; `null` if the route does not have such an envelope. */
  readonly wrapped: {
    /** For the data before the envelope is added. */
    readonly data: T
    /** For the whole body, whose data has already been limited. */
    readonly body: T
  } | null
  /**
   * For rows that a `@Produces` representation writes one by one; `null` if the schema does not describe a list of
   * rows.
   */
  readonly rows: MadeRows<T> | null
}

/** The value for a list of rows. */
export interface MadeRows<T> {
  readonly list: T
  /** Whether the data itself is this list. */
  readonly isDocument: boolean
}

/** The properties of a route that determine its bodies. */
export type BodiesRoute = Wire & Pick<RouteModel, 'operation' | 'produces'>

/** Creates a value for each documented response with a schema, by status. */
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

/** Whether a representation of the route can write rows. The JSON representation receives all data at once. */
export function takesRows({ produces }: Pick<RouteModel, 'produces'>): boolean {
  return produces?.some(({ serialize }) => serialize !== null) === true
}

function rowsIn<T>({ json, resolve }: ReadSchema, maker: BodyMaker<T>): MadeRows<T> | null {
  const found = findRowList(json, resolve)
  return found && { list: maker.of(found.schema, resolve), isDocument: found.isDocument }
}

/** The `$ref` that stands for the data in the schema of the application's own envelope. */
const DATA = '#/blazon-data'

/**
 * Handles a schema that describes the data in the application's own envelope. A body that the handler itself sends is
 * limited as a whole.
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

/** The maximum length of a chain of references. A longer chain counts as a cycle. */
const MAX_REFERENCES = 10

function referred(schema: unknown, resolve: References['resolve']): Node {
  let node = schema
  for (let i = 0; i < MAX_REFERENCES && isNode(node) && node.$ref !== undefined; i++) {
    node = resolve(node)
  }
  return isNode(node) ? node : {}
}

/** Returns the schema of the framework's envelope, as `successSchema` does in `openapi/envelopes.ts`. */
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

/** The list whose items are streamed. */
interface RowList {
  readonly schema: unknown
  /** Whether the data itself is the list. Otherwise, its property `items` is the list, as in a page. */
  readonly isDocument: boolean
}

/**
 * Finds the list that contains the rows: the data itself, or its property `items`. Returns `null` if there is no list,
 * or if the schema of an item depends on its position or on a condition, because neither can be determined from a
 * single row.
 */
function findRowList(json: unknown, resolve: References['resolve']): RowList | null {
  const property = itemsOf(json, resolve)
  const found = [json, property].filter((schema) => isList(schema, resolve))
  if (found.length === 0 || [json, ...found].some((each) => isUnclear(each, resolve))) return null
  const schema = found.length === 1 ? found[0] : { anyOf: found }
  return { schema, isDocument: found[0] === json }
}

/** Whether a schema describes a list. A schema without keywords allows every value, so it counts. */
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

/** Whether a schema allows lists. A schema without `type` that names properties describes objects. */
function allowsList({ type, items, properties, additionalProperties, ...rest }: Node): boolean {
  if (rest.const !== undefined || rest.enum !== undefined) return false
  if (type !== undefined) return [type].flat().includes('array')
  return items !== undefined || (properties === undefined && additionalProperties === undefined)
}

/** Returns the schema of the property `items`; `undefined` if there is none. */
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

/** Returns the schemas that always apply together with a schema. */
function partsOf(node: Node, resolve: References['resolve']): unknown[] {
  const { $ref, allOf } = node
  return [...($ref === undefined ? [] : [resolve(node)]), ...(Array.isArray(allOf) ? allOf : [])]
}

/** Whether the common schema of all items is not sufficient to validate a single item. */
function isUnclear(schema: unknown, resolve: References['resolve']): boolean {
  if (!isNode(schema)) return false
  return [...samePlaces(schema, resolve)].some(
    ({ items, ...node }) =>
      Array.isArray(items) || UNCLEAR.some((word) => node[word] !== undefined),
  )
}

const UNCLEAR = ['prefixItems', 'if', 'dependentSchemas', 'dependencies', 'patternProperties']
