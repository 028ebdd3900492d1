import type { DescribedSchema, OpenApiSchema } from '../contracts/openapi.js'
import { isNull } from '../schema/dialect/union.js'
import { mapChildren, someBelow } from '../schema/keywords.js'
import { COMPONENT } from './map-schema.js'

/**
 * The maximum depth of a chain of alternatives, because a schema can be recursive. A deeper chain is treated as if it
 * had no constants.
 */
const MAX_DEPTH = 8

interface Components {
  /** Returns the component that a reference points to; any other schema is returned unchanged. */
  resolve(schema: OpenApiSchema): OpenApiSchema
}

/** Whether a schema has a discriminator, at any depth. */
export function hasDiscriminator(schema: OpenApiSchema): boolean {
  return isDiscriminated(schema) || someBelow(schema, isDiscriminated)
}

function isDiscriminated({ discriminator }: OpenApiSchema): boolean {
  return discriminator !== undefined
}

/**
 * Removes discriminator values whose target is not one of the description's definitions, and reports a loss for each.
 */
export function checkMappings(described: DescribedSchema): DescribedSchema {
  const { schema, definitions } = described
  const bodies = [schema, ...definitions.map((each) => each.schema)]
  if (!bodies.some(hasDiscriminator)) return described
  const known = new Set(definitions.map(({ name }) => COMPONENT + name))
  const losses = [...described.losses]
  const check = (part: OpenApiSchema): OpenApiSchema => {
    if (!hasDiscriminator(part)) return part
    const checked = mapChildren(part, check)
    const { discriminator, discriminator: { mapping } = {} } = part
    if (discriminator === undefined || mapping === undefined) return checked
    const entries = Object.entries(mapping)
    const lost = entries.filter(([, target]) => !known.has(target)).map(([value]) => value)
    if (lost.length > 0) losses.push({ path: '', cause: unmapped(lost) })
    const kept = entries.filter(([, target]) => known.has(target))
    return { ...checked, discriminator: { ...discriminator, mapping: Object.fromEntries(kept) } }
  }
  return {
    schema: check(schema),
    definitions: definitions.map((each) => ({ ...each, schema: check(each.schema) })),
    losses,
  }
}

function unmapped(values: readonly string[]): string {
  return `Its discriminator has no named schema for ${values.map((value) => `'${value}'`).join(', ')}: name the alternatives with \`$id\` or \`.meta({ id })\`.`
}

/**
 * Completes each discriminator with the component for every value, because readers would otherwise use the component
 * name as the value. A discriminator without effect is removed: readers ignore alternatives that are not components
 * (OpenAPI 3.0.3, 4.7.25) and values that are not strings.
 */
export function settleDiscriminators(schema: OpenApiSchema, components: Components): OpenApiSchema {
  if (!hasDiscriminator(schema)) return schema
  const { discriminator, ...others } = mapChildren(schema, (child) =>
    settleDiscriminators(child, components),
  )
  if (discriminator === undefined) return others
  const settled = settle({ ...others, discriminator }, components)
  return settled === undefined ? others : { ...others, discriminator: settled }
}

type Discriminator = NonNullable<OpenApiSchema['discriminator']>

function settle(
  schema: OpenApiSchema & { readonly discriminator: Discriminator },
  components: Components,
): Discriminator | undefined {
  const { propertyName, mapping: stated = {} } = schema.discriminator
  const branches = alternativesOf(schema)
  const mapping = new Map(
    Object.entries(stated).filter(([, $ref]) => isKnown($ref, branches, components)),
  )
  // A schema without alternatives is the common base schema of all alternatives.
  if (branches.length === 0 && schema.properties === undefined) return undefined
  for (const { $ref } of branches) {
    const values = $ref === undefined ? null : valuesOf({ $ref }, propertyName, components)
    if ($ref === undefined || values?.some((value) => typeof value !== 'string')) return undefined
    for (const value of values ?? []) mapping.set(value as string, $ref)
  }
  return { propertyName, ...(mapping.size > 0 && { mapping: Object.fromEntries(mapping) }) }
}

function isKnown(
  $ref: string,
  branches: readonly OpenApiSchema[],
  { resolve }: Components,
): boolean {
  if (branches.length > 0) return branches.some((branch) => branch.$ref === $ref)
  return Object.keys(resolve({ $ref })).length > 0
}

/** Returns the alternatives of a union, without `null`. */
function alternativesOf({ oneOf, anyOf }: OpenApiSchema): readonly OpenApiSchema[] {
  return (oneOf ?? anyOf ?? []).filter((branch) => branch.type !== 'null' && !isNull(branch))
}

/** Returns the possible values of a property; `null` if they are not listed. */
function valuesOf(
  schema: OpenApiSchema,
  name: string,
  { resolve }: Components,
  depth = 0,
): readonly unknown[] | null {
  const whole = resolve(schema)
  if (depth > MAX_DEPTH) return null
  const own = whole.properties?.[name]
  if (own !== undefined) {
    const { const: only, enum: values } = resolve(own)
    return only === undefined ? (values ?? null) : [only]
  }
  const below = (part: OpenApiSchema) => valuesOf(part, name, { resolve }, depth + 1)
  const [first] = (whole.allOf ?? []).map(below).filter((values) => values !== null)
  if (first !== undefined) return first
  const lists = alternativesOf(whole).map(below)
  const listed = lists.filter((values) => values !== null)
  return lists.length > 0 && listed.length === lists.length ? listed.flat() : null
}
