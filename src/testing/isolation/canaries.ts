import { createHash } from 'node:crypto'

/** The length of a canary: 32 hex characters, 128 bits. */
export const LONG = 32
/** The characters by which a canary is recognised (64 bits), for texts that are short or were cut. */
export const SHORT = 16

/** A canary or id of a tenant that was found in a text. */
export interface CanaryMatch {
  /** The recognised text: the first characters of a canary, or the tenant's id. */
  readonly key: string
  /** The name of the side that it belongs to. */
  readonly owner: string
  /**
   * The operation that the canary was sent to, such as `POST /notes`. For the id of a tenant: `its id`. For a
   * canary in the user of a tenant: `its user`.
   */
  readonly origin: string
}

/** Shorter ids would also match ordinary words. */
const SHORTEST_ID = 4

/**
 * Creates and finds canaries: random texts that only one tenant sends. Each canary is sent in one place only, so a
 * canary that is found elsewhere shows where it came from.
 */
export class Canaries {
  readonly #seed: number
  readonly #known: Map<string, CanaryMatch> = new Map()
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

  /** Also recognises the id of a tenant, when it is a whole word in a text. */
  watchId(owner: string, id: string): void {
    if (id.length < SHORTEST_ID) return
    const escaped = id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    const pattern = new RegExp(`(?<![A-Za-z0-9])${escaped}(?![A-Za-z0-9])`)
    this.#ids.push({ pattern, match: { key: id, owner, origin: 'its id' } })
  }

  /** Returns every canary and tenant id in a text, each once. */
  find(text: string): CanaryMatch[] {
    const found = new Set<CanaryMatch>()
    for (const [run] of text.matchAll(/[0-9a-f]{16,}/gi)) this.#findInRun(run.toLowerCase(), found)
    for (const { pattern, match } of this.#ids) if (pattern.test(text)) found.add(match)
    return [...found]
  }

  #findInRun(run: string, found: Set<CanaryMatch>): void {
    for (let start = 0; start + SHORT <= run.length; start++) {
      const match = this.#known.get(run.slice(start, start + SHORT))
      if (match !== undefined) found.add(match)
    }
  }
}

/** A text of 128 bits that belongs to no tenant. */
export function neutralText(seed: number, index: number): string {
  return createHash('sha256').update(`${seed} nobody ${index}`).digest('hex').slice(0, LONG)
}
