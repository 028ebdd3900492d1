import type { OpenApiSchema } from '../../contracts/openapi.js'
import type * as Lowered from '../../contracts/openapi-3-0.js'
import { isNever, NEVER } from './conversion.js'

/** Builds a union in its shortest form, with `null` in the form that OpenAPI allows. */
export function anyOf(schemas: readonly Lowered.OpenApiSchema[]): Lowered.OpenApiSchema
export function anyOf(schemas: readonly OpenApiSchema[]): OpenApiSchema
export function anyOf(schemas: readonly OpenApiSchema[]): OpenApiSchema {
  return union('anyOf', schemas)
}

/** Like {@link anyOf}, but exactly one schema may match. */
export function oneOf(schemas: readonly Lowered.OpenApiSchema[]): Lowered.OpenApiSchema
export function oneOf(schemas: readonly OpenApiSchema[]): OpenApiSchema {
  return union('oneOf', schemas)
}

function union(keyword: 'anyOf' | 'oneOf', schemas: readonly OpenApiSchema[]): OpenApiSchema {
  const possible = schemas.filter((schema) => !isNever(schema))
  const nulls = possible.filter(isNull)
  const others = mergeEnums(possible.filter((schema) => !isNull(schema)))
  // In a `oneOf` with several `null` branches, `null` matches each of them, so it is refused.
  const hasNull = keyword === 'oneOf' ? nulls.length === 1 : nulls.length > 0
  const [inner, ...more] = others
  // A union beside `null` becomes one union that includes `null`.
  if (hasNull && inner !== undefined && more.length === 0 && isUnionWithoutNull(inner)) {
    return union(inner.oneOf ? 'oneOf' : 'anyOf', [...(inner.oneOf ?? inner.anyOf ?? []), NULL])
  }
  const branches = hasNull ? addNull(others, { mayRepeat: keyword === 'anyOf' }) : others
  const [only] = branches
  if (only === undefined) return NEVER
  return branches.length === 1 ? only : { [keyword]: branches }
}

function isUnionWithoutNull({ anyOf: any, oneOf: one, ...others }: OpenApiSchema): boolean {
  if (Object.keys(others).length > 0 || (any !== undefined && one !== undefined)) return false
  const branches = any ?? one ?? []
  return (
    branches.length > 0 && branches.every(({ type, nullable }) => type !== undefined && !nullable)
  )
}

function addNull(
  schemas: readonly OpenApiSchema[],
  { mayRepeat }: { readonly mayRepeat: boolean },
): OpenApiSchema[] {
  for (const [at, schema] of schemas.entries()) {
    // In `oneOf`, `null` matches both this branch and the `null` branch, so it is refused. If the two branches were
    // merged, `null` would be accepted.
    if (schema.nullable === true && !mayRepeat) continue
    const nullable = withNull(schema)
    if (nullable !== undefined) return schemas.map((each, i) => (i === at ? nullable : each))
  }
  return [...schemas, NULL]
}

function mergeEnums(schemas: readonly OpenApiSchema[]): OpenApiSchema[] {
  const merged: OpenApiSchema[] = []
  for (const schema of schemas) {
    const at = merged.findIndex((other) => isBareEnum(other) && isMergeable(other, schema))
    const into = merged[at]
    if (into === undefined) merged.push(schema)
    else merged[at] = { ...into, enum: [...(into.enum ?? []), ...(schema.enum ?? [])] }
  }
  return merged.map(withoutFullEnum)
}

function isBareEnum({ type, enum: values, ...others }: OpenApiSchema): boolean {
  return type !== undefined && values !== undefined && Object.keys(others).length === 0
}

function isMergeable(a: OpenApiSchema, b: OpenApiSchema): boolean {
  return isBareEnum(b) && a.type === b.type && !b.enum?.some((value) => a.enum?.includes(value))
}

/** Drops the enum of a boolean that lists both `true` and `false`. */
export function withoutFullEnum(schema: Lowered.OpenApiSchema): Lowered.OpenApiSchema
export function withoutFullEnum(schema: OpenApiSchema): OpenApiSchema
export function withoutFullEnum(schema: OpenApiSchema): OpenApiSchema {
  const { enum: values, ...others } = schema
  if (schema.type !== 'boolean' || !values?.includes(true) || !values.includes(false)) return schema
  if ((schema.nullable === true) !== values.includes(null)) return schema
  return others
}

/** A schema that accepts only `null`. It has a type, because `nullable` has no effect without one. */
export const NULL: Lowered.OpenApiSchema = { type: 'string', nullable: true, enum: [null] }

export function isNull({ type, nullable, enum: values }: OpenApiSchema): boolean {
  return type !== undefined && nullable === true && values?.length === 1 && values[0] === null
}

/**
 * Adds `null` to a schema. Returns `undefined` for references, combinations and schemas without a type, for which
 * `nullable` has no effect.
 */
export function withNull(schema: Lowered.OpenApiSchema): Lowered.OpenApiSchema | undefined
export function withNull(schema: OpenApiSchema): OpenApiSchema | undefined
export function withNull(schema: OpenApiSchema): OpenApiSchema | undefined {
  const { type, enum: values, allOf, anyOf, oneOf, not, nullable } = schema
  if (type === undefined || allOf || anyOf || oneOf || not) return undefined
  if (nullable === true && (values === undefined || values.includes(null))) return schema
  // `enum` also applies to `null`: an enum without `null` rejects `null` despite `nullable`.
  if (values !== undefined) return { ...schema, nullable: true, enum: [...values, null] }
  return { ...schema, nullable: true }
}
