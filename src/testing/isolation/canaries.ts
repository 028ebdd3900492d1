import { createHash } from 'node:crypto'

/** 128 bits, as text. */
export const LONG = 32
/** So many characters are enough to know one again, where there is no room or a text was cut short: 64 bits. */
export const SHORT = 16

/** Something of a tenant's that was found in a text. */
export interface Sighting {
  /** What tells it from others: the beginning of a canary, or the tenant's id. */
  readonly key: string
  /** Whose it is. */
  readonly owner: string
  /** Where it had been put: `POST /notes`; or what it is: `the tenant's id`. */
  readonly origin: string
}

/** Shorter ids are in many words. */
const SHORTEST_ID = 4

/**
 * Texts that nobody but their tenant has a reason to be shown. Each is used in one place, so that one which turns up
 * somewhere else says where it came from.
 */
export class Canaries {
  readonly #seed: number
  readonly #known: Map<string, Sighting> = new Map()
  readonly #ids: { readonly pattern: RegExp; readonly sighting: Sighting }[] = []
  #minted = 0

  constructor(seed: number) {
    this.#seed = seed
  }

  /** A new one. */
  mint(owner: string, origin: string, length: number = LONG): string {
    this.#minted++
    const text = createHash('sha256').update(`${this.#seed} ${this.#minted}`).digest('hex')
    const key = text.slice(0, SHORT)
    this.#known.set(key, { key, owner, origin })
    return text.slice(0, Math.max(length, SHORT))
  }

  /** Knows a tenant by its id, too, where that stands as a word. */
  watchId(owner: string, id: string): void {
    if (id.length < SHORTEST_ID) return
    const escaped = id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    const pattern = new RegExp(`(?<![A-Za-z0-9])${escaped}(?![A-Za-z0-9])`)
    this.#ids.push({ pattern, sighting: { key: id, owner, origin: 'its id' } })
  }

  /** Everything of anybody's in a text, each once. */
  find(text: string): Sighting[] {
    const found = new Set<Sighting>()
    for (const [run] of text.matchAll(/[0-9a-f]{16,}/gi)) this.#findInRun(run.toLowerCase(), found)
    for (const { pattern, sighting } of this.#ids) if (pattern.test(text)) found.add(sighting)
    return [...found]
  }

  #findInRun(run: string, found: Set<Sighting>): void {
    for (let start = 0; start + SHORT <= run.length; start++) {
      const sighting = this.#known.get(run.slice(start, start + SHORT))
      if (sighting !== undefined) found.add(sighting)
    }
  }
}

/** A text of 128 bits that is nobody's. */
export function neutralText(seed: number, index: number): string {
  return createHash('sha256').update(`${seed} nobody ${index}`).digest('hex').slice(0, LONG)
}
