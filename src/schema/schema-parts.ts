/** The properties of a schema, or of a zod definition, that contain one schema for the same value. */
const ONE = ['innerType', 'in', 'left', 'right', 'wrapped']

/** The properties that contain several schemas for the same value. */
const SEVERAL = ['options', 'branches', 'anyOf', 'oneOf', 'allOf']

type Node = Readonly<Record<string, unknown>>

interface ZodInternals {
  readonly def?: Node
  /** The schema from which `.describe()` or a check created this copy. */
  readonly parent?: unknown
}

interface PartsOptions {
  /** Whether to include the schemas of the results of transforms and pipes. */
  readonly withResults: boolean
}

/**
 * Returns a schema and all schemas that it wraps: optional values, values with a default, the start of a pipe, the
 * alternatives of a union, and the parts of an intersection. Schemas of fields and items are not included. Supports
 * zod, valibot, arktype and JSON Schema.
 */
export function partsOf(schema: unknown, { withResults }: PartsOptions): ReadonlySet<Node> {
  const one = withResults ? [...ONE, 'out'] : ONE
  const several = withResults ? [...SEVERAL, 'pipe'] : SEVERAL
  const parts = new Set<Node>()
  add(schema, parts)
  // Iterating over a set includes the parts that are added during the loop.
  for (const part of parts) {
    const { def = {}, parent } = zodOf(part)
    add(parent, parts)
    for (const holder of [part, def]) {
      for (const key of one) add(holder[key], parts)
      for (const list of several.map((key) => holder[key]).filter(Array.isArray)) {
        for (const each of list) add(each, parts)
      }
    }
  }
  return parts
}

/** Returns the internals of a zod schema; empty for any other schema. */
export function zodOf(schema: Node): ZodInternals {
  return (schema['_zod'] as ZodInternals | undefined) ?? {}
}

function add(value: unknown, parts: Set<Node>): void {
  // An arktype type is a function.
  const isNode = (typeof value === 'object' && value !== null) || typeof value === 'function'
  if (isNode) parts.add(value as Node)
}
