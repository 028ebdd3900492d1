import type { SchemaConverters } from '../../contracts/openapi.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { InputSource, Schema } from '../../contracts/schema.js'
import { schemasOfBody } from '../body-schemas.js'
import { type References, readReferences } from '../dialect/references.js'
import { isConstant, jsonIfDescribed } from '../json-once.js'
import { isBodiless } from '../response-shape.js'
import { type FoundMarks, findMarks, keyOfMark, type Mark, type MarkedPlace } from './marks.js'

/** A schema of a route, and its marks. */
export interface SchemaMarks extends FoundMarks {
  /** The described part of the request or the response. */
  readonly part: InputSource | 'response' | 'item' | 'defined'
  /** The status of a response; `null` for other parts. */
  readonly status: number | null
  readonly schema: Schema
  readonly json: unknown
}

/** Lists the schemas of a route that have marks, valid or not. A schema that cannot be described has no marks. */
export function marksOfRoute(route: RouteModel, converters: SchemaConverters): SchemaMarks[] {
  const found: SchemaMarks[] = []
  const look = (of: Pick<SchemaMarks, 'part' | 'status'>, schema: Schema | null | undefined) => {
    if (schema == null) return
    const side = isSent(of.part) ? 'input' : 'output'
    const json = jsonIfDescribed(schema, { side, converters })
    const marks = isConstant(schema, { converters }) ? marksOnce(json) : findMarks(json)
    if (marks.places.length + marks.wrong.length > 0) found.push({ ...of, schema, json, ...marks })
  }
  const { inputs, operation, stream, definedParameters } = route
  for (const { status, schema } of operation.responses) {
    if (!isBodiless(status)) look({ part: 'response', status }, schema)
  }
  look({ part: 'item', status: null }, stream?.item)
  for (const schema of sentSchemas(route)) look({ part: 'body', status: null }, schema)
  for (const part of ['query', 'params', 'headers', 'cookies'] as const) {
    look({ part, status: null }, inputs[part])
  }
  for (const { input } of definedParameters ?? []) look({ part: 'defined', status: null }, input)
  return found
}

const known = new WeakMap<object, FoundMarks>()

/**
 * Like `findMarks`, but caches the result, because each description is searched three times at boot. Use it only for
 * descriptions that never change.
 */
function marksOnce(json: unknown): FoundMarks {
  if (typeof json !== 'object' || json === null) return findMarks(json)
  const found = known.get(json) ?? findMarks(json)
  known.set(json, found)
  return found
}

/** Returns the schemas of a route's bodies and the schema of `@ApiBody`, which only the document uses. */
export function sentSchemas(route: RouteModel): readonly Schema[] {
  const stated = route.operation.body?.schema
  return [...new Set([...schemasOfBody(route), ...(stated === undefined ? [] : [stated])])]
}

function isSent(part: SchemaMarks['part']): boolean {
  return part !== 'response' && part !== 'item'
}

/** Finds marks on the unused side of a transform. */
export function marksOfOtherSide(
  { part, schema }: SchemaMarks,
  converters: SchemaConverters,
): FoundMarks {
  return findMarks(jsonIfDescribed(schema, { side: isSent(part) ? 'output' : 'input', converters }))
}

/** The sides of a route on which fields can be marked. */
export interface MarkedSides {
  /** Whether a response or a stream item can contain marked fields. */
  readonly limitsResponses: boolean
  /** Whether a body or a query can contain marked fields. */
  readonly limitsRequests: boolean
}

/** Returns the sides of a route on which fields can be marked; `null` if the route has no marks. */
export function markedSides(schemas: readonly SchemaMarks[]): MarkedSides | null {
  if (schemas.length === 0) return null
  const has = (...parts: readonly SchemaMarks['part'][]) =>
    schemas.some(({ part, places }) => parts.includes(part) && places.length > 0)
  return { limitsResponses: has('response', 'item'), limitsRequests: has('body', 'query') }
}

/** A marked field, such as `items.*.salary`. */
export type MarkedField = Pick<MarkedPlace, 'path' | 'mark'>

/** Returns the marked fields of some schemas, without duplicates. */
export function markedFields(schemas: readonly FoundMarks[]): readonly MarkedField[] {
  const places = schemas.flatMap((each) => each.places)
  const fields = new Map(
    places.map(({ path, mark }) => [`${path} ${keyOfMark(mark)}`, { path, mark }] as const),
  )
  return [...fields.values()]
}

/** Returns the different marks of some schemas, in a fixed order. */
export function distinctMarks(schemas: readonly FoundMarks[]): readonly Mark[] {
  const marks = new Map(
    schemas.flatMap(({ places }) => places.map(({ mark }) => [keyOfMark(mark), mark] as const)),
  )
  return [...marks].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, mark]) => mark)
}

/** Returns the function that resolves the references of a schema. */
export function resolverOf(json: unknown): References['resolve'] {
  return readReferences(json).resolve
}
