import type { DescribedSchema, OpenApiSchema } from '../contracts/openapi.js'
import type { Validator } from '../contracts/schema.js'

/**
 * Makes a list of a query parameter that was sent once, where the schema wants a list: `?tag=a` is `['a']`, as
 * OpenAPI's `style: form` means it. JSON Schemas have that from Ajv's coercion.
 *
 * @param described The input side of the schema that `validate` stands for.
 */
export function withQueryLists(validate: Validator, described: DescribedSchema): Validator {
  const names = listNames(described)
  if (names.length === 0) return validate
  return function validateQuery(value) {
    return validate(toLists(value as Readonly<Record<string, unknown>>, names))
  }
}

/** Leaves the object itself alone: who asked for `req.query` before us keeps what was sent. */
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

/** Properties that are lists, whichever branch of a union they are in. */
function listNames({ schema, definitions }: DescribedSchema): string[] {
  const byRef = new Map(
    definitions.map(({ name, schema }) => [`#/components/schemas/${name}`, schema]),
  )
  const resolve = (part: OpenApiSchema) => byRef.get(part.$ref ?? '') ?? part
  const lists = new Map<string, boolean>()
  const visited = new Set<OpenApiSchema>()
  function visit(part: OpenApiSchema): void {
    const { properties = {}, allOf = [], anyOf = [], oneOf = [] } = resolve(part)
    // A schema may contain itself.
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

/** Whether a list is the only thing but `null` that fits; where a text fits too, a text it stays. */
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

/** As the dialect writes it: an enum of nothing but `null`. */
function isNull({ enum: members }: OpenApiSchema): boolean {
  return members?.length === 1 && members[0] === null
}
