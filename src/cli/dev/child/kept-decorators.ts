/** The key under which the application finds the list; `metadata/applied.ts` explains it. */
const LIST = Symbol.for('blazon.decorators')

/** Has the application record its decorators from the start, for the places of boot errors. */
export function keepDecorators(): void {
  Object.defineProperty(globalThis, LIST, { value: [] })
}

/** The decorators that ran, in every copy of this package in the process. */
export function keptDecorators(): readonly unknown[] {
  return (globalThis as { [LIST]?: readonly unknown[] })[LIST] ?? []
}
