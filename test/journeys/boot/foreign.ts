import type { Class } from 'blazon'

/**
 * Applies decorators of another framework to a class or to one of its methods, in the order of the compiler: the last
 * one first. They are called as functions because they support the legacy dialect only.
 */
export function decorate(target: Class, key: string | null, ...decorators: unknown[]): void {
  for (const decorator of decorators.reverse() as ((...args: unknown[]) => unknown)[]) {
    if (key === null) decorator(target)
    else decorator(target.prototype, key, Object.getOwnPropertyDescriptor(target.prototype, key))
  }
}

/** Applies a decorator to a parameter of a method, or, without a key, of the constructor. */
export function decorateParameter(
  target: Class,
  key: string | undefined,
  index: number,
  decorator: unknown,
): void {
  const apply = decorator as (...args: unknown[]) => unknown
  apply(key === undefined ? target : target.prototype, key, index)
}
