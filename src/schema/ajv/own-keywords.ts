import type { Ajv, KeywordCxt } from 'ajv'

type Ajvs = typeof import('ajv')

/** The indexes of two equal items. The reported item is first. */
export type Twins = readonly [number, number]

const SCALARS = /^(?:string|number|integer|boolean|null)$/

/**
 * Replaces the code of `uniqueItems`. Ajv compares each item with every other item, so 100 kB of valid objects take
 * seconds. The replacement looks up each item in a map of the earlier items. It uses the same equality and reports the
 * same items.
 */
export function replaceUniqueItems(ajv: Ajv, { _ }: Pick<Ajvs, '_'>): void {
  const rule = ajv.RULES.all['uniqueItems']
  if (typeof rule !== 'object') return
  function code(cxt: KeywordCxt): void {
    const { gen, data, schema, parentSchema } = cxt
    if (schema !== true) return
    const find = hasScalars(parentSchema.items) ? findScalarTwins : findTwins
    const twins = gen.const('twins', _`${gen.scopeValue('func', { ref: find })}(${data})`)
    cxt.setParams({ i: _`${twins}[0]`, j: _`${twins}[1]` })
    cxt.fail(_`${twins} !== undefined`)
  }
  rule.definition = { ...rule.definition, $data: false, code }
}

/** Whether the schema allows only scalars as items. For scalars, Ajv reports the earlier of two equal items first. */
function hasScalars(items: { type?: string | string[] } | undefined): boolean {
  const types = [items?.type ?? []].flat()
  return types.length > 0 && types.every((type) => SCALARS.test(type))
}

/** Returns the index of the last item that equals an earlier item, and the index of the earlier item. */
export function findTwins(items: readonly unknown[]): Twins | undefined {
  const seen = new Map<unknown, number>()
  let twins: Twins | undefined
  for (let i = 0; i < items.length; i++) {
    const key = keyOf(items[i])
    const before = seen.get(key)
    if (before !== undefined) twins = [i, before]
    seen.set(key, i)
  }
  return twins
}

/** Returns the index of the last item that equals a later item, and the index of the later item. */
function findScalarTwins(items: readonly unknown[]): Twins | undefined {
  const seen = new Map<unknown, number>()
  for (let i = items.length - 1; i >= 0; i--) {
    const key = keyOf(items[i])
    const behind = seen.get(key)
    if (behind !== undefined) return [i, behind]
    seen.set(key, i)
  }
  return undefined
}

/** Returns a map key that only equal values share. A number is its own key, so `-0` equals `0`. */
function keyOf(value: unknown): unknown {
  if (typeof value === 'string') return `"${value}`
  return typeof value === 'object' && value !== null ? textOf(value) : value
}

/** Returns a value as JSON with sorted property names. */
function textOf(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return String(JSON.stringify(value))
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`
  const { toJSON } = value as { toJSON?: unknown }
  // A middleware may have converted a string to an object with `toJSON`, such as a `Date`.
  if (typeof toJSON === 'function') return `(${JSON.stringify(value)})`
  const properties = value as Record<string, unknown>
  const parts = Object.keys(properties)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${textOf(properties[name])}`)
  return `{${parts.join(',')}}`
}

/** The tolerance for a quotient: twice its relative error if both numbers were rounded from decimal fractions. */
const ERROR = 2 ** -51

/**
 * Whether a number is a multiple of another number in decimal notation: 19.99 is a multiple of 0.01, although the
 * quotient of their binary values is 1998.9999999999998.
 *
 * @param step The divisor, greater than 0.
 */
export function isMultiple(value: number, step: number): boolean {
  // The remainder of two binary values is exact, so this check is sufficient for an integer step.
  if (value % step === 0) return true
  if (Number.isInteger(step)) return false
  const quotient = value / step
  return Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * ERROR
}

/**
 * Makes `multipleOf` compare numbers with {@link isMultiple}. Ajv's own code wrongly rejects one in seven prices with
 * cents.
 */
export function replaceMultipleOf(ajv: Ajv, { _ }: Pick<typeof import('ajv'), '_'>): void {
  const rule = ajv.RULES.all['multipleOf']
  if (typeof rule !== 'object') return
  function code(cxt: KeywordCxt): void {
    const { gen, data, schemaCode } = cxt
    cxt.fail(_`!${gen.scopeValue('func', { ref: isMultiple })}(${data}, ${schemaCode})`)
  }
  rule.definition = { ...rule.definition, $data: false, code }
}
