import { inspect } from 'node:util'
import type { Class } from '../../contracts/provider.js'

/** What decorators of other packages have noted of one class, or of one member of it, by their keys. */
export type Noted = ReadonlyMap<string | symbol, unknown>

/** Everything that was noted at one place. */
export interface Place {
  /** `null` is the class itself. */
  readonly member: PropertyKey | null
  readonly noted: Noted
}

/** A decorator that would never run, as an error speaks of it. */
export interface Finding {
  /** As it was written: `@UseGuards(JwtGuard)`. */
  readonly written: string
  /** The framework whose it is. */
  readonly by: string
  /** Which parameter it is on, where it is on one. */
  readonly parameter?: number
  /** What it does not do here, after a comma. Default: it never runs. */
  readonly effect?: string
  readonly remedy: string
}

/** What `reflect-metadata` and its like add to `Reflect`. */
interface MetadataStore {
  getOwnMetadataKeys(target: object, member?: PropertyKey): (string | symbol)[]
  getOwnMetadata(key: string | symbol, target: object, member?: PropertyKey): unknown
  getMetadata(key: string | symbol, target: object, member?: PropertyKey): unknown
}

/** The store that the process has loaded; `null` without one, and then nobody has noted anything. */
export function metadataStore(): MetadataStore | null {
  const store = Reflect as Partial<MetadataStore>
  return typeof store.getOwnMetadataKeys === 'function' ? (store as MetadataStore) : null
}

/**
 * What was noted of a class itself, without what it extends. Frameworks choose among the class, its prototype and the function of a
 * method; all are read, because it is the same to whoever has written the decorator.
 */
export function readPlaces(owner: Class): Place[] {
  const store = metadataStore()
  if (store === null) return []
  const prototype = owner.prototype as object
  const places = [
    { member: null as PropertyKey | null, noted: readNoted(store, [[owner], [prototype]]) },
  ]
  for (const member of Reflect.ownKeys(prototype)) {
    if (member === 'constructor') continue
    const { value } = Object.getOwnPropertyDescriptor(prototype, member) as PropertyDescriptor
    const sites: Site[] = [
      [owner, member],
      [prototype, member],
    ]
    if (typeof value === 'function') sites.unshift([value])
    places.push({ member, noted: readNoted(store, sites) })
  }
  return places.filter(({ noted }) => noted.size > 0)
}

type Site = [target: object, member?: PropertyKey]

function readNoted(store: MetadataStore, sites: readonly Site[]): Noted {
  const noted = new Map<string | symbol, unknown>()
  for (const site of sites) {
    for (const key of store.getOwnMetadataKeys(...site)) {
      noted.set(key, store.getOwnMetadata(key, ...site))
    }
  }
  return noted
}

/** Arguments as they were written, as far as values tell. */
export function shown(values: readonly unknown[]): string {
  return values.map(shownValue).join(', ')
}

function shownValue(value: unknown): string {
  if (typeof value === 'function') return value.name || 'a function'
  const maker = (value as object | null)?.constructor
  const isInstance = typeof value === 'object' && maker !== undefined && maker !== Object
  if (isInstance && !Array.isArray(value) && !(value instanceof RegExp)) return maker.name
  return inspect(value, { depth: 1, breakLength: Infinity, maxStringLength: 80, maxArrayLength: 8 })
}
