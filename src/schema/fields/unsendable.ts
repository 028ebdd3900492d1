import { types } from 'node:util'

/** The kinds of values whose JSON is `{}` although they hold data, and the values to return in their place. */
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
  'a BigInt': 'return a number, or text: String(value)',
  'an Error': 'throw it',
  'a regular expression': 'return its text: expression.source',
  'an iterator': 'return a list: [...iterator]',
  'an async iterator': 'return a list (await Array.fromAsync(iterator)), or use @JsonLines',
  'a URLSearchParams': 'return Object.fromEntries(params), or its text: String(params)',
  'a Headers': 'return Object.fromEntries(headers)',
  'a FormData': 'return Object.fromEntries(form), without its files',
  'a Blob': 'return it alone, without data around it',
  'a Request': 'return the parts of it that the client needs',
  'a Response': 'return it alone, or its data: await response.json()',
  'a ReadableStream': 'return it alone, without data around it',
  'an ArrayBuffer': 'return it alone, or text: Buffer.from(buffer).toString("base64")',
  'a WeakRef': 'return its data: reference.deref()',
} as const

/** A kind of value that has no form in JSON. */
export type Unsendable = keyof typeof REMEDIES

/** The remedy for a value without a form in JSON; part of a sentence. */
export function remedyFor(kind: Unsendable): string {
  return REMEDIES[kind]
}

/**
 * Names the kind of a value that has no form in JSON; `null` for all other values. A `toJSON` method gives every value
 * a form.
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

/** The kinds that only their tag names. Another copy of undici has other classes. */
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
  ['DataView', 'an ArrayBuffer'],
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

/** An iterator has nothing to show: its values are in its closure. An object with other fields may be data. */
function kindOfIterator(value: object): Unsendable | null {
  if (typeof (value as { readonly next?: unknown }).next !== 'function') return null
  if (Symbol.iterator in value) return 'an iterator'
  return Symbol.asyncIterator in value ? 'an async iterator' : null
}

/** As {@link unsendableKind}, for an object inside a value: the fields of an error inside data are data. */
export function nestedKind(value: object): Unsendable | null {
  const kind = unsendableKind(value)
  return kind === 'an Error' ? null : kind
}
