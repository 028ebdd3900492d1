/**
 * Copies the own properties of an Express prototype, including getters. Properties inherited from Node are not
 * copied.
 */
export function copyDescriptors(target: object, source: object): void {
  const descriptors = Object.getOwnPropertyDescriptors(source)
  Object.defineProperties(target, descriptors)
}
