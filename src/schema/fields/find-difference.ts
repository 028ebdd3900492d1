import { isNode } from '../dialect/conversion.js'
import type { Path } from './matcher.js'

/** Returns the path of the first part that JSON data has and its reduced copy lacks; `null` if there is none. */
export function findDifference(plain: unknown, reduced: unknown): Path | null {
  if (Array.isArray(plain)) {
    if (!Array.isArray(reduced)) return []
    return firstOf(plain.keys(), (index) =>
      index < reduced.length ? inPart(index, plain[index], reduced[index]) : [index],
    )
  }
  if (!isNode(plain)) return null
  if (!isNode(reduced)) return []
  return firstOf(Object.keys(plain), (name) =>
    // A dropped part is `undefined`, in an object as in a list.
    reduced[name] === undefined ? [name] : inPart(name, plain[name], reduced[name]),
  )
}

function inPart(key: string | number, plain: unknown, reduced: unknown): Path | null {
  const path = findDifference(plain, reduced)
  return path === null ? null : [key, ...path]
}

function firstOf<T>(keys: Iterable<T>, find: (key: T) => Path | null): Path | null {
  for (const key of keys) {
    const path = find(key)
    if (path !== null) return path
  }
  return null
}
