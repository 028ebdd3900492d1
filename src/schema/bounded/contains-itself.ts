/** Deeper than anybody writes a schema that ends. */
const MOST_LEVELS = 64

/** Parts of a schema that are values: they may be anything. */
const VALUES: readonly string[] = ['default', 'fallback', 'literal', '~standard']

/** Whether a schema of valibot contains itself, by `v.lazy` or by a getter of an object's entries; also where that cannot be told. */
export function containsItself(schema: object): boolean {
  const path = new Set<object>()
  const finite = new Set<object>()
  function visit(part: unknown): boolean {
    if (typeof part !== 'object' || part === null || finite.has(part)) return false
    const { type } = part as { type?: unknown }
    if (type === 'lazy' || path.has(part) || path.size === MOST_LEVELS) return true
    path.add(part)
    const names = Object.keys(part).filter((name) => !VALUES.includes(name))
    const isFound = names.some((name) => visit((part as Record<string, unknown>)[name]))
    path.delete(part)
    finite.add(part)
    return isFound
  }
  return visit(schema)
}
