import type { Schema } from '../contracts/schema.js'
import { jsonIfDescribed } from './json-once.js'
import { partsOf, zodOf } from './schema-parts.js'

/** The schemas of each field of an object, by name. A union may have several for one field. */
export type ObjectFields = ReadonlyMap<string, readonly unknown[]>

/**
 * Lists the fields that a schema of an object names.
 *
 * @returns `null` if the schema does not show its fields: it describes another value, or its library is unknown and does
 * not describe itself.
 */
export function objectFields(schema: Schema): ObjectFields | null {
  // The results of a transform have other names. They are looked at only if nothing else has any: in `z.preprocess`.
  const fields = fieldsOf(schema, false) ?? fieldsOf(schema, true)
  if (fields !== null) return fields
  const properties = describedProperties(schema)
  return properties && new Map(Object.entries(properties).map(([name, json]) => [name, [json]]))
}

function fieldsOf(schema: Schema, withResults: boolean): ObjectFields | null {
  const fields = new Map<string, unknown[]>()
  let isObject = false
  for (const part of partsOf(schema, { withResults })) {
    const entries = entriesOf(part)
    isObject ||= entries !== null
    for (const [name, field] of entries ?? []) {
      fields.set(name, [...(fields.get(name) ?? []), field])
    }
  }
  return isObject ? fields : null
}

type Entries = readonly (readonly [string, unknown])[]

/** The fields of an object of zod, valibot or arktype, or of a JSON Schema. */
function entriesOf(part: Readonly<Record<string, unknown>>): Entries | null {
  const named = zodOf(part).def?.['shape'] ?? (zodOf(part).def ? undefined : part['entries'])
  const properties = named ?? ('~standard' in part ? undefined : part['properties'])
  // Arktype calls them `props`. Its getter throws for schemas that are not objects.
  if (properties === undefined && typeof part === 'function') return propsOf(part)
  return typeof properties === 'object' && properties !== null ? Object.entries(properties) : null
}

function propsOf(type: { readonly props?: readonly { key: unknown; value: unknown }[] }) {
  try {
    const props = type.props ?? []
    // A list of arktype has `props` as well, without an item.
    return props.length === 0 ? null : props.map(({ key, value }) => [String(key), value] as const)
  } catch {
    return null
  }
}

function describedProperties(schema: Schema): object | null {
  const json = jsonIfDescribed(schema, { side: 'input' }) as
    | { properties?: unknown }
    | null
    | undefined
  const properties = json?.properties
  return typeof properties === 'object' ? properties : null
}
