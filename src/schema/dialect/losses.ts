import type { SchemaLoss } from '../../contracts/openapi.js'
import type { Conversion } from './conversion.js'

/** The losses of a conversion, without duplicates. */
export class Losses {
  readonly #found = new Map<string, SchemaLoss>()
  #count = 0

  readonly add: Conversion['lose'] = (path, cause) => {
    this.#count++
    this.#found.set(`${path}\n${cause}`, { path, cause })
  }

  /** Counts one more loss with the same cause. */
  readonly repeat = (): void => {
    this.#count++
  }

  /** How many there were, duplicates included. */
  readonly count = (): number => this.#count

  get all(): SchemaLoss[] {
    return [...this.#found.values()]
  }
}
