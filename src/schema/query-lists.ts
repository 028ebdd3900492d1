import type { DescribedSchema, OpenApiSchema } from '../contracts/openapi-3-0.js'
import type { Validator } from '../contracts/schema.js'

/**
 * Wraps a query parameter that was sent once into a list, when the schema expects a list: `?tag=a` becomes
 * `['a']`, as OpenAPI's `style: form` defines it. JSON Schemas do not need this, because Ajv coerces them.
 *
 * @param described The description of the input side of the schema.
 */
export function withQueryLists(validate: Validator, described: DescribedSchema): Validator {
  const names = listNames(described)
  if (names.length === 0) return validate
  return function validateQuery(value) {
    return validate(toLists(value as Readonly<Record<string, unknown>>, names))
  }
}

/** Copies the query before a change, because an earlier middleware may hold the same `req.query` object. */
function toLists(query: Readonly<Record<string, unknown>>, names: readonly string[]): unknown {
  let copy: Record<string, unknown> | undefined
  for (const name of names) {
    const value = query[name]
    if (typeof value !== 'string') continue
    copy ??= { ...query }
    copy[name] = [value]
  }
  return copy ?? query
}

/**
 * Returns the names of the properties that are lists. In a union, each branch that has the property must make
 * it a list.
 */
function listNames({ schema, definitions }: DescribedSchema): string[] {
  const byRef = new Map(
    definitions.map(({ name, schema }) => [`#/components/schemas/${name}`, schema]),
  )
  const resolve = (part: OpenApiSchema) => byRef.get(part.$ref ?? '') ?? part
  const lists = new Map<string, boolean>()
  const visited = new Set<OpenApiSchema>()
  function visit(part: OpenApiSchema): void {
    const { properties = {}, allOf = [], anyOf = [], oneOf = [] } = resolve(part)
    if (visited.has(resolve(part))) return
    visited.add(resolve(part))
    for (const [name, property] of Object.entries(properties)) {
      lists.set(name, lists.get(name) !== false && isList(property, resolve))
    }
    for (const branch of [...allOf, ...anyOf, ...oneOf]) visit(branch)
  }
  visit(schema)
  return [...lists].filter(([, isListOnly]) => isListOnly).map(([name]) => name)
}

/** Whether the schema accepts only lists (and `null`). If it also accepts text, a single value stays text. */
function isList(
  schema: OpenApiSchema,
  resolve: (part: OpenApiSchema) => OpenApiSchema,
  depth = 0,
): boolean {
  const { type, allOf = [], anyOf, oneOf, ...rest } = resolve(schema)
  if (type !== undefined) return type === 'array'
  if (depth > 8) return false
  const branches = (anyOf ?? oneOf ?? []).filter((branch) => !isNull(branch))
  const isUnion = branches.length > 0 && rest.not === undefined
  return (
    (isUnion && branches.every((branch) => isList(branch, resolve, depth + 1))) ||
    allOf.some((part) => isList(part, resolve, depth + 1))
  )
}

/** The dialect writes `null` as an enum with the single value `null`. */
function isNull({ enum: members }: OpenApiSchema): boolean {
  return members?.length === 1 && members[0] === null
}
