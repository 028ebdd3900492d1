/**
 * Puts explicit options over defaults, deeply: objects that are plain are merged key by key, anything else
 * (lists, classes, instances, functions) is replaced whole (specification section 4.7, rule 2).
 */
export function mergeOptions<T extends object>(defaults: object, explicit: T): T {
  const merged: Record<string, unknown> = { ...defaults }
  for (const [key, value] of Object.entries(explicit)) {
    const base = merged[key]
    merged[key] = isPlain(base) && isPlain(value) ? mergeOptions(base, value) : (value ?? base)
  }
  return merged as T
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
