import type { Capsule, PlainValue } from '../../contracts/capsule.js'
import { isFlag, isSecretName } from '../../schema/secret-name.js'
import { SecretTexts } from '../../schema/secret-texts.js'
import { TextSearch } from '../../schema/text-search.js'

const HIDDEN = '[secret]'
const DEEPEST = 20
const MARK = /^\$(?:date|bytes|bigint|number|undefined|object)$/

/** The configuration for converting values to plain data. */
export interface PlainConfig {
  /** Returns a string with its secrets removed. */
  readonly hide: (text: string) => string
  /** Whether the value of a field with this name is a secret. */
  readonly isSecret: (name: string) => boolean
  /** Receives the name of each field whose value is omitted. */
  readonly onHidden: (name: string) => void
}

/** The error for a value that is too large, or too deep, for example because it refers to itself. */
export class TooLargeError extends Error {}

/** Copies values as plain data without secrets. Throws if their total size is too large. */
export class PlainValues {
  readonly #config: PlainConfig
  #left: number

  /** @param most The maximum total number of characters of all values. */
  constructor(config: PlainConfig, most: number) {
    this.#config = config
    this.#left = most
  }

  /**
   * Returns a value as plain data.
   *
   * @throws TooLargeError
   */
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

  /** Returns bytes as plain data. If they contain a secret as text, they are hidden. */
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

/** Converts plain data back to the original value. */
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

/** The tenant sources that read the request's host. */
const OF_HOST: readonly unknown[] = ['host', 'subdomain']

/** Whether a request's host specifies its tenant. */
export function isTenantInHost({ record }: Pick<Capsule, 'record'>): boolean {
  return OF_HOST.includes(sourceOf(record))
}

/**
 * Returns the tenant that a caller must specify; `null` if the request already specifies it in its host, its path or a
 * header.
 */
export function tenantOf({ record, sent }: Pick<Capsule, 'record' | 'sent'>): string | null {
  const source = sourceOf(record)
  const { tenant } = record
  const isSent = sent.headers.some(([, value]) => value === tenant)
  const isInRequest = OF_HOST.includes(source) || source === 'path'
  return isInRequest || (source === 'header' && isSent) ? null : tenant
}

function sourceOf({ decisions }: Capsule['record']): unknown {
  return decisions.find(({ by }) => by === 'tenant')?.facts['source']
}

/** The minimum length of a secret. A shorter string is part of too many other strings. */
const SHORTEST = 4
/** The minimum length of a secret among the values of a statement. A shorter value may be an ID. */
const SHORTEST_VALUE = 8
const MOST = 5000
/** The search blocks the event loop, so the number of searched values is limited. */
const MOST_VALUES = 200_000
/** The user and password in a URL, such as `postgres://ada:secret@db/shop`. */
const IN_URL = /(?<=[a-z][\w+.-]*:\/\/)[^\s/?#@"'<>]+@/gi

/**
 * The secrets of a request that are recognized by field name, for example in rows, forms and headers. A value that is
 * secret in one place is hidden everywhere.
 */
export class FoundSecrets {
  readonly #found = new Set<string>()
  /** The text of the request that remains visible. */
  readonly #visible: string
  #texts: SecretTexts | undefined
  #left: number = MOST_VALUES
  #isTooDeep = false
  /** The objects that have already been searched, because an entity may refer to itself. */
  readonly #searched = new WeakSet<object>()

  /** @param visible The text of the request that remains visible, such as its URL. */
  constructor(visible: string) {
    this.#visible = visible
  }

  /** Whether there was too much data to search completely. */
  get isIncomplete(): boolean {
    return this.#isTooDeep || this.#left < 0 || this.#found.size > MOST
  }

  /** Finds the secrets in the fields of a value, at any depth. */
  search(value: unknown, isSecret = false, depth = 0): void {
    this.#left--
    if (depth > DEEPEST) this.#isTooDeep = true
    if (this.isIncomplete) return
    if (isSecret && isText(value)) this.#add(String(value), SHORTEST)
    if (typeof value !== 'object' || value === null) return
    if (value instanceof Uint8Array) {
      if (isSecret) this.#add(Buffer.from(value).toString(), SHORTEST)
      return
    }
    if (!isSecret && this.#searched.has(value)) return
    if (!isSecret) this.#searched.add(value)
    for (const [name, field] of Object.entries(value)) {
      const isNamed = !Array.isArray(value) && isSecretName(name)
      this.search(field, isSecret || isNamed, depth + 1)
    }
  }

  /** Finds the secrets in the values of a statement whose SQL contains the name of a secret. */
  searchValues(values: readonly unknown[]): void {
    const texts = values.filter(isText).map(String)
    const visible = new TextSearch(texts).first(this.#visible)
    for (const text of texts) if (!visible.has(text)) this.#add(text, SHORTEST_VALUE)
  }

  #add(text: string, shortest: number): void {
    if (text.length < shortest) return
    this.#found.add(text)
    // For `Bearer abc`, search for `abc` too, because other places contain only the token.
    const rest = /^\S+\s+(\S{4,})$/.exec(text)?.[1]
    if (rest !== undefined) this.#found.add(rest)
  }

  /** Returns a string without these secrets and without credentials in URLs. */
  readonly hideIn = (text: string): string => {
    this.#texts ??= new SecretTexts(this.#found)
    return this.#texts.hideIn(text).replace(IN_URL, '[secret]@')
  }
}

/**
 * Whether a value is a string, or a number that is long enough to search for. A number with few digits is rarely a
 * secret, and it is often part of other strings.
 */
function isText(value: unknown): value is string | number | bigint {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value).length > 5
  return typeof value === 'string'
}
