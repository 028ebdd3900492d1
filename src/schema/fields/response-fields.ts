import type { SchemaConverters } from '../../contracts/openapi.js'
import { dateText } from '../date-text.js'
import { isNode } from '../dialect/conversion.js'
import type { References } from '../dialect/references.js'
import { setOwn } from '../set-own.js'
import { createFastCopy, type FastCopy } from './fast-copy.js'
import {
  both,
  type Form,
  isAny,
  type Lazy,
  type ListForm,
  type ObjectForm,
  resolve,
  withoutChoices,
} from './form.js'
import { createMatcher, namesIn, type Path, showPath } from './matcher.js'
import { createFormReader } from './read-form.js'
import { type BodiesRoute, isEnveloped, type MadeRows, mapResponses } from './response-bodies.js'
import { callToJson, dataToPlain, nestedKind, toPlain, UnsendableError, unbox } from './to-plain.js'

/**
 * The result of a check: the body as plain data, or a description of its difference from the schema. The description
 * does not contain any values from the body.
 */
export type CheckedBody = { readonly plain: unknown; readonly lie: null } | { readonly lie: string }

/** The functions for the bodies with one status. */
export interface BodyFields {
  /** Returns a copy of the body with the fields that the schema names. */
  readonly strip: (body: unknown) => unknown
  /** Compares the body with the schema. */
  readonly check: (body: unknown) => CheckedBody
}

/** The functions for the responses with one status. */
export interface ResponseFields extends BodyFields {
  /** For data in the application's own envelope; `null` if the route does not have such an envelope. */
  readonly wrapped: {
    /** For the data before the envelope is added. */
    readonly data: BodyFields
    /** For the whole body, whose data has already been limited. */
    readonly body: BodyFields
  } | null
  /** For streamed rows; `null` if the schema does not describe a list of rows. */
  readonly rows: MadeRows<BodyFields> | null
}

/** Compiles the documented responses with a schema, by status. */
export function compileResponseFields(
  route: BodiesRoute,
  converters: SchemaConverters,
): ReadonlyMap<number, ResponseFields> {
  const made = mapResponses(route, converters, { of: ofBody, either: ofData })
  return new Map([...made].map(([status, { body, ...rest }]) => [status, { ...body, ...rest }]))
}

/** Compiles a schema that describes the whole body. */
function ofBody(schema: unknown, resolve: References['resolve']): BodyFields {
  const { matches, findMismatch } = createMatcher(resolve)
  const limit = limitTo(createFormReader(resolve, matches)(schema))
  const names = namesIn(schema)
  return {
    // If the schema allows no part of a body, `null` is sent, because an empty body is not valid JSON.
    strip: (body) => limit(body, '') ?? (body === undefined ? undefined : null),
    check(body) {
      const plain = readPlain(body)
      if (plain instanceof UnsendableError) {
        const { kind, path } = plain
        return { lie: `it has ${kind}${at(path, names)}, which has no JSON representation` }
      }
      const wrong = findMismatch(schema, plain)
      if (wrong !== null) return { lie: `it does not match its schema${at(wrong, names)}` }
      const extra = findDifference(plain, limit(plain, ''))
      if (extra === null) return { plain, lie: null }
      const place = at(extra, new Set([...names, ...extra.slice(-1).map(String)]))
      return { lie: `it has a field that its schema does not describe${place}` }
    },
  }
}

function readPlain(body: unknown): unknown {
  try {
    return toPlain(body)
  } catch (error) {
    if (error instanceof UnsendableError) return error
    throw error
  }
}

function at(path: Path, names: ReadonlySet<string>): string {
  return path.length === 0 ? '' : ` at '${showPath(path, names)}'`
}

/**
 * Combines the functions for a schema that describes the `data` of the envelope. In a body without an envelope, the
 * fields of the data are kept.
 */
function ofData(enveloped: BodyFields, bare: BodyFields): BodyFields {
  return {
    strip: (body) => (isEnveloped(body) ? enveloped : bare).strip(body),
    check: enveloped.check,
  }
}

/**
 * Returns the path of the first part of the JSON data that is missing from its reduced copy; `null` if no part is
 * missing.
 */
function findDifference(plain: unknown, reduced: unknown): Path | null {
  if (Array.isArray(plain)) {
    if (!Array.isArray(reduced)) return []
    return firstOf(plain.keys(), (index) =>
      index < reduced.length ? inPart(index, plain[index], reduced[index]) : [index],
    )
  }
  if (!isNode(plain)) return null
  if (!isNode(reduced)) return []
  return firstOf(Object.keys(plain), (name) =>
    // A dropped part is `undefined`, both in an object and in a list.
    reduced[name] === undefined ? [name] : inPart(name, plain[name], reduced[name]),
  )
}

function inPart(key: string | number, plain: unknown, reduced: unknown): Path | null {
  const path = findDifference(plain, reduced)
  return path === null ? null : [key, ...path]
}

function firstOf<T>(keys: Iterable<T>, find: (key: T) => Path | null): Path | null {
  for (const key of keys) {
    const path = find(key)
    if (path !== null) return path
  }
  return null
}

/**
 * Returns a value without the parts that its schema does not name, as a copy made of plain objects and lists for
 * `JSON.stringify`. No part of the original is read twice, because a getter or a proxy could return different data the
 * second time. Returns `undefined` for an object if the schema does not allow objects, and for a list if the schema
 * does not allow lists.
 *
 * @param key The key of the value, for its `toJSON`.
 * @throws UnsendableError for parts that JSON cannot represent.
 */
type LimitFields = (value: unknown, key: string | number) => unknown

/**
 * Like `LimitFields`, for an object or a list whose `toJSON` has already been called.
 *
 * @param isOriginal Whether the data is the original value and not the result of its `toJSON`.
 */
type LimitData = (data: object, isOriginal: boolean) => unknown

type Fields = Record<string, unknown>

const limits = new WeakMap<Form, LimitFields>()
const dataLimits = new WeakMap<Form, LimitData>()

/** Compiles a form to closures. Code is generated only in `fast-copy.ts`, if the runtime allows it. */
function limitTo(form: Form): LimitFields {
  const known = limits.get(form)
  if (known !== undefined) return known
  const limitData = limitDataTo(form)
  const limit: LimitFields = (value, key) => {
    const data = readData(value, key)
    return typeof data === 'object' && data !== null ? limitData(data, data === value) : data
  }
  limits.set(form, limit)
  return limit
}

function limitDataTo(form: Form): LimitData {
  const made =
    dataLimits.get(form) ?? (form.choices.length > 0 ? limitByChoice(form) : limitByForm(form))
  dataLimits.set(form, made)
  return made
}

/** Compiles a form at its first use. The result is `null` for a form that keeps all parts. */
function limitLazily(form: Lazy): () => LimitFields | null {
  let limit: LimitFields | null | undefined
  return () => {
    if (limit === undefined) {
      const made = form()
      limit = isAny(made) ? null : limitTo(made)
    }
    return limit
  }
}

function limitByForm({ object, list }: Form): LimitData {
  const inObject = typeof object === 'object' ? limitObject(object) : object
  const inList = typeof list === 'object' ? limitList(list) : list
  return function limitData(data, isOriginal) {
    const within = Array.isArray(data) ? inList : inObject
    if (within === 'none') return undefined
    if (within !== 'any') return within(data as never)
    // `JSON.stringify` would call `toJSON` again if the result of `toJSON` had this method.
    return isOriginal ? data : dataToPlain(data)
  }
}

/** Compiles a form that depends on the value. The alternatives of a union are compared with the JSON of the value. */
function limitByChoice(form: Form): LimitData {
  const [choice, ...others] = form.choices
  const tag = others.length === 0 ? choice?.tag : undefined
  const base = withoutChoices(form)
  return function limitData(data, isOriginal) {
    if (tag && !Array.isArray(data) && Object.hasOwn(data, tag.name)) {
      const value = (data as Fields)[tag.name]
      const chosen = tag.forms.get(value)
      const copy = chosen && limitDataTo(both(base, chosen))(data, isOriginal)
      // The copy's tag was read later, so a getter could have returned the tag of another alternative.
      if ((copy as Fields | undefined)?.[tag.name] === value) return copy
    }
    const plain = dataToPlain(data) as object
    return limitDataTo(resolve(form, plain))(plain, true)
  }
}

/** Returns the data that JSON represents: a primitive, a list, or an object with its own properties. */
function readData(value: unknown, key: string | number): unknown {
  if (typeof value === 'object' && value !== null) {
    return isOrdinary(value) && typeof (value as Fields)['toJSON'] !== 'function'
      ? value
      : readObject(value, key)
  }
  return typeof value === 'function' || typeof value === 'bigint' ? readObject(value, key) : value
}

/** Whether an object has one of the prototypes that plain data normally has. */
function isOrdinary(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null
}

function readObject(value: unknown, key: string | number): unknown {
  if (value instanceof Date) {
    const text = dateText(value)
    if (text !== value) return text
  }
  const data = callToJson(value, key)
  if (typeof data === 'function') return undefined
  if (typeof data !== 'object' || data === null || isOrdinary(data)) return data
  const unboxed = unbox(data)
  if (unboxed !== data) return unboxed
  const kind = nestedKind(data)
  if (kind !== null) throw new UnsendableError(kind, key === '' ? [] : [key])
  return data
}

function limitObject({ names, rest }: ObjectForm): (value: object) => unknown {
  const byName = new Map(Array.from(names, ([name, form]) => [name, limitLazily(form)]))
  // Copying an object that already has all properties is faster than adding the properties one by one.
  const blank: Fields = {}
  for (const name of names.keys()) setOwn<unknown>(blank, name, undefined)
  const fast = rest === null ? fastCopyOf(byName) : null
  return function limit(value) {
    const same = fast?.copy(value)
    if (same !== undefined) return same
    const copy = { ...blank }
    const keys = Object.keys(value)
    fast?.learn(keys)
    for (let i = 0; i < keys.length; i++) {
      const name = keys[i] as string
      const limitPart = byName.get(name)
      if (limitPart !== undefined) {
        copy[name] = limitOne((value as Fields)[name], name, limitPart)
      } else if (rest !== null) {
        const form = rest(name)
        if (form === null) continue
        setOwn(copy, name, limitOne((value as Fields)[name], name, limitLazily(form)))
      }
    }
    return copy
  }
}

function fastCopyOf(byName: ReadonlyMap<string, () => LimitFields | null>): FastCopy | null {
  const limits = [...byName.values()]
  return createFastCopy([...byName.keys()], (part, name, index) =>
    limitOne(part, name, limits[index] as () => LimitFields | null),
  )
}

function limitList({ first, rest }: ListForm): (list: readonly unknown[]) => unknown {
  const byIndex = first.map(limitLazily)
  const limitRest = rest && limitLazily(rest)
  return function limit(list) {
    const copy: unknown[] = []
    const length = limitRest === null ? Math.min(list.length, byIndex.length) : list.length
    for (let i = 0; i < length; i++) {
      const limitItem = byIndex[i] ?? (limitRest as () => LimitFields | null)
      copy.push(limitOne(list[i], i, limitItem))
    }
    return copy
  }
}

/** Limits a part of a value. Most parts are primitives, which need no function call. */
function limitOne(part: unknown, key: string | number, limit: () => LimitFields | null): unknown {
  switch (typeof part) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'undefined':
      return part
    case 'function':
      // JSON omits functions. A function with `toJSON` is converted immediately: otherwise, `JSON.stringify` would call
      // `toJSON` later.
      return limit() === null ? toPlain(part, key) : limit()?.(part, key)
    default: {
      if (part === null) return null
      const limitPart = limit()
      return limitPart === null ? part : limitPart(part, key)
    }
  }
}
