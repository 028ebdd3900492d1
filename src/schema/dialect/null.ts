import type { OpenApiSchema } from '../../contracts/openapi.js'

/** `null` and nothing else. The type is there because `nullable` says nothing without one. */
export const NULL: OpenApiSchema = { type: 'string', nullable: true, enum: [null] }

export function isNull({ type, nullable, enum: values }: OpenApiSchema): boolean {
  return type !== undefined && nullable === true && values?.length === 1 && values[0] === null
}

/** Adds `null` to a schema; `undefined` where `nullable` would not reach: beside references and combinations. */
export function withNull(schema: OpenApiSchema): OpenApiSchema | undefined {
  const { type, enum: values, allOf, anyOf, oneOf, not, nullable } = schema
  if (type === undefined || allOf || anyOf || oneOf || not) return undefined
  if (nullable === true && (values === undefined || values.includes(null))) return schema
  // `enum` has its say after `nullable`: without null in it, null is refused.
  if (values !== undefined) return { ...schema, nullable: true, enum: [...values, null] }
  return { ...schema, nullable: true }
}
