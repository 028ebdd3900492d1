import { isNode } from '../dialect/conversion.js'
import type { Path } from './matcher.js'

/**
 * Writes a path for the log: `data.items[0].id`. A name that the schema does not contain becomes `*`, because it comes
 * from the data: the key of a record may be an e-mail address.
 *
 * @param names All names of properties in the schema.
 */
export function showPath(path: Path, names: ReadonlySet<string>): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${names.has(key) ? key : '*'}`))
    .join('')
    .replace(/^\./, '')
}

/** Returns the names of all properties that a JSON Schema describes or requires, at any place. */
export function namesIn(schema: unknown): Set<string> {
  const names = new Set<string>()
  const seen = new Set<unknown>()
  const open = [schema]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    open.push(...Object.values(value))
    if (!isNode(value)) continue
    const { properties, required } = value
    if (isNode(properties)) for (const name of Object.keys(properties)) names.add(name)
    if (!Array.isArray(required)) continue
    for (const name of required) if (typeof name === 'string') names.add(name)
  }
  return names
}
