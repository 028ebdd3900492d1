import type { Ajv, KeywordCxt } from 'ajv'

type Ajvs = typeof import('ajv')

/** The places of two equal items: the one that is reported, and the other. */
export type Twins = readonly [number, number]

const SCALARS = /^(?:string|number|integer|boolean|null)$/

/**
 * Ajv compares each item with each other: 100 kB of objects take seconds, though all is well with them. Here each is looked
 * up among those before. What is equal, and which items are named, is as before.
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

/** Whether all items are said to be scalars; Ajv then names the earlier of two equal ones first. */
function hasScalars(items: { type?: string | string[] } | undefined): boolean {
  const types = [items?.type ?? []].flat()
  return types.length > 0 && types.every((type) => SCALARS.test(type))
}

/** The last item that is equal to one before it. */
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

/** The last item that is equal to one behind it. */
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

/** The same for equal values, and another for all others; a number is its own key, so that `-0` is `0`. */
function keyOf(value: unknown): unknown {
  if (typeof value === 'string') return `"${value}`
  return typeof value === 'object' && value !== null ? textOf(value) : value
}

/** JSON with the properties of objects in one order. */
function textOf(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return String(JSON.stringify(value))
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`
  const { toJSON } = value as { toJSON?: unknown }
  // A middleware may have made a date of a text.
  if (typeof toJSON === 'function') return `(${JSON.stringify(value)})`
  const properties = value as Record<string, unknown>
  const parts = Object.keys(properties)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${textOf(properties[name])}`)
  return `{${parts.join(',')}}`
}
