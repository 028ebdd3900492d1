/** Copies what an Express prototype defines itself, getters included; what it inherits is Node's and stays Node's. */
export function copyDescriptors(target: object, source: object): void {
  const descriptors = Object.getOwnPropertyDescriptors(source)
  Object.defineProperties(target, descriptors)
}
