/** Deeper than the schemas that people write. A deeper schema counts as a schema that contains itself. */
const MOST_LEVELS = 64

/** Fields of a schema that hold arbitrary values, not schemas. */
const VALUES: readonly string[] = ['default', 'fallback', 'literal', '~standard']

/**
 * Whether a valibot schema contains itself, by `v.lazy` or by a getter in the entries of an object. Also true
 * when that cannot be determined: for each `v.lazy`, and for a very deep schema.
 */
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
