import type { SchemaConverters } from '../contracts/openapi.js'
import type { Schema } from '../contracts/schema.js'
import type { CompiledInput } from '../pipeline/steps/validate.js'
import { describeOnce } from '../schema/describe-once.js'
import type { Settings } from './settings/settings.js'

/**
 * Returns the names that a schema contains, if error messages may repeat only those. `null` if messages may
 * repeat any name.
 */
export type DeclaresOf = (schema: Schema) => CompiledInput['declares']

/** Creates the {@link DeclaresOf} of an application. */
export function declaresFor({ validation, converters }: Settings): DeclaresOf {
  return (schema) => (validation.isGeneric ? declaredNames(schema, converters) : null)
}

/**
 * Returns whether a schema contains a name, as far as its JSON Schema shows. The schema is read at the first call,
 * because most schemas never reject a value.
 */
function declaredNames(
  schema: Schema,
  converters: SchemaConverters | undefined,
): (name: string) => boolean {
  let names: Set<string> | undefined
  return (name) => {
    names ??= readNames(schema, converters)
    return names.has(name)
  }
}

function readNames(schema: Schema, converters: SchemaConverters | undefined): Set<string> {
  const names = new Set<string>()
  try {
    const described = describeOnce(schema, { side: 'input', ...(converters && { converters }) })
    collect([described.schema, described.definitions], names, new Set())
  } catch {
    // A schema without JSON Schema declares no names.
  }
  return names
}

function collect(value: unknown, names: Set<string>, seen: Set<object>): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  const { properties, required } = value as { properties?: unknown; required?: unknown }
  if (typeof properties === 'object' && properties !== null) {
    for (const name of Object.keys(properties)) names.add(name)
  }
  if (Array.isArray(required)) for (const name of required) names.add(String(name))
  for (const child of Object.values(value)) collect(child, names, seen)
}
