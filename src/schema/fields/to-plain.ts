import { types } from 'node:util'
import { setOwn } from '../set-own.js'
import type { Path } from './matcher.js'
import { nestedKind, remedyFor, type Unsendable } from './unsendable.js'

/** A part of a response has no form in JSON. */
export class UnsendableError extends TypeError {
  readonly kind: Unsendable
  /** The keys from the root of the value to the part. */
  readonly path: Path

  constructor(kind: Unsendable, path: Path) {
    const place = path.length === 0 ? '' : ` at '${path.join('.')}'`
    super(`${kind}${place} has no form in JSON: ${remedyFor(kind)}.`)
    this.kind = kind
    this.path = path
  }
}

/** The objects that contain the current one, and the keys that lead to it. */
interface Trail {
  readonly open: Set<object>
  readonly path: (string | number)[]
}

/**
 * Returns the data that `JSON.parse(JSON.stringify(value))` returns. `undefined` if JSON leaves the value out.
 *
 * @param key The key of the value, for its `toJSON`.
 * @throws UnsendableError for parts whose JSON would be `{}` although they hold data.
 * @throws TypeError for a value that contains itself.
 */
export function toPlain(value: unknown, key: string | number = ''): unknown {
  return convert(value, key, { open: new Set(), path: [] })
}

/**
 * Refuses data whose JSON hides a part of it. Nothing but `{}` in the text can stand for such a part, so most bodies are not
 * searched.
 *
 * @param text The JSON of the value.
 * @throws UnsendableError for parts whose JSON is `{}` although they hold data.
 */
export function refuseHidden(value: unknown, text: string): void {
  if (text.includes('{}')) toPlain(value)
}

/** As {@link toPlain}, for a value whose `toJSON` has been called. */
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

/** Returns the primitive of a boxed one. `JSON.stringify` converts numbers and text, and reads the others. */
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
