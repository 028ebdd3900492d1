/**
 * Merges explicit options over defaults, deeply. Plain objects are merged key by key; every other value
 * (list, class, instance, function) replaces the default.
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
