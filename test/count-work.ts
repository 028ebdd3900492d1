import { vi } from 'vitest'

/** Any method: the spies replace many, and pass everything on. */
type Method = (this: unknown, ...args: unknown[]) => unknown
type Cost = (subject: never, argument: unknown) => number

const whole: Cost = (subject: { readonly length: number }) => subject.length
const one: Cost = () => 1

/** Methods that search, and how many characters or items a call may look at. */
const METHODS: readonly [prototype: object, name: string, cost: Cost][] = [
  [String.prototype, 'charCodeAt', one],
  [String.prototype, 'startsWith', (_, start) => String(start).length],
  [String.prototype, 'includes', whole],
  [String.prototype, 'indexOf', whole],
  [String.prototype, 'toLowerCase', whole],
  [Array.prototype, 'indexOf', whole],
  [Array.prototype, 'findIndex', whole],
  [Set.prototype, 'add', one],
]

/**
 * Counts the work of a function: the characters and items that its searches may look at, and the entries that it adds to sets.
 * The count is the same in every run, as a time is not.
 */
export function countWork(run: () => unknown): number {
  let work = 0
  const spies = METHODS.map(([prototype, name, cost]) => {
    const methods = prototype as Record<string, Method>
    const own = methods[name] as Method
    return vi.spyOn(methods, name).mockImplementation(function count(this: unknown, ...args) {
      work += cost(this as never, args[0])
      return Reflect.apply(own, this, args)
    })
  })
  try {
    run()
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return work
}
