import type { SchemaConverters } from '../contracts/openapi.js'
import type { Schema } from '../contracts/schema.js'
import type { CompiledInput } from '../pipeline/steps/validate.js'
import { fieldNames } from '../schema/object-fields.js'
import type { Settings } from './settings/settings.js'

/**
 * Returns the names that a schema contains, if error messages may repeat only these names. `null` if messages may
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
  let names: ReadonlySet<string> | undefined
  return (name) => {
    names ??= fieldNames(schema, converters) ?? new Set()
    return names.has(name)
  }
}
