import type { OpenApiSchema } from '../../contracts/openapi.js'
import type * as Lowered from '../../contracts/openapi-3-0.js'

/** A schema that accepts only `null`. It has a type because `nullable` has no effect without one. */
export const NULL: Lowered.OpenApiSchema = { type: 'string', nullable: true, enum: [null] }

export function isNull({ type, nullable, enum: values }: OpenApiSchema): boolean {
  return type !== undefined && nullable === true && values?.length === 1 && values[0] === null
}

/**
 * Adds `null` to a schema. Returns `undefined` for references, combinations and schemas without a type, where
 * `nullable` has no effect.
 */
export function withNull(schema: Lowered.OpenApiSchema): Lowered.OpenApiSchema | undefined
export function withNull(schema: OpenApiSchema): OpenApiSchema | undefined
export function withNull(schema: OpenApiSchema): OpenApiSchema | undefined {
  const { type, enum: values, allOf, anyOf, oneOf, not, nullable } = schema
  if (type === undefined || allOf || anyOf || oneOf || not) return undefined
  if (nullable === true && (values === undefined || values.includes(null))) return schema
  // `enum` also applies to `null`: an enum without `null` refuses it in spite of `nullable`.
  if (values !== undefined) return { ...schema, nullable: true, enum: [...values, null] }
  return { ...schema, nullable: true }
}
