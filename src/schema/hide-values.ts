import { isSecretName, isSecretParameter } from './secret-name.js'
import { HIDDEN, type SecretTexts } from './secret-texts.js'

/** The secrets to hide in a value. */
export interface Hidden {
  readonly texts: SecretTexts
  /** The names of fields with secret values, in lower case. */
  readonly names: ReadonlySet<string>
}

/**
 * Returns a value without secrets: the value itself if it contains none, otherwise a copy. Plain objects, lists, maps,
 * sets, errors and instances of classes are searched; objects with internal state, such as streams, are not. Never
 * throws.
 */
export function hideIn<T>(value: T, hidden: Hidden): T {
  if (hidden.texts.isEmpty && hidden.names.size === 0) return value
  const copy = new HidingCopy(hidden)
  const copied = copy.of(value, 0)
  return copy.hasHidden ? (copied as T) : value
}

/**
 * Returns a request URL without secrets, and without the values of parameters whose names are secret. A client can
 * encode any character, so the parts are also compared in decoded form.
 */
export function hideInUrl(url: string, { texts, names }: Hidden): string {
  const at = url.indexOf('?')
  const hasNone = texts.isEmpty && names.size === 0
  if (hasNone && (at < 0 || isPlainQuery(url.slice(at + 1)))) return url
  const hidePart = (part: string) => {
    const plain = decode(part)
    const hidden = texts.hideIn(plain)
    return hidden === plain ? texts.hideIn(part) : hidden
  }
  if (at < 0) return hidePart(url)
  const pairs = url.slice(at + 1).split('&')
  const hidden = pairs.map((pair) => {
    const [sent = ''] = pair.split('=', 1)
    const name = decode(sent)
    const isNamed = isSecretParameter(name) || names.has(name.toLowerCase())
    return isNamed && pair.includes('=') ? `${sent}=${HIDDEN}` : hidePart(pair)
  })
  return `${hidePart(url.slice(0, at))}?${hidden.join('&')}`
}

/** Whether no parameter can have a secret name. One search through the query is sufficient for most requests. */
function isPlainQuery(query: string): boolean {
  return !/[%+]|(?:^|&)code=/i.test(query) && !isSecretName(query)
}

function decode(part: string): string {
  const text = part.replaceAll('+', ' ')
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The maximum depth to search. Objects at a greater depth are hidden. */
const DEPTH = 20
/** The maximum number of objects to search in one value. Any further objects are hidden. */
const MOST_OBJECTS = 10_000

/**
 * The standard fields of an error. They are not request fields, even if a schema has a secret field with the same name.
 */
const OF_ERRORS: ReadonlySet<PropertyKey> = new Set(['name', 'message', 'stack'])

/** The state while one value is copied. */
class HidingCopy {
  hasHidden = false
  readonly #hidden: Hidden
  readonly #seen = new Map<object, unknown>()

  constructor(hidden: Hidden) {
    this.#hidden = hidden
  }

  of(value: unknown, depth: number): unknown {
    const { texts } = this.#hidden
    if (typeof value === 'string') return this.#text(value)
    if (typeof value === 'number' || typeof value === 'bigint') {
      return texts.has(String(value)) ? this.#hide() : value
    }
    if (typeof value !== 'object' || value === null) return value
    const known = this.#seen.get(value)
    if (known !== undefined) return known
    if (depth > DEPTH || this.#seen.size > MOST_OBJECTS) return this.#hide()
    try {
      return this.#object(value, depth + 1)
    } catch {
      // A proxy or a getter in the application threw.
      return this.#hide()
    }
  }

  #hide(): string {
    this.hasHidden = true
    return HIDDEN
  }

  #text(text: string): string {
    const hidden = this.#hidden.texts.hideIn(text)
    if (hidden !== text) this.hasHidden = true
    return hidden
  }

  #object(value: object, depth: number): unknown {
    if (Array.isArray(value)) {
      const list: unknown[] = []
      this.#seen.set(value, list)
      for (const item of value) list.push(this.of(item, depth))
      return list
    }
    if (value instanceof Map) {
      const map = new Map()
      this.#seen.set(value, map)
      for (const [key, member] of value)
        map.set(this.of(key, depth), this.#field(key, member, depth))
      return map
    }
    if (value instanceof Set) {
      const set = new Set()
      this.#seen.set(value, set)
      for (const member of value) set.add(this.of(member, depth))
      return set
    }
    if (value instanceof Error) return this.#fields(value, depth)
    if (!isSearched(value)) return value
    const { toJSON } = value as { readonly toJSON?: unknown }
    return typeof toJSON === 'function'
      ? this.of(toJSON.call(value), depth)
      : this.#fields(value, depth)
  }

  #field(key: unknown, value: unknown, depth: number): unknown {
    const isNamed = typeof key === 'string' && this.#hidden.names.has(key.toLowerCase())
    return isNamed ? this.#hide() : this.of(value, depth)
  }

  /** The copy has the same class as the value, because loggers and error trackers check the class. */
  #fields(value: object, depth: number): object {
    const copied: object = Object.create(Object.getPrototypeOf(value))
    this.#seen.set(value, copied)
    const isError = value instanceof Error
    const getters = isError ? gettersOf(value) : []
    for (const key of [...Reflect.ownKeys(value), ...getters]) {
      const member = read(value, key)
      const isOfError = isError && OF_ERRORS.has(key)
      Object.defineProperty(copied, typeof key === 'string' ? this.#text(key) : key, {
        value: isOfError ? this.of(member, depth) : this.#field(key, member, depth),
        enumerable: Object.prototype.propertyIsEnumerable.call(value, key),
        writable: true,
        configurable: true,
      })
    }
    return copied
  }
}

function read(value: object, key: PropertyKey): unknown {
  try {
    return value[key as keyof typeof value]
  } catch {
    return '[unreadable]'
  }
}

/**
 * Returns the names of an error's getters. Their values are copied, because a getter can read private fields of the
 * error, which the copy does not have. All fields of a `DOMException` are getters.
 */
function gettersOf(error: Error): Set<PropertyKey> {
  const keys = new Set<PropertyKey>()
  let prototype: object | null = Object.getPrototypeOf(error)
  while (prototype !== null && prototype !== Error.prototype && prototype !== Object.prototype) {
    for (const key of Reflect.ownKeys(prototype)) {
      const isGetter = Object.getOwnPropertyDescriptor(prototype, key)?.get !== undefined
      if (isGetter && !Object.hasOwn(error, key)) keys.add(key)
    }
    prototype = Object.getPrototypeOf(prototype)
  }
  return keys
}

/** Whether a log shows only the fields of the object. Dates, buffers and streams have other content. */
function isSearched(value: object): boolean {
  const isPlain = Object.prototype.toString.call(value) === '[object Object]'
  return isPlain && typeof (value as { readonly on?: unknown }).on !== 'function'
}
