import { type Conversion, isNode, type Node, type TypeName } from './conversion.js'

/** The value types that a schema allows, without the keywords of each type. */
export interface AllowedTypes {
  /** `null` if the schema does not restrict the types. */
  readonly types: readonly TypeName[] | null
  readonly hasNull: boolean
  /** The values other than `null` that `const` and `enum` allow; `null` if the schema has neither keyword. */
  readonly values: readonly unknown[] | null
}

const TYPES: ReadonlySet<unknown> = new Set<TypeName>([
  'string',
  'number',
  'integer',
  'boolean',
  'array',
  'object',
])

/** Whether a value is a type name of OpenAPI. */
export function isType(name: unknown): name is TypeName {
  return TYPES.has(name)
}

/** Reads `type`, `nullable`, `const` and `enum`. */
export function allowedTypes(
  node: Node,
  { path, lose }: { readonly path: string } & Pick<Conversion, 'lose'>,
): AllowedTypes {
  const declared = declaredTypes(node)
  for (const type of declared ?? []) {
    if (type === 'null' || TYPES.has(type)) continue
    lose(
      path,
      `The type '${String(type)}' does not exist in JSON: the document accepts any value here.`,
    )
    return { types: null, hasNull: true, values: null }
  }
  const values = allowedValues(node)
  if (values === null) {
    if (declared === null) return { types: null, hasNull: true, values: null }
    const types = declared.filter((type): type is TypeName => type !== 'null')
    return { types: withoutPart(types), hasNull: declared.includes('null'), values: null }
  }
  const left = values.filter((value) => declared === null || declared.some(isOfType(value)))
  const types = new Set(left.filter((value) => value !== null).map((v) => typeOf(v, declared)))
  return {
    types: [...types],
    hasNull: left.includes(null),
    values: left.filter((value) => value !== null),
  }
}

/**
 * Returns the declared types. `nullable` is an OpenAPI keyword. Authors also use it in JSON Schemas, and Ajv applies it
 * beside `type`.
 */
function declaredTypes({ type, nullable }: Node): unknown[] | null {
  if (type === undefined) return null
  const types: unknown[] = Array.isArray(type) ? type : [type]
  return nullable === true ? [...types, 'null'] : types
}

/** Drops `integer` if `number`, which includes it, is also listed. */
function withoutPart(types: readonly TypeName[]): TypeName[] {
  const unique = [...new Set(types)]
  return unique.includes('number') ? unique.filter((type) => type !== 'integer') : unique
}

function allowedValues(node: Node): unknown[] | null {
  const values = Array.isArray(node.enum) ? (node.enum as unknown[]) : null
  if (node.const === undefined) return values === null ? null : unique(values)
  return values === null || values.some((value) => isEqual(value, node.const)) ? [node.const] : []
}

function unique(values: readonly unknown[]): unknown[] {
  return values.filter((value, at) => values.findIndex((other) => isEqual(value, other)) === at)
}

/** Returns a function that checks whether the value has a given JSON Schema type. */
export function isOfType(value: unknown): (type: unknown) => boolean {
  return (type) => {
    if (type === 'null') return value === null
    if (type === 'array') return Array.isArray(value)
    if (type === 'object') return isNode(value)
    if (type === 'integer') return Number.isInteger(value)
    return typeof value === type
  }
}

/** Returns the type of a value that is not `null`. */
export function typeOf(value: unknown, declared: readonly unknown[] | null = null): TypeName {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') {
    const isInteger = declared?.includes('integer') && !declared.includes('number')
    return isInteger ? 'integer' : 'number'
  }
  return typeof value === 'string' || typeof value === 'boolean'
    ? (typeof value as TypeName)
    : 'object'
}

/** Whether two JSON values are equal. The order of keys is ignored. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, at) => isEqual(item, b[at]))
  }
  if (!isNode(a) || !isNode(b)) return a === b
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
  )
}
