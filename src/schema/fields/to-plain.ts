import { types } from 'node:util'
import { setOwn } from '../set-own.js'
import type { Path } from './matcher.js'

/** Thrown for a part of a response that JSON cannot represent. */
export class UnsendableError extends TypeError {
  readonly kind: Unsendable
  /** The keys from the root of the value to this part. */
  readonly path: Path

  constructor(kind: Unsendable, path: Path) {
    const place = path.length === 0 ? '' : ` at '${path.join('.')}'`
    super(`${kind}${place} has no JSON representation: ${remedyFor(kind)}.`)
    this.kind = kind
    this.path = path
  }
}

/** The objects around the current one, and the keys that lead to it. */
interface Trail {
  readonly open: Set<object>
  readonly path: (string | number)[]
}

/**
 * Returns the data that `JSON.parse(JSON.stringify(value))` returns; `undefined` if JSON omits the value.
 *
 * @param key The key of the value, for its `toJSON`.
 * @throws UnsendableError for a bigint, and for parts whose JSON would be `{}` although they contain data.
 * @throws TypeError for a value that contains itself.
 */
export function toPlain(value: unknown, key: string | number = ''): unknown {
  return convert(value, key, { open: new Set(), path: [] })
}

/**
 * Refuses data if its JSON omits the content of a part. The JSON of such a part is always `{}`, so bodies without `{}`
 * are not searched.
 *
 * @param text The JSON of the value.
 * @throws UnsendableError for parts whose JSON is `{}` although they contain data.
 */
export function refuseHidden(value: unknown, text: string): void {
  if (text.includes('{}')) toPlain(value)
}

/** Like {@link toPlain}, for a value whose `toJSON` has already been called. */
export function dataToPlain(value: unknown): unknown {
  return convertData(value, { open: new Set(), path: [] })
}

function convert(value: unknown, key: string | number, trail: Trail): unknown {
  return convertData(callToJson(value, key), trail)
}

/** Calls `toJSON`, as `JSON.stringify` does. */
export function callToJson(value: unknown, key: string | number): unknown {
  if (value === null) return value
  if (typeof value !== 'object' && typeof value !== 'function' && typeof value !== 'bigint') {
    return value
  }
  const { toJSON } = value as { readonly toJSON?: unknown }
  return typeof toJSON === 'function' ? toJSON.call(value, String(key)) : value
}

/**
 * Returns the primitive value of a boxed primitive. `JSON.stringify` converts boxed numbers and strings, and reads the
 * value of other boxed primitives.
 */
export function unbox(value: object): unknown {
  if (types.isNumberObject(value)) return Number(value)
  if (types.isStringObject(value)) return String(value)
  if (types.isBooleanObject(value)) return Boolean.prototype.valueOf.call(value)
  return types.isBigIntObject(value) ? BigInt.prototype.valueOf.call(value) : value
}

function convertData(value: unknown, trail: Trail): unknown {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? value : null
    case 'bigint':
      throw new UnsendableError('a BigInt', [...trail.path])
    case 'undefined':
    case 'function':
    case 'symbol':
      return undefined
    case 'object':
      return value === null ? null : convertObject(value, trail)
    default:
      return value
  }
}

function convertObject(value: object, trail: Trail): unknown {
  const { open, path } = trail
  if (types.isBoxedPrimitive(value)) return convertData(unbox(value), trail)
  if (open.has(value)) throw new TypeError('The value contains itself, which JSON cannot express')
  const kind = nestedKind(value)
  if (kind !== null) throw new UnsendableError(kind, [...path])
  open.add(value)
  const enter = (key: string | number) => {
    path.push(key)
    const plain = convert((value as Record<string | number, unknown>)[key], key, trail)
    path.pop()
    return plain
  }
  const plain = Array.isArray(value) ? convertList(value, enter) : convertFields(value, enter)
  open.delete(value)
  return plain
}

type Enter = (key: string | number) => unknown

function convertList({ length }: readonly unknown[], enter: Enter): unknown[] {
  return Array.from({ length }, (_, index) => enter(index) ?? null)
}

function convertFields(value: object, enter: Enter): Record<string, unknown> {
  const plain: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    const data = enter(name)
    if (data !== undefined) setOwn(plain, name, data)
  }
  return plain
}

/** The kinds of values that JSON cannot represent, and how to replace each in a response. */
const REMEDIES = {
  'a Map': 'return Object.fromEntries(map), or a list of its entries',
  'a Set': 'return a list: [...set]',
  'a WeakMap': 'return its data as an object',
  'a WeakSet': 'return its data as a list',
  'a Promise': 'await it first',
  'a generator': 'return a list ([...generator]), or a stream: Readable.from(generator)',
  'an async generator':
    'return a list (await Array.fromAsync(generator)), or a stream: Readable.from(generator)',
  'a function': 'call it, and return its result',
  'a symbol': 'return its description',
  'a BigInt': 'return a number, or a string: String(value)',
  'an Error': 'throw it',
  'a regular expression': 'return its source: expression.source',
  'an iterator': 'return a list: [...iterator]',
  'an async iterator': 'return a list (await Array.fromAsync(iterator)), or use @JsonLines',
  'a URLSearchParams': 'return Object.fromEntries(params), or a string: String(params)',
  'a Headers': 'return Object.fromEntries(headers)',
  'a FormData': 'return Object.fromEntries(form), without its files',
  'a Blob': 'return it directly, not inside other data',
  'a Request': 'return only the parts that the client needs',
  'a Response': 'return it directly, or its data: await response.json()',
  'a ReadableStream': 'return it directly, not inside other data',
  'an ArrayBuffer': 'return it directly, or a string: Buffer.from(buffer).toString("base64")',
  'a DataView':
    'return a string: Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString("base64")',
  'a WeakRef': 'return its data: reference.deref()',
} as const

type Unsendable = keyof typeof REMEDIES

/** Returns advice for replacing a value that JSON cannot represent, as a part of a sentence. */
export function remedyFor(kind: Unsendable): string {
  return REMEDIES[kind]
}

/**
 * Returns the kind of a value that JSON cannot represent; `null` for all other values. JSON can represent every value
 * with a `toJSON` method.
 */
export function unsendableKind(value: unknown): Unsendable | null {
  switch (typeof value) {
    case 'symbol':
      return 'a symbol'
    case 'bigint':
      return hasForm(value) ? null : 'a BigInt'
    case 'function':
      return hasForm(value) ? null : 'a function'
    case 'object':
      return value === null || hasForm(value) ? null : kindOfObject(value)
    default:
      return null
  }
}

function hasForm(value: unknown): boolean {
  return typeof (value as { readonly toJSON?: unknown }).toJSON === 'function'
}

/** The kinds that can be identified only by their string tag, because another copy of undici has different classes. */
const BY_TAG: ReadonlyMap<string, Unsendable> = new Map([
  ['URLSearchParams', 'a URLSearchParams'],
  ['Headers', 'a Headers'],
  ['FormData', 'a FormData'],
  ['Blob', 'a Blob'],
  ['File', 'a Blob'],
  ['Request', 'a Request'],
  ['Response', 'a Response'],
  ['ReadableStream', 'a ReadableStream'],
  ['ArrayBuffer', 'an ArrayBuffer'],
  ['SharedArrayBuffer', 'an ArrayBuffer'],
  ['DataView', 'a DataView'],
  ['WeakRef', 'a WeakRef'],
])

function kindOfObject(value: object): Unsendable | null {
  if (types.isMap(value)) return 'a Map'
  if (types.isSet(value)) return 'a Set'
  if (types.isNativeError(value)) return 'an Error'
  if (types.isPromise(value)) return 'a Promise'
  if (types.isGeneratorObject(value)) {
    return Symbol.asyncIterator in value ? 'an async generator' : 'a generator'
  }
  if (types.isRegExp(value)) return 'a regular expression'
  if (types.isWeakMap(value)) return 'a WeakMap'
  if (types.isWeakSet(value)) return 'a WeakSet'
  return BY_TAG.get(tagOf(value)) ?? kindOfIterator(value)
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1)
}

/** Returns the kind of an iterator, whose values are in its closure and therefore missing from its JSON. */
function kindOfIterator(value: object): Unsendable | null {
  if (typeof (value as { readonly next?: unknown }).next !== 'function') return null
  if (Symbol.iterator in value) return 'an iterator'
  return Symbol.asyncIterator in value ? 'an async iterator' : null
}

/** Like {@link unsendableKind}, for an object inside a value. The fields of an error inside data count as data. */
export function nestedKind(value: object): Unsendable | null {
  const kind = unsendableKind(value)
  return kind === 'an Error' ? null : kind
}
