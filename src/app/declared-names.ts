import type { SchemaConverters } from '../contracts/openapi.js'
import type { Schema } from '../contracts/schema.js'
import type { CompiledInput } from '../pipeline/steps/validate.js'
import { describeOnce } from '../schema/describe-once.js'
import type { Settings } from './settings/settings.js'

/** Says which names a schema contains, where error messages may repeat only those; `null` where they may repeat any. */
export type DeclaresOf = (schema: Schema) => CompiledInput['declares']

/** Makes that function for an application. */
export function declaresFor({ validation, converters }: Settings): DeclaresOf {
  return (schema) => (validation.isGeneric ? declaredNames(schema, converters) : null)
}

/**
 * Says which names a schema itself contains, as far as JSON Schema can say it. Read with the first question: most schemas never
 * refuse anything.
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
    // What cannot be described declares nothing.
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
