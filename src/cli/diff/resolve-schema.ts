import type { OpenApiDocument, OpenApiSchema } from '../../contracts/openapi-3-0.js'
import { isNull } from '../../schema/dialect/union.js'
import { followReference } from '../component-reference.js'

/** The maximum length of a chain of references. A longer chain is treated as circular. */
const MAX_CHAIN = 50

/**
 * Resolves `$ref` at the outermost level of a schema, merges the parts of its `allOf`, and moves a branch's `null` to
 * the union, because documents of different versions represent such schemas differently.
 */
export function resolveSchema(
  schema: OpenApiSchema,
  document: OpenApiDocument,
  depth = 0,
): OpenApiSchema {
  if (depth > MAX_CHAIN) return {}
  if (schema.$ref !== undefined) {
    return resolveSchema(schemaOf(schema.$ref, document), document, depth + 1)
  }
  if (schema.allOf === undefined) {
    return withoutNullBranch(unionOfConstants(schema, document, depth) ?? schema, document, depth)
  }
  const { allOf, ...own } = schema
  return [...allOf, own].reduce<OpenApiSchema>(
    (all, part) => merge(all, resolveSchema(part, document, depth + 1)),
    {},
  )
}

/**
 * Returns a union of constants as one enum, because generated clients have the same type for both; `undefined` for any
 * other schema.
 */
function unionOfConstants(
  { anyOf, oneOf, ...own }: OpenApiSchema,
  document: OpenApiDocument,
  depth: number,
): OpenApiSchema | undefined {
  const branches = (anyOf ?? oneOf ?? []).map((each) => resolveSchema(each, document, depth + 1))
  if (branches.length < 2) return undefined
  const values = branches.flatMap((branch) => (isEnum(branch) ? (branch.enum ?? []) : []))
  if (!branches.every(isEnum) || new Set(values).size < values.length) return undefined
  const types = new Set(branches.filter((branch) => !isNull(branch)).map(({ type }) => type))
  const [type] = types
  return merge(own, {
    ...(types.size === 1 && type !== undefined && { type }),
    ...(values.includes(null) && { nullable: true }),
    enum: values,
  })
}

function isEnum(schema: OpenApiSchema): boolean {
  const keywords = Object.keys(schema).filter((key) => !PROSE.has(key))
  return schema.enum !== undefined && keywords.every((key) => ENUM.has(key))
}

const ENUM = new Set(['type', 'nullable', 'enum'])

function withoutNullBranch(
  schema: OpenApiSchema,
  document: OpenApiDocument,
  depth: number,
): OpenApiSchema {
  const { anyOf, oneOf, ...own } = schema
  const branches = anyOf ?? oneOf ?? []
  const nulls = branches.filter(isNullable).length
  // In a `oneOf`, `null` is invalid if it matches two branches.
  if (nulls === 0 || (anyOf === undefined && nulls > 1)) return schema
  const [only, ...more] = branches.filter((branch) => !isNull(branch)).map(withoutNull)
  if (only === undefined) return schema
  if (more.length > 0) {
    return { ...own, nullable: true, [anyOf ? 'anyOf' : 'oneOf']: [only, ...more] }
  }
  const { enum: values, ...resolved } = resolveSchema(only, document, depth + 1)
  const nullable = { ...resolved, nullable: true, ...(values && { enum: [...values, null] }) }
  return merge(own, nullable)
}

/** Whether a schema's own keywords accept `null`. */
export function isNullable({ nullable, enum: values }: OpenApiSchema): boolean {
  return nullable === true && values?.includes(null) !== false
}

/** Returns the schema without `null`. */
export function withoutNull(schema: OpenApiSchema): OpenApiSchema {
  const { nullable: _, enum: values, ...others } = schema
  if (!isNullable(schema)) return schema
  return values ? { ...others, enum: values.filter((value) => value !== null) } : others
}

function schemaOf(ref: string, { components }: OpenApiDocument): OpenApiSchema {
  return followReference(ref, 'schemas', components?.schemas) ?? {}
}

function merge(a: OpenApiSchema, b: OpenApiSchema): OpenApiSchema {
  return {
    ...a,
    ...b,
    ...((a.properties ?? b.properties) && { properties: { ...a.properties, ...b.properties } }),
    ...((a.required ?? b.required) && { required: [...(a.required ?? []), ...(b.required ?? [])] }),
  }
}

/** Compares schemas from two documents, following their references. */
export class SchemaEquality {
  readonly #base: OpenApiDocument
  readonly #current: OpenApiDocument
  readonly #known = new Map<string, boolean>()

  constructor(base: OpenApiDocument, current: OpenApiDocument) {
    this.#base = base
    this.#current = current
  }

  /** Whether two values are equal. The order of keys is ignored, as are all descriptions, titles and examples. */
  isSame(a: unknown, b: unknown): boolean {
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
    const [from, to] = [a as OpenApiSchema, b as OpenApiSchema]
    if (typeof from.$ref === 'string' && typeof to.$ref === 'string') {
      return this.#isSameReference(from.$ref, to.$ref)
    }
    const keys = new Set(
      [...Object.keys(a), ...Object.keys(b)].filter((key) => !isProse(key, a, b)),
    )
    return [...keys].every((key) => this.isSame(own(a, key), own(b, key)))
  }

  #isSameReference(from: string, to: string): boolean {
    const key = `${from} ${to}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    // A recursive schema reaches the same pair again. The pair is assumed to be equal until a difference is found.
    const before = this.#known.size
    this.#known.set(key, true)
    const isSame = this.isSame(schemaOf(from, this.#base), schemaOf(to, this.#current))
    if (!isSame) this.#forgetSince(before)
    this.#known.set(key, isSame)
    return isSame
  }

  /**
   * Removes the equal pairs that were added after the first `size` pairs, because they may depend on an assumption that
   * was false.
   */
  #forgetSince(size: number): void {
    for (const [key, isSame] of [...this.#known].slice(size)) {
      if (isSame) this.#known.delete(key)
    }
  }
}

const PROSE = new Set(['description', 'title', 'example'])

/**
 * Whether a key contains prose, such as a description. A property named `title` contains a schema, which is compared.
 */
function isProse(key: string, a: object, b: object): boolean {
  const isText = (value: unknown) => typeof value !== 'object'
  return PROSE.has(key) && isText(own(a, key)) && isText(own(b, key))
}

function own(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined
}

/** The two documents, and the results of earlier comparisons. */
export interface Comparison {
  readonly base: OpenApiDocument
  readonly current: OpenApiDocument
  readonly equality: SchemaEquality
}

/** The same item in both documents. */
export interface Pair<T> {
  readonly base: T
  readonly current: T
}

/** The side of a schema: clients send requests, and the application sends responses. */
export type Side = 'request' | 'response'

/** Two schemas at the same place in both documents. */
export interface SchemaPair {
  readonly base: OpenApiSchema
  readonly current: OpenApiSchema
  readonly side: Side
  readonly location: string
  /** Pairs with a reference that were already compared. Each pair is reported only once, at its first place. */
  readonly seen?: SeenPairs
}

/** The references and schemas with which each reference or schema of the older document was compared. */
export type SeenPairs = Map<string | OpenApiSchema, Set<string | OpenApiSchema>>
