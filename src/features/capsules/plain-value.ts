import type { PlainValue } from '../../contracts/capsule.js'
import { isFlag } from '../../schema/secret-name.js'

const HIDDEN = '[secret]'
const DEEPEST = 20
const MARK = /^\$(?:date|bytes|bigint|number|undefined|object)$/

/** How values become plain. */
export interface PlainConfig {
  /** Returns a text without secrets. */
  readonly hide: (text: string) => string
  /** Whether the value of a field of this name is a secret. */
  readonly isSecret: (name: string) => boolean
  /** Called with the name of each field whose value was left out. */
  readonly onHidden: (name: string) => void
}

/** A value is too large, or refers to itself. */
export class TooLargeError extends Error {}

/** Copies values as plain data without secrets, until they together are too large. */
export class PlainValues {
  readonly #config: PlainConfig
  #left: number

  /** @param most How many characters all values together may have. */
  constructor(config: PlainConfig, most: number) {
    this.#config = config
    this.#left = most
  }

  /** @throws TooLargeError */
  of(value: unknown, depth = 0): PlainValue {
    this.#take(1)
    if (depth > DEEPEST) throw new TooLargeError()
    if (typeof value === 'string') return this.#text(value)
    if (value === null || typeof value === 'boolean') return value
    if (typeof value === 'number') return this.#number(value)
    if (typeof value === 'bigint') return this.#marked('$bigint', String(value))
    if (value === undefined || typeof value === 'function' || typeof value === 'symbol')
      return { $undefined: true }
    return this.#object(value, depth + 1)
  }

  #text(text: string): string {
    const hidden = this.#config.hide(text)
    this.#take(hidden.length)
    return hidden
  }

  #number(value: number): PlainValue {
    const text = String(value)
    if (!Number.isFinite(value)) return { $number: text }
    return this.#config.hide(text) === text ? value : HIDDEN
  }

  #marked(mark: string, text: string): PlainValue {
    return this.#config.hide(text) === text ? { [mark]: text } : HIDDEN
  }

  #object(value: object, depth: number): PlainValue {
    if (value instanceof Date) return { $date: Number.isNaN(+value) ? '' : value.toISOString() }
    if (value instanceof Uint8Array) return this.#bytes(value)
    if (Array.isArray(value)) return value.map((item) => this.of(item, depth))
    const { toJSON } = value as { readonly toJSON?: unknown }
    if (typeof toJSON === 'function') return this.of(toJSON.call(value), depth)
    const fields = Object.entries(value).map(([name, field]) => this.#field(name, field, depth))
    const copied = Object.fromEntries(fields)
    return fields.some(([name]) => MARK.test(name)) ? { $object: copied } : copied
  }

  #field(name: string, value: unknown, depth: number): [string, PlainValue] {
    const shown = this.#text(name)
    if (isFlag(value) || !this.#config.isSecret(name)) return [shown, this.of(value, depth)]
    this.#config.onHidden(shown)
    return [shown, HIDDEN]
  }

  /** Bytes may be the text of a secret. */
  #bytes(value: Uint8Array): PlainValue {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    this.#take(bytes.length * 2)
    const text = bytes.toString()
    if (this.#config.hide(text) !== text) return HIDDEN
    return { $bytes: bytes.toString('base64') }
  }

  #take(length: number): void {
    this.#left -= length
    if (this.#left < 0) throw new TooLargeError()
  }
}

/** The value that a plain one was copied from. */
export function fromPlain(value: PlainValue): unknown {
  if (Array.isArray(value)) return value.map(fromPlain)
  if (typeof value !== 'object' || value === null) return value
  const fields = value as { readonly [name: string]: PlainValue }
  const [name = '', ...others] = Object.keys(fields)
  if (others.length > 0 || !MARK.test(name)) return mapped(fields)
  const text = String(fields[name])
  if (name === '$date') return new Date(text)
  if (name === '$bytes') return Buffer.from(text, 'base64')
  if (name === '$bigint') return BigInt(text)
  if (name === '$number') return Number(text)
  if (name === '$undefined') return undefined
  return mapped(fields[name] as typeof fields)
}

function mapped(fields: { readonly [name: string]: PlainValue }): object {
  return Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, fromPlain(each)]))
}
