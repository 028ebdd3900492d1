/** A value as JSON shows it, or `undefined` where it cannot: dates are text, and so are bigints here. */
export function toJsonValue(value: unknown): unknown {
  if (value === undefined || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && !Number.isFinite(value)) return undefined
  try {
    const text = JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}` : part))
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    // A circle, or a `toJSON` that throws.
    return undefined
  }
}
