/**
 * Sets an own property of a record, with any key. A plain assignment to `__proto__` would change the
 * prototype.
 */
export function setOwn<T>(record: Record<string, T>, key: string, value: T): void {
  if (key !== '__proto__') record[key] = value
  else {
    const data = { value, enumerable: true, writable: true, configurable: true }
    Object.defineProperty(record, key, data)
  }
}
