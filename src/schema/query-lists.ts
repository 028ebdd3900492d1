import type { DescribedSchema, OpenApiSchema } from '../contracts/openapi-3-0.js'
import type { Validator } from '../contracts/schema.js'
import { setOwn } from './set-own.js'

type Values = Readonly<Record<string, unknown>>

/** The places of lists in the values of a schema. */
interface Shape {
  /**
   * Whether the schema accepts only lists (and `null`). If the schema also accepts strings, a single value stays a
   * string.
   */
  readonly isList: boolean
  /** The shapes that contain a list, by property name; `null` stands for all other properties. */
  readonly properties: Map<string | null, Shape>
  /** The shape of the items of a list, if they contain a list. */
  items: Shape | null
}

/**
 * Converts query parameters to lists where the schema expects a list:
 *
 * - `?tag=a` becomes `['a']`, according to OpenAPI's `style: form`.
 * - Express's `extended` parser converts more than 20 values to an object whose keys are the indexes. This object
 *   becomes a list again.
 *
 * @param described The description of the schema's input side.
 */
export function withQueryLists(validate: Validator, described: DescribedSchema): Validator {
  const shape = new ShapeReader(described).read()
  if (shape === null) return validate
  return function validateQuery(value) {
    return validate(toLists(value, shape))
  }
}

/**
 * Converts values to lists. Copies a value before changing it, because an earlier middleware may have stored the same
 * `req.query` object.
 */
function toLists(value: unknown, shape: Shape): unknown {
  const { items, properties } = shape
  const made = shape.isList ? toList(value) : value
  if (Array.isArray(made)) {
    return items === null ? made : made.map((item) => toLists(item, items))
  }
  if (properties.size === 0 || !isObject(made)) return made
  const rest = properties.get(null)
  const names = rest === undefined ? properties.keys() : Object.keys(made)
  let copy: Record<string, unknown> | undefined
  for (const name of names as Iterable<string>) {
    const child = properties.get(name) ?? (rest as Shape)
    const before = made[name]
    if (before === undefined) continue
    const after = toLists(before, child)
    if (after === before) continue
    copy ??= { ...made }
    setOwn(copy, name, after)
  }
  return copy ?? made
}

function toList(value: unknown): unknown {
  if (typeof value === 'string') return [value]
  if (!isObject(value)) return value
  const keys = Object.keys(value)
  const isIndexed = keys.length > 0 && keys.every((key) => /^\d+$/.test(key))
  return isIndexed ? Object.values(value) : value
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads the {@link Shape} of a schema. The schema can be recursive. */
class ShapeReader {
  readonly #root: OpenApiSchema
  readonly #byRef: ReadonlyMap<string, OpenApiSchema>
  readonly #ids = new Map<OpenApiSchema, number>()
  readonly #shapes = new Map<string, Shape>()

  constructor({ schema, definitions }: DescribedSchema) {
    this.#root = schema
    const named = definitions.map(
      ({ name, schema: body }) => [`#/components/schemas/${name}`, body] as const,
    )
    this.#byRef = new Map(named)
  }

  /** Returns the shape; `null` if no value of the schema contains a list. */
  read(): Shape | null {
    const root = this.#shapeOf([this.#root])
    const useful = new Set<Shape>()
    for (let before = -1; before < useful.size; ) {
      before = useful.size
      for (const shape of this.#shapes.values()) {
        const children = [...shape.properties.values(), shape.items]
        if (shape.isList || children.some((child) => child !== null && useful.has(child))) {
          useful.add(shape)
        }
      }
    }
    for (const shape of this.#shapes.values()) {
      if (shape.items !== null && !useful.has(shape.items)) shape.items = null
      const isOfRest = shape.properties.has(null)
      for (const [name, child] of shape.properties) {
        // If undescribed properties can contain a list, the names of properties without a list must be kept. Otherwise,
        // the shape of the undescribed properties would apply to them.
        const isUnneeded = !useful.has(child) && (name === null || !isOfRest)
        if (isUnneeded) shape.properties.delete(name)
      }
    }
    return useful.has(root) ? root : null
  }

  /** @param schemas The possible schemas of the value, from different branches of a union. */
  #shapeOf(schemas: readonly OpenApiSchema[]): Shape {
    const key = schemas.map((schema) => this.#idOf(this.#resolve(schema))).join(' ')
    const known = this.#shapes.get(key)
    if (known !== undefined) return known
    const isList = schemas.every((schema) => this.#isList(schema))
    const shape: Shape = { isList, properties: new Map(), items: null }
    this.#shapes.set(key, shape)
    const parts = this.#partsOf(schemas)
    const items = parts.flatMap((part) => part.items ?? [])
    if (items.length > 0) shape.items = this.#shapeOf(items)
    for (const [name, children] of childrenOf(parts)) {
      shape.properties.set(name, this.#shapeOf(children))
    }
    return shape
  }

  /** Returns the schemas and all parts of their combinations. */
  #partsOf(schemas: readonly OpenApiSchema[]): OpenApiSchema[] {
    const parts = new Set<OpenApiSchema>()
    const visit = (schema: OpenApiSchema): void => {
      const part = this.#resolve(schema)
      if (parts.has(part)) return
      parts.add(part)
      for (const branch of branchesOf(part)) visit(branch)
    }
    for (const schema of schemas) visit(schema)
    return [...parts]
  }

  #isList(schema: OpenApiSchema, depth = 0): boolean {
    const { type, allOf = [], anyOf, oneOf, ...rest } = this.#resolve(schema)
    if (type !== undefined) return type === 'array'
    if (depth > 8) return false
    const branches = (anyOf ?? oneOf ?? []).filter((branch) => !isNull(branch))
    const isUnion = branches.length > 0 && rest.not === undefined
    return (
      (isUnion && branches.every((branch) => this.#isList(branch, depth + 1))) ||
      allOf.some((part) => this.#isList(part, depth + 1))
    )
  }

  #resolve(schema: OpenApiSchema): OpenApiSchema {
    return this.#byRef.get(schema.$ref ?? '') ?? schema
  }

  #idOf(schema: OpenApiSchema): number {
    const id = this.#ids.get(schema) ?? this.#ids.size
    this.#ids.set(schema, id)
    return id
  }
}

function branchesOf({ allOf = [], anyOf = [], oneOf = [] }: OpenApiSchema): OpenApiSchema[] {
  return [...allOf, ...anyOf, ...oneOf]
}

/** Returns the schemas of each property, by name; `null` stands for all names that are not listed. */
function childrenOf(parts: readonly OpenApiSchema[]): Map<string | null, OpenApiSchema[]> {
  const children = new Map<string | null, OpenApiSchema[]>()
  const add = (name: string | null, child: OpenApiSchema) =>
    children.set(name, [...(children.get(name) ?? []), child])
  for (const { properties = {}, additionalProperties: rest } of parts) {
    for (const [name, child] of Object.entries(properties)) add(name, child)
    if (typeof rest === 'object') add(null, rest)
  }
  return children
}

/**
 * Whether a schema accepts only `null`. The OpenAPI dialect represents `null` as an enum whose only value is `null`.
 */
function isNull({ enum: members }: OpenApiSchema): boolean {
  return members?.length === 1 && members[0] === null
}
