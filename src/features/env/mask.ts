import { inspect } from 'node:util'

/** Written in place of a secret. */
export const MASK = '••••'

/**
 * Makes the frozen object of variables. A secret is read like any other property. It is not enumerable, so copies, JSON and
 * serializers leave it out, and a getter, so `inspect` with `showHidden` does not show it either.
 *
 * @param isShown Whether a property may be printed.
 */
export function maskSecrets<T extends object>(values: T, isShown: (name: string) => boolean): T {
  const made = {}
  for (const [name, value] of Object.entries(values)) {
    freezePlain(value)
    const property = isShown(name) ? { value, enumerable: true } : { get: () => value }
    Object.defineProperty(made, name, property)
  }
  const masked = () => maskedCopy(values, isShown)
  for (const key of ['toJSON', inspect.custom]) {
    if (!Object.hasOwn(made, key)) Object.defineProperty(made, key, { value: masked })
  }
  // The properties are the properties of `values`.
  return Object.freeze(made) as T
}

/** Freezes lists and plain objects, and their content. Instances of classes stay as they are. */
function freezePlain(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  const prototype: unknown = Object.getPrototypeOf(value)
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return
  for (const each of Object.values(Object.freeze(value))) freezePlain(each)
}

function maskedCopy(values: object, isShown: (name: string) => boolean): object {
  const copy = {}
  for (const [name, value] of Object.entries(values)) {
    // Not by assignment: the name may be `__proto__`.
    const shown = isShown(name) ? value : MASK
    Object.defineProperty(copy, name, { value: shown, enumerable: true })
  }
  return copy
}
