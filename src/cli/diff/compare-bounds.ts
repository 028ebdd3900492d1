import type { OpenApiSchema } from '../../contracts/openapi-3-0.js'
import { breaking, compatible, type LocalChange, show } from './change.js'
import type { SchemaPair } from './schema-pair.js'

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
 * Compares the limits of a value, such as its length. Only the sender of a value can break them, so only
 * requests are compared.
 */
export function compareBounds(pair: SchemaPair): LocalChange[] {
  const { base, current } = pair
  return [
    ...LOWER.flatMap((key) => compareBound(pair, key, limit(current, key) - limit(base, key))),
    ...UPPER.flatMap((key) => compareBound(pair, key, limit(base, key) - limit(current, key))),
    ...RULES.flatMap((key) => compareRule(pair, key)),
  ]
}

/** A bound as a number. An exclusive bound counts as slightly stricter. */
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
  const message = `${key} was ${describe(pair.base, key)} and is ${describe(pair.current, key)}.`
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
  const message = `${key} was ${show(from)} and is ${show(to)}.`
  return [change(pair, to === undefined ? 'bound-loosened' : 'bound-tightened', message)]
}

function change(pair: SchemaPair, rule: string, message: string): LocalChange {
  const isBreaking = pair.side === 'request' && rule === 'bound-tightened'
  return (isBreaking ? breaking : compatible)(rule, pair.location, message)
}
