import { createHash } from 'node:crypto'

/** The length of a canary: 32 hex characters, 128 bits. */
export const LONG = 32
/** The number of characters by which a canary is recognized (64 bits), for strings that are short or truncated. */
export const SHORT = 16

/** A canary or tenant ID that was found in a string. */
export interface CanaryMatch {
  /** The recognized string: the first characters of a canary, or the tenant's ID. */
  readonly key: string
  /** The name of the side that owns the canary or ID. */
  readonly owner: string
  /**
   * The operation to which the canary was sent, such as `POST /notes`. For a tenant ID: `its ID`. For a canary in a
   * tenant's user: `its user`.
   */
  readonly origin: string
  /** Whether the match is the ID of a record that the application created. */
  readonly isId?: boolean
}

/** Facts about a value that is a canary as a whole. */
export type Marked = Omit<CanaryMatch, 'key'>

/**
 * Strings that can be a canary as a whole: a UUID, a date with or without time, a number of ten digits, a random ID.
 * Case-insensitive.
 */
const WHOLE =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d)?|(?<!\d)\d{10}(?!\d)|[\w-]{16,64}/gi
/** The time that databases and libraries add to a date without a time. */
const MIDNIGHT = /t00:00:00$/
/** The number of characters of a date up to its seconds, because databases write the rest in different ways. */
const SECONDS = 19
const ISO = /^\d{4}-\d\d-\d\d(?:[t ]|$)/

/** The minimum length of a tenant ID, because shorter IDs would also match ordinary words. */
const SHORTEST_ID = 4

/**
 * Creates and finds canaries: random strings that only one tenant sends. Each canary is sent in one place only, so the
 * origin of a canary that is found elsewhere is known.
 */
export class Canaries {
  readonly #seed: number
  readonly #known: Map<string, CanaryMatch> = new Map()
  /** Whole values that are canaries; `null` for a value that occurs in several records or tenants. */
  readonly #whole: Map<string, CanaryMatch | null> = new Map()
  readonly #ids: { readonly pattern: RegExp; readonly match: CanaryMatch }[] = []
  #minted = 0

  constructor(seed: number) {
    this.#seed = seed
  }

  /** Creates a new canary for an owner. */
  mint(owner: string, origin: string, length: number = LONG): string {
    this.#minted++
    const text = createHash('sha256').update(`${this.#seed} ${this.#minted}`).digest('hex')
    const key = text.slice(0, SHORT)
    this.#known.set(key, { key, owner, origin })
    return text.slice(0, Math.max(length, SHORT))
  }

  /** Returns a random string of the same sequence, which is not itself a canary. */
  draw(owner: string): string {
    this.#minted++
    return createHash('sha256').update(`${this.#seed} ${owner} ${this.#minted}`).digest('hex')
  }

  /**
   * Adds a whole value to recognize from now on: a UUID, a date, a number of ten digits or an ID. A value that is added
   * again has no owner, because it occurs in several records.
   *
   * @returns Whether the value is new.
   */
  learn(text: string, marked: Marked): boolean {
    const key = wholeKey(text)
    const isNew = !this.#whole.has(key)
    this.#whole.set(key, isNew ? { ...marked, key } : null)
    return isNew
  }

  /** Adds a tenant ID, which is recognized only as a whole word. A short ID is not added. */
  watchId(owner: string, id: string): void {
    if (id.length < SHORTEST_ID) return
    const escaped = id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    const pattern = new RegExp(`(?<![A-Za-z0-9])${escaped}(?![A-Za-z0-9])`)
    this.#ids.push({ pattern, match: { key: id, owner, origin: 'its ID' } })
  }

  /** Returns every canary and tenant ID in a string, without duplicates. */
  find(text: string): CanaryMatch[] {
    const found = new Set<CanaryMatch>()
    for (const [run] of text.matchAll(/[0-9a-f]{16,}/gi)) this.#findInRun(run.toLowerCase(), found)
    for (const [run] of text.matchAll(WHOLE)) this.#findWhole(wholeKey(run), found)
    for (const { pattern, match } of this.#ids) if (pattern.test(text)) found.add(match)
    return [...found]
  }

  #findWhole(key: string, found: Set<CanaryMatch>): void {
    const match = this.#whole.get(key) ?? this.#whole.get(key.replace(MIDNIGHT, ''))
    if (match != null) found.add(match)
  }

  #findInRun(run: string, found: Set<CanaryMatch>): void {
    for (let start = 0; start + SHORT <= run.length; start++) {
      const match = this.#known.get(run.slice(start, start + SHORT))
      if (match !== undefined) found.add(match)
    }
  }
}

function wholeKey(text: string): string {
  const lower = text.toLowerCase()
  return ISO.test(lower) ? lower.slice(0, SECONDS).replace(' ', 't') : lower
}

/** Whether an ID cannot be guessed, so that its occurrence indicates its origin. */
export function isUnusualId(id: string): boolean {
  return /^[\w-]{16,64}$/.test(id) && /\d/.test(id)
}

/** A string of 128 bits that belongs to no tenant. */
export function neutralText(seed: number, index: number): string {
  return createHash('sha256').update(`${seed} nobody ${index}`).digest('hex').slice(0, LONG)
}
