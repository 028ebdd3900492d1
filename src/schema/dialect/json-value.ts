/**
 * Converts a value to JSON data; dates and bigints become text. Returns `undefined` for a value that JSON
 * cannot hold.
 */
export function toJsonValue(value: unknown): unknown {
  if (value === undefined || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && !Number.isFinite(value)) return undefined
  try {
    const text = JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}` : part))
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    // The value contains itself, or a `toJSON` throws.
    return undefined
  }
}
