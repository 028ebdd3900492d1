/** Whether a value can be a seed: a whole number of 32 bits. */
export function isInt32(value: unknown): boolean {
  return typeof value === 'number' && value === (value | 0)
}

/** Whether a value is a whole number of at least 1. */
export function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0
}

export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
