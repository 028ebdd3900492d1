import { isFlag, isSecretName } from '../../schema/secret-name.js'

/** The text in place of a value that no line contains. */
const HIDDEN = '[redacted]'

const DEPTH = 10
const ITEMS = 1000
/** The most names whose judgement is kept: a client may choose the names in a line. */
const MOST_NAMES = 1000

/** Turns facts into data that JSON can hold, without the values of hidden fields. */
export type ToPlain = (facts: object) => Record<string, unknown>

type IsHidden = (key: string, trail: readonly string[], isOfError: boolean) => boolean

/**
 * Creates the function that prepares the facts of lines. Fields with the name of a secret are hidden in any case,
 * unless they only state that there is one.
 *
 * @param fields The hidden fields: `password` is each field of this name, `card.number` the field `number` of each
 * `card`. Case does not matter.
 * @param secrets The names of the fields that are secret by their schemas. The name, the message and the stack of an
 * error are no such fields.
 */
export function plainFacts(fields: Iterable<string>, secrets: Iterable<string> = []): ToPlain {
  const paths = [...fields].map((field) => field.toLowerCase().split('.').reverse())
  const byName = new Map<string, string[][]>()
  for (const [name = '', ...parents] of paths) {
    byName.set(name, [...(byName.get(name) ?? []), parents])
  }
  const ofSchemas = new Set([...secrets].map((name) => name.toLowerCase()))
  const isHidden: IsHidden = (key, trail, isOfError) => {
    const name = key.toLowerCase()
    if (!isOfError && ofSchemas.has(name)) return true
    return byName.get(name)?.some((parents) => endsWith(trail, parents)) === true
  }
  const isSecret = rememberNames()
  return (facts) => new PlainCopy(isHidden, isSecret).entriesOf(facts, [])
}

function rememberNames(): (name: string) => boolean {
  const known = new Map<string, boolean>()
  return (name) => {
    const judged = known.get(name)
    if (judged !== undefined) return judged
    const isSecret = isSecretName(name)
    if (known.size < MOST_NAMES) known.set(name, isSecret)
    return isSecret
  }
}

function endsWith(trail: readonly string[], parents: readonly string[]): boolean {
  return parents.every((parent, i) => trail[trail.length - 1 - i]?.toLowerCase() === parent)
}

/** One copy. It never throws: getters and proxies of the program may. */
class PlainCopy {
  readonly #open = new Set<object>()
  readonly #isHidden: IsHidden
  readonly #isSecret: (name: string) => boolean

  constructor(isHidden: IsHidden, isSecret: (name: string) => boolean) {
    this.#isHidden = isHidden
    this.#isSecret = isSecret
  }

  entriesOf(value: object, trail: readonly string[], isOfError = false): Record<string, unknown> {
    const copy: Record<string, unknown> = {}
    for (const key of keysOf(value)) {
      const found = this.#isHidden(key, trail, isOfError) ? HIDDEN : this.#read(value, key, trail)
      // `__proto__` would set the prototype of the copy.
      if (found !== undefined) Object.defineProperty(copy, key, { ...OPEN, value: found })
    }
    return copy
  }

  #read(value: object, key: string, trail: readonly string[]): unknown {
    try {
      const member: unknown = value[key as keyof typeof value]
      const isHidden = !isFlag(member) && this.#isSecret(key)
      return isHidden ? HIDDEN : this.#copy(member, [...trail, key])
    } catch {
      return '[unreadable]'
    }
  }

  #copy(value: unknown, trail: readonly string[]): unknown {
    if (typeof value === 'bigint') return String(value)
    if (typeof value === 'symbol' || typeof value === 'function') return undefined
    if (typeof value !== 'object' || value === null) return value
    if (this.#open.has(value)) return '[circular]'
    if (trail.length > DEPTH) return '[deeper]'
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
    this.#open.add(value)
    try {
      return this.#copyObject(value, trail)
    } finally {
      this.#open.delete(value)
    }
  }

  #copyObject(value: object, trail: readonly string[]): unknown {
    if (value instanceof Error) return this.#copyError(value, trail)
    const { toJSON } = value as { toJSON?: unknown }
    // The trail becomes longer, because the result of `toJSON` may have a `toJSON` again.
    if (typeof toJSON === 'function') return this.#copy(toJSON.call(value), [...trail, ''])
    if (value instanceof Map) return this.entriesOf(Object.fromEntries(value), trail)
    const list = value instanceof Set ? [...value] : value
    if (!Array.isArray(list)) return this.entriesOf(value, trail)
    // An item belongs to the name of its list.
    return list
      .slice(0, ITEMS)
      .map((item) => this.#copy(item, [...trail.slice(0, -1), ...at(trail)]))
  }

  #copyError(error: Error, trail: readonly string[]): unknown {
    const { name, message, stack, cause } = error
    const own = this.entriesOf(error, trail)
    // Without its list, an `AggregateError` has no reason. Node throws one if a host has several addresses.
    const { errors } = error as Partial<AggregateError>
    const known = { name, message, stack, cause, ...(Array.isArray(errors) && { errors }) }
    return { ...own, ...this.entriesOf(known, trail, true) }
  }
}

const OPEN = { writable: true, enumerable: true, configurable: true } as const

function at(trail: readonly string[]): readonly string[] {
  return trail.slice(-1)
}

function keysOf(value: object): string[] {
  try {
    return Object.keys(value)
  } catch {
    return []
  }
}
