/** The name of a function, a class, an instance or a token, for people. */
export function nameOf(value: unknown): string {
  if (typeof value === 'function') return value.name || 'anonymous'
  if (typeof value === 'symbol') return String(value)
  if (typeof value === 'string') return `'${value}'`
  const { description, constructor: made } = value as {
    description?: unknown
    constructor?: unknown
  }
  if (typeof description === 'string') return `token ${description}`
  const isOfClass = typeof made === 'function' && made !== Object
  return isOfClass ? nameOf(made) : 'anonymous object'
}
