/** The name of a function, a class, an instance or a token, for people. */
export function nameOf(value: unknown): string {
  if (typeof value === 'function') return value.name || 'anonymous'
  if (typeof value === 'string') return `'${value}'`
  if (typeof value === 'symbol') return String(value)
  const { description, constructor: made } = value as {
    description?: unknown
    constructor?: unknown
  }
  if (typeof description === 'string') return `token ${description}`
  const isOfClass = typeof made === 'function' && made !== Object
  return isOfClass ? nameOf(made) : 'anonymous object'
}

/** A value as JSON can hold it. Functions and instances become their names. */
export function plain(value: unknown, seen: readonly unknown[] = []): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (value === undefined || typeof value === 'bigint') return String(value)
  if (typeof value === 'function' || typeof value === 'symbol') return nameOf(value)
  if (seen.includes(value)) return 'circular'
  const inside = [...seen, value]
  if (Array.isArray(value)) return value.map((each) => plain(each, inside))
  if (value instanceof Date || value instanceof RegExp || value instanceof URL) return String(value)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return nameOf(value)
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each, inside)]))
}
