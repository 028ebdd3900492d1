import type { OpenApiDocument, OpenApiSchema } from '../../contracts/openapi-3-0.js'
import {
  breaking,
  compatible,
  type LocalChange,
  narrowed,
  show,
  widened,
  within,
} from './change.js'
import {
  type Comparison,
  isNullable,
  resolveSchema,
  type SchemaPair,
  type SeenPairs,
  type Side,
  withoutNull,
} from './resolve-schema.js'

/** Compares two schemas. A narrower request schema and a wider response schema break clients. */
export function compareSchemas(pair: SchemaPair, comparison: Comparison): LocalChange[] {
  const { base, current, seen = new Map() } = pair
  if (comparison.equality.isSame(base, current)) return []
  if (!isFirst(pair, seen)) return []
  const resolved: Required<SchemaPair> = {
    ...pair,
    base: resolveSchema(base, comparison.base),
    current: resolveSchema(current, comparison.current),
    seen,
  }
  if (isUnion(resolved.base) !== isUnion(resolved.current) && isTyped(resolved)) {
    return [...compareNullable(resolved), ...compareChoices(resolved, comparison)]
  }
  const types = compareTypes(resolved)
  if (types.some(({ rule }) => rule === 'type-changed')) return types
  return [
    ...types,
    ...compareNullable(resolved),
    ...compareVisibility(resolved),
    ...compareEnums(resolved),
    ...compareBounds(resolved),
    ...compareProperties(resolved, comparison),
    ...compareRest(resolved, comparison),
    ...compareItems(resolved, comparison),
    ...(hasChoices(resolved) ? compareChoices(resolved, comparison) : []),
  ]
}

function isUnion(schema: OpenApiSchema): boolean {
  return typeOf(schema) === 'one of several'
}

function hasChoices({ base, current }: SchemaPair): boolean {
  return [base.oneOf, base.anyOf, current.oneOf, current.anyOf].some((list) => list !== undefined)
}

function isTyped({ base, current }: SchemaPair): boolean {
  return typeOf(base) !== 'any' && typeOf(current) !== 'any'
}

/**
 * Whether this pair occurs for the first time. Only a reference can lead back to the same place, so pairs without
 * references are not stored. A schema without a reference is identified by its object, because two different schemas
 * can be paired with the same reference.
 */
function isFirst({ base, current }: SchemaPair, seen: SeenPairs): boolean {
  if (base.$ref === undefined && current.$ref === undefined) return true
  const from = base.$ref ?? base
  const known = seen.get(from) ?? new Set()
  seen.set(from, known)
  const { size } = known
  return known.add(current.$ref ?? current).size > size
}

function compareTypes(pair: SchemaPair): LocalChange[] {
  const [from, to] = [typeOf(pair.base), typeOf(pair.current)]
  if (from === to) return []
  const message = `The type was ${from} and is now ${to}.`
  const isWider = to === 'any' || (from === 'integer' && to === 'number')
  const isNarrower = from === 'any' || (from === 'number' && to === 'integer')
  if (isWider) return [widened(pair, 'type-widened', message)]
  if (isNarrower) return [narrowed(pair, 'type-narrowed', message)]
  return [breaking('type-changed', pair.location, message)]
}

function typeOf({ type, enum: values, properties, anyOf, oneOf }: OpenApiSchema): string {
  if (type !== undefined) return type
  if (properties !== undefined) return 'object'
  if (anyOf !== undefined || oneOf !== undefined) return 'one of several'
  const types = new Set(values?.filter((value) => value !== null).map((value) => typeof value))
  return types.size === 1 ? String([...types][0]) : 'any'
}

function compareNullable(pair: SchemaPair): LocalChange[] {
  const [from, to] = [isNullable(pair.base), isNullable(pair.current)]
  if (from === to || typeOf(pair.base) === 'any' || typeOf(pair.current) === 'any') return []
  return to
    ? [widened(pair, 'null-added', 'The value can now be null.')]
    : [narrowed(pair, 'null-removed', 'The value can no longer be null.')]
}

function compareEnums(pair: SchemaPair): LocalChange[] {
  const [from, to] = [pair.base.enum, pair.current.enum]
  if (from === undefined && to === undefined) return []
  if (from === undefined) {
    return [narrowed(pair, 'enum-narrowed', `Only these values are now allowed: ${list(to)}.`)]
  }
  if (to === undefined) {
    return [widened(pair, 'enum-widened', `The value is no longer limited to ${list(from)}.`)]
  }
  const gone = from.filter((value) => !to.includes(value))
  const fresh = to.filter((value) => !from.includes(value))
  return [
    ...(gone.length > 0
      ? [narrowed(pair, 'enum-narrowed', `Values were removed: ${list(gone)}.`)]
      : []),
    ...(fresh.length > 0
      ? [widened(pair, 'enum-widened', `Values were added: ${list(fresh)}.`)]
      : []),
  ]
}

function list(values: readonly unknown[] | undefined): string {
  return (values ?? []).map(show).join(', ')
}

function compareProperties(pair: Required<SchemaPair>, comparison: Comparison): LocalChange[] {
  const from = propertiesOf(pair.base, pair.side, comparison.base)
  const to = propertiesOf(pair.current, pair.side, comparison.current)
  const names = new Set([...Object.keys(from), ...Object.keys(to)])
  return [...names].flatMap((name) => {
    const inner = { ...pair, location: within(pair.location, name) }
    const base = Object.hasOwn(from, name) ? from[name] : undefined
    const current = Object.hasOwn(to, name) ? to[name] : undefined
    const wasRequired = pair.base.required?.includes(name) === true
    const isRequired = pair.current.required?.includes(name) === true
    if (current === undefined) {
      return [breaking('property-removed', inner.location, 'The field was removed.')]
    }
    if (base === undefined) {
      return isRequired && pair.side === 'request'
        ? [breaking('required-property-added', inner.location, 'The field is new, and required.')]
        : [compatible('property-added', inner.location, 'The field is new.')]
    }
    return [
      ...compareRequired(inner, wasRequired, isRequired),
      ...compareSchemas({ ...inner, base, current }, comparison),
    ]
  })
}

/**
 * Returns the properties for one side: requests have no `readOnly` properties, and responses no `writeOnly` properties.
 */
function propertiesOf(
  { properties = {} }: OpenApiSchema,
  side: Side,
  document: OpenApiDocument,
): Readonly<Record<string, OpenApiSchema>> {
  const isHidden = (property: OpenApiSchema) => {
    const { readOnly, writeOnly } = resolveSchema(property, document)
    return side === 'request' ? readOnly === true : writeOnly === true
  }
  return Object.fromEntries(Object.entries(properties).filter(([, each]) => !isHidden(each)))
}

function compareRequired(pair: SchemaPair, was: boolean, is: boolean): LocalChange[] {
  if (was === is) return []
  return is
    ? [narrowed(pair, 'property-required', 'The field was optional and is now required.')]
    : [widened(pair, 'property-optional', 'The field was required and is now optional.')]
}

/** Compares `additionalProperties`. Clients ignore unknown response properties, so new properties break nothing. */
function compareRest(pair: Required<SchemaPair>, comparison: Comparison): LocalChange[] {
  const [from, to] = [pair.base.additionalProperties, pair.current.additionalProperties]
  if (typeof from === 'object' && typeof to === 'object') {
    const location = within(pair.location, '*')
    return compareSchemas({ ...pair, base: from, current: to, location }, comparison)
  }
  if (from !== false && to === false) {
    return [narrowed(pair, 'object-closed', 'Fields that are not listed are no longer allowed.')]
  }
  return from === false && to !== false
    ? [compatible('object-opened', pair.location, 'Fields that are not listed are now allowed.')]
    : []
}

function compareItems(pair: Required<SchemaPair>, comparison: Comparison): LocalChange[] {
  const { items: base } = pair.base
  const { items: current } = pair.current
  if (base === undefined || current === undefined) return []
  return compareSchemas({ ...pair, base, current, location: `${pair.location}[]` }, comparison)
}

/**
 * Compares the branches of a union. A schema without branches counts as its only branch. Branches that are in both
 * documents match in any order. If one branch remains on each side, these two count as one changed branch. If more
 * remain, a branch with a compatible counterpart does not break clients.
 */
function compareChoices(pair: Required<SchemaPair>, comparison: Comparison): LocalChange[] {
  const { equality } = comparison
  const [from, to] = [choicesOf(pair.base), choicesOf(pair.current)]
  const gone = from.filter((choice) => !to.some((other) => equality.isSame(choice, other)))
  const fresh = to.filter((choice) => !from.some((other) => equality.isSame(other, choice)))
  const [base, current] = [gone[0], fresh[0]]
  if (base !== undefined && current !== undefined && gone.length + fresh.length === 2) {
    return compareSchemas({ ...pair, base, current }, comparison)
  }
  const standsFor = (older: OpenApiSchema, newer: OpenApiSchema) =>
    !compareSchemas(
      { ...pair, base: older, current: newer, seen: copyOf(pair.seen) },
      comparison,
    ).some(({ isBreaking }) => isBreaking)
  const isRequest = pair.side === 'request'
  const lost = isRequest
    ? gone.filter((older) => !to.some((newer) => standsFor(older, newer)))
    : gone
  const added = isRequest
    ? fresh
    : fresh.filter((newer) => !from.some((older) => standsFor(older, newer)))
  return [
    ...(lost.length > 0 ? [narrowed(pair, 'choice-removed', count(lost, 'gone'))] : []),
    ...(added.length > 0 ? [widened(pair, 'choice-added', count(added, 'new'))] : []),
  ]
}

/**
 * Copies the compared pairs, because pairs that are compared only tentatively must be compared again before they are
 * reported.
 */
function copyOf(seen: SeenPairs): SeenPairs {
  return new Map([...seen].map(([from, to]) => [from, new Set(to)]))
}

function choicesOf(schema: OpenApiSchema): readonly OpenApiSchema[] {
  const { oneOf, anyOf } = schema
  return oneOf ?? anyOf ?? [withoutNull(schema)]
}

function count({ length }: readonly unknown[], what: string): string {
  return length === 1 ? `An alternative is ${what}.` : `${length} alternatives are ${what}.`
}

/** Compares the abilities (roles or permissions) that callers need for a field. A client may lack any new ability. */
function compareVisibility({ base, current, location }: SchemaPair): LocalChange[] {
  const [from, to] = [visibilityOf(base), visibilityOf(current)]
  const fresh = to.filter((ability) => !from.includes(ability))
  if (fresh.length > 0) {
    const message = `Callers need ${fresh.join(', ')} to see and to send the field.`
    return [breaking('visibility-narrowed', location, message)]
  }
  const gone = from.filter((ability) => !to.includes(ability))
  if (gone.length === 0) return []
  const message = `Callers no longer need ${gone.join(', ')} for the field.`
  return [compatible('visibility-widened', location, message)]
}

function visibilityOf({ 'x-visible-to': visibility }: OpenApiSchema): readonly string[] {
  return Array.isArray(visibility) ? visibility.map(String) : []
}

type BoundKey =
  | 'minimum'
  | 'maximum'
  | 'minLength'
  | 'maxLength'
  | 'minItems'
  | 'maxItems'
  | 'minProperties'
  | 'maxProperties'

const LOWER: readonly BoundKey[] = ['minimum', 'minLength', 'minItems', 'minProperties']
const UPPER: readonly BoundKey[] = ['maximum', 'maxLength', 'maxItems', 'maxProperties']
const RULES = ['pattern', 'format', 'multipleOf', 'uniqueItems', 'not'] as const

/**
 * Compares the limits of a value, such as its length. Only the sender of a value can violate them, so a change in a
 * response breaks no client.
 */
function compareBounds(pair: SchemaPair): LocalChange[] {
  const { base, current } = pair
  return [
    ...LOWER.flatMap((key) => compareBound(pair, key, limit(current, key) - limit(base, key))),
    ...UPPER.flatMap((key) => compareBound(pair, key, limit(base, key) - limit(current, key))),
    ...RULES.flatMap((key) => compareRule(pair, key)),
  ]
}

/** Returns a bound as a number. An exclusive bound counts as slightly stricter. */
function limit(schema: OpenApiSchema, key: BoundKey): number {
  const isLower = LOWER.includes(key)
  const value = schema[key]
  if (value === undefined) return isLower ? -Number.MAX_VALUE : Number.MAX_VALUE
  const isExclusive =
    (key === 'minimum' && schema.exclusiveMinimum) || (key === 'maximum' && schema.exclusiveMaximum)
  const step = Math.max(Math.abs(value) * Number.EPSILON, Number.MIN_VALUE)
  if (isExclusive !== true) return value
  return isLower ? value + step : value - step
}

function compareBound(pair: SchemaPair, key: BoundKey, tightening: number): LocalChange[] {
  if (tightening === 0) return []
  const message = `${key} was ${describe(pair.base, key)} and is now ${describe(pair.current, key)}.`
  return [change(pair, tightening > 0 ? 'bound-tightened' : 'bound-loosened', message)]
}

function describe(schema: OpenApiSchema, key: BoundKey): string {
  const isExclusive =
    (key === 'minimum' && schema.exclusiveMinimum) || (key === 'maximum' && schema.exclusiveMaximum)
  return `${show(schema[key])}${isExclusive === true ? ' (exclusive)' : ''}`
}

function compareRule(pair: SchemaPair, key: (typeof RULES)[number]): LocalChange[] {
  const [from, to] = [pair.base[key] || undefined, pair.current[key] || undefined]
  if (JSON.stringify(from) === JSON.stringify(to)) return []
  const message = `${key} was ${show(from)} and is now ${show(to)}.`
  return [change(pair, to === undefined ? 'bound-loosened' : 'bound-tightened', message)]
}

function change(pair: SchemaPair, rule: string, message: string): LocalChange {
  const isBreaking = pair.side === 'request' && rule === 'bound-tightened'
  return (isBreaking ? breaking : compatible)(rule, pair.location, message)
}
