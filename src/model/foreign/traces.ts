import { inspect } from 'node:util'
import type { Class } from '../../contracts/provider.js'

/** The values that decorators of other packages have stored on one class, or on one member of it, by key. */
export type Noted = ReadonlyMap<string | symbol, unknown>

/** A class or a member, with all values that were stored on it. */
export interface ForeignTarget {
  /** `null` is the class itself. */
  readonly member: PropertyKey | null
  readonly noted: Noted
}

/** A decorator that never runs, with the words that an error uses for it. */
export interface Finding {
  /** The decorator as it was written: `@UseGuards(JwtGuard)`. */
  readonly written: string
  /** The framework that the decorator belongs to. */
  readonly by: string
  /** The index of the parameter that the decorator is on, if it is on one. */
  readonly parameter?: number
  /** The missing effect of the decorator, as the end of a sentence. Default: it never runs. */
  readonly effect?: string
  readonly remedy: string
}

/** The methods that `reflect-metadata` and similar packages add to `Reflect`. */
interface MetadataStore {
  getOwnMetadataKeys(target: object, member?: PropertyKey): (string | symbol)[]
  getOwnMetadata(key: string | symbol, target: object, member?: PropertyKey): unknown
  getMetadata(key: string | symbol, target: object, member?: PropertyKey): unknown
}

/** The metadata store that the process has loaded; `null` without one, and then no package has stored anything. */
export function metadataStore(): MetadataStore | null {
  const store = Reflect as Partial<MetadataStore>
  return typeof store.getOwnMetadataKeys === 'function' ? (store as MetadataStore) : null
}

/**
 * Reads the values that were stored on a class itself, without its base classes. Frameworks use the class, its
 * prototype or the function of a method; all of them are read.
 */
export function readPlaces(owner: Class): ForeignTarget[] {
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

/** Arguments as they were written, as far as the values show. */
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
