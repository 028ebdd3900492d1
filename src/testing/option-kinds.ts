/** Whether a value is a seed. */
export function isInt32(value: unknown): boolean {
  return typeof value === 'number' && value === (value | 0)
}

/** Whether a value is a whole number from 1 on. */
export function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0
}

export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
