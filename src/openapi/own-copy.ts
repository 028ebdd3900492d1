import { setOwn } from '../schema/set-own.js'

/**
 * A copy of plain data that shares nothing with it: tools that resolve references write into the document they are given, and
 * must write into no other. A document of 1,000 operations takes about half the time that JSON there and back takes.
 */
export function ownCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => ownCopy(item)) as T
  const copy: Record<string, unknown> = {}
  for (const key in value) {
    const child: unknown = value[key]
    // As in JSON, what is undefined is absent.
    if (child === undefined) continue
    setOwn(copy, key, ownCopy(child))
  }
  return copy as T
}
