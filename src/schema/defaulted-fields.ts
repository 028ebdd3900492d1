import type { Schema } from '../contracts/schema.js'
import { jsonIfDescribed } from './json-once.js'
import { KeyedSchema } from './keyed-schema.js'
import { objectFields } from './object-fields.js'
import { isStandard, validateNow } from './validate-now.js'

/**
 * The fields of an object that have a value after the validation although the input leaves them out. A schema that needs a
 * promise to validate counts only with the defaults that it shows.
 */
export function defaultedFields(schema: Schema): readonly string[] {
  if (schema instanceof KeyedSchema) {
    const entries = Object.entries(schema.entries)
    return entries.flatMap(([name, part]) => (part !== null && isFilled(part) ? [name] : []))
  }
  if (!isStandard(schema)) return withDefault(schema)
  const fields = objectFields(schema) ?? new Map<string, readonly unknown[]>()
  const whole = validateNow(schema, {})
  if (whole !== undefined) {
    const made = Object(whole.value)
    return [...fields.keys()].filter(
      (name) => Object.hasOwn(made, name) && made[name] !== undefined,
    )
  }
  // A required field is missing, or a check refuses an empty object.
  if (schema['~standard'].vendor === 'arktype')
    return withDefault(jsonIfDescribed(schema, { side: 'input' }))
  return [...fields].flatMap(([name, alternatives]) =>
    alternatives.some((each) => isFilled(each as Schema)) ? [name] : [],
  )
}

/** Whether the schema of a field gives it a value if it is missing. */
function isFilled(field: Schema): boolean {
  if (!isStandard(field)) return field['default'] !== undefined
  // Of valibot, only a default counts: an object without the field is refused otherwise.
  if (field['~standard'].vendor === 'valibot')
    return (field as { default?: unknown }).default !== undefined
  return validateNow(field, undefined)?.value !== undefined
}

/** The properties with a default of a JSON Schema. In alternatives, Ajv fills in none. */
function withDefault(json: unknown): readonly string[] {
  const { properties = {}, allOf = [] } = Object(json) as {
    readonly properties?: Readonly<Record<string, { readonly default?: unknown }>>
    readonly allOf?: readonly unknown[]
  }
  const own = Object.entries(properties).filter(([, field]) => field.default !== undefined)
  return [...own.map(([name]) => name), ...allOf.flatMap(withDefault)]
}
