import { hash } from '../fuzz/random.js'
import type { WholeResponse } from './send-whole.js'

type Scalar = string | number
type Fields = Readonly<Record<string, Scalar>>

/** The number of records that are stored for each kind, latest first. */
export const REMEMBERED = 8

/** The records that each side has received in responses, by the fixed part of the path: `orders` for `/orders/{id}`. */
export class Records {
  readonly #byOwner: Map<string, Map<string, Fields[]>> = new Map()
  /** All fields that each side has ever received, in the form that `seenKey` returns. */
  readonly #seen: Map<string, Set<string>> = new Map()

  /** Stores the records of a successful response to a path such as `/orders` or `/orders/{id}`. */
  store(owner: string, template: string, response: WholeResponse): void {
    if (response.status < 200 || response.status > 299) return
    const kind = kindOf(template)
    const found = [...recordsIn(response)].slice(0, REMEMBERED)
    for (const fields of found.reverse()) this.#add(owner, kind, fields)
    const location = locationOf(response)
    if (location !== undefined) this.#add(owner, location.kind, { id: location.id })
  }

  /** Returns the IDs of a side for a place in a request; empty if there are none. */
  idsFor(owner: string, place: IdPlace): Scalar[] {
    const ids = place.kinds.flatMap((kind) =>
      (this.#byOwner.get(owner)?.get(kind) ?? []).flatMap(
        (fields) => fields[place.field] ?? (place.isId ? (fields['id'] ?? []) : []),
      ),
    )
    return [...new Set(ids)]
  }

  /** Whether a side has ever received an ID for a place in a request, even in a record that is no longer stored. */
  hasSeen(owner: string, place: IdPlace, id: Scalar): boolean {
    const names = place.isId ? [place.field, 'id'] : [place.field]
    const keys = place.kinds.flatMap((kind) => names.map((name) => seenKey(kind, name, id)))
    return keys.some((key) => this.#seen.get(owner)?.has(key))
  }

  #add(owner: string, kind: string, fields: Fields): void {
    const seen = this.#seen.get(owner) ?? new Set<string>()
    this.#seen.set(owner, seen)
    for (const [name, value] of Object.entries(fields)) seen.add(seenKey(kind, name, value))
    const kinds = this.#byOwner.get(owner) ?? new Map<string, Fields[]>()
    this.#byOwner.set(owner, kinds)
    const known = kinds.get(kind) ?? []
    const same = known.find((each) => identityOf(each) === identityOf(fields))
    // A known record keeps its position, so that the same ID is used until there is a new record.
    const records =
      same === undefined
        ? [fields, ...known].slice(0, REMEMBERED)
        : known.map((each) => (each === same ? { ...each, ...fields, ...idOf(each) } : each))
    kinds.set(kind, records)
  }
}

function seenKey(kind: string, name: string, value: Scalar): string {
  return JSON.stringify([kind, name, String(value)])
}

function idOf({ id }: Fields): Fields {
  return id === undefined ? {} : { id }
}

function identityOf(fields: Fields): string {
  return String(fields['id'] ?? JSON.stringify(fields))
}

/** The IDs of the records in a successful response, and the ID in its `Location`. */
export function idsIn(response: WholeResponse): string[] {
  const ids = [...recordsIn(response)].flatMap(({ id }) => (id === undefined ? [] : [String(id)]))
  const location = locationOf(response)
  return [...new Set(location === undefined ? ids : [...ids, location.id])]
}

/** A parameter or field of a request that can contain an ID. */
export interface IdPlace {
  /** The name of the parameter or field. */
  readonly field: string
  /** Whether the name can be the name of an ID. If so, the `id` of a record also matches. */
  readonly isId: boolean
  /** The kinds of records whose ID matches. */
  readonly kinds: readonly string[]
}

/** The place of a path parameter, such as `id` in `/orders/{id}`. */
export function pathPlace(template: string, name: string): IdPlace {
  const kind = kindOf(template.slice(0, template.indexOf(`{${name}}`)))
  return { field: name, isId: isIdName(name), kinds: [kind, ...kindsOf(name)] }
}

/**
 * The place of a field or query parameter whose name contains the kind of the referenced record, such as `customerId`;
 * `undefined` for other names.
 */
export function fieldPlace(name: string): IdPlace | undefined {
  const kinds = kindsOf(name)
  return kinds.length === 0 ? undefined : { field: name, isId: true, kinds }
}

/** Creates an ID that has the same form, but belongs to no record. A prefix is kept: `ord_k3f9` becomes `ord_p7x2`. */
export function absentId(id: Scalar, taken: readonly Scalar[], seed: number): Scalar {
  for (let attempt = 0; ; attempt++) {
    const other = reshaped(id, hash(`absent ${attempt}`, seed))
    if (!taken.map(String).includes(String(other))) return other
  }
}

function reshaped(id: Scalar, chance: number): Scalar {
  if (typeof id === 'number') return 700_000 + (chance % 200_000)
  if (/^\d+$/.test(id)) return String(700_000 + (chance % 200_000))
  // A UUID keeps its first 24 characters, with the version digit; `ord_k3f9` keeps its prefix `ord_`.
  const prefix = /^.*[_:]/.exec(id)?.[0] ?? ''
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)
  const from = isUuid ? 24 : prefix.length
  let state = chance
  const rest = id.slice(from).replace(/[0-9A-Za-z]/g, (character) => {
    state = hash(character, state)
    return replaced(character, state, isUuid)
  })
  return id.slice(0, from) + rest
}

function replaced(character: string, chance: number, isHex: boolean): string {
  const letters = isHex ? 'abcdef' : 'abcdefghijklmnopqrstuvwxyz'
  if (/\d/.test(character)) return String(chance % 10)
  const letter = letters[chance % letters.length] as string
  return character === character.toUpperCase() ? letter.toUpperCase() : letter
}

function isIdName(name: string): boolean {
  return /(^|[a-z_-])(id|Id|ID)$/.test(name)
}

/** The kinds for the name of a field: `customer` and `customers` for `customerId`. */
function kindsOf(name: string): string[] {
  const stem = /^(.+?)[_-]?(?:id|Id|ID)$/.exec(name)?.[1]?.toLowerCase()
  if (stem === undefined) return []
  return [stem, `${stem}s`, `${stem}es`, stem.replace(/y$/, 'ies')]
}

/** The last fixed segment of a path. */
function kindOf(template: string): string {
  const fixed = template.split('/').filter((segment) => segment !== '' && !segment.includes('{'))
  return (fixed.at(-1) ?? '').toLowerCase()
}

function* recordsIn({ body, isJson }: WholeResponse): Generator<Fields> {
  if (!isJson) return
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return
  }
  const isEnvelope = isObject(value) && 'statusCode' in value && 'data' in value
  yield* fieldsIn(isEnvelope ? (value as { data: unknown }).data : value)
  if (isEnvelope || !isObject(value) || 'id' in value) return
  // An envelope of the application can use any name for the data.
  for (const inner of Object.values(value)) yield* fieldsIn(inner)
}

/** Finds the records in a response: a record, a list of records, or an object that contains either. */
function* fieldsIn(data: unknown): Generator<Fields> {
  if (Array.isArray(data)) {
    for (const item of data) if (isObject(item)) yield scalarsOf(item)
    return
  }
  if (!isObject(data)) return
  yield scalarsOf(data)
  if ('id' in data) return
  for (const inner of Object.values(data)) {
    if (isObject(inner)) yield scalarsOf(inner)
    if (!Array.isArray(inner)) continue
    for (const item of inner) if (isObject(item)) yield scalarsOf(item)
  }
}

function scalarsOf(record: Readonly<Record<string, unknown>>): Fields {
  const scalars = Object.entries(record).filter(
    ([, value]) => typeof value === 'string' || typeof value === 'number',
  )
  return Object.fromEntries(scalars) as Fields
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads the ID from a header such as `Location: /orders/7`. */
function locationOf({ rawHeaders }: WholeResponse): { kind: string; id: string } | undefined {
  const index = rawHeaders.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'location')
  if (index < 0) return undefined
  const path = (rawHeaders[index + 1] ?? '').replace(/[?#].*$/, '')
  const [kind, id] = path.split('/').slice(-2)
  if (kind === undefined || id === undefined || kind === '' || id === '') return undefined
  return { kind: kind.toLowerCase(), id: decoded(id) }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
