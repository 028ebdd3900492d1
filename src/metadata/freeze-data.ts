/**
 * Freezes plain objects and arrays, and all that they contain. Instances of classes, such as schemas and dates, stay as
 * they are: their own code may change them.
 */
export function freezeData<T>(value: T, seen: Set<unknown> = new Set()): T {
  if (typeof value !== 'object' || value === null || seen.has(value)) return value
  seen.add(value)
  const prototype: unknown = Object.getPrototypeOf(value)
  const isPlain = Array.isArray(value) || prototype === Object.prototype || prototype === null
  if (!isPlain) return value
  Object.freeze(value)
  for (const each of Object.values(value)) freezeData(each, seen)
  return value
}
