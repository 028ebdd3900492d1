import { setOwn } from '../schema/set-own.js'

/**
 * A deep copy of plain data. Tools that resolve references modify the document that they receive, so no
 * object may be in two documents. For a document of 1,000 operations this takes about half the time of a copy
 * by `JSON.stringify` and `JSON.parse`.
 */
export function deepCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => deepCopy(item)) as T
  const copy: Record<string, unknown> = {}
  for (const key in value) {
    const child: unknown = value[key]
    // As in JSON, a property whose value is `undefined` is left out.
    if (child === undefined) continue
    setOwn(copy, key, deepCopy(child))
  }
  return copy as T
}
