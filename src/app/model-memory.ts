import type { AppModel } from '../contracts/route-model.js'

/** Of many that differ, none is likely to come again. */
const MAX_ENTRIES = 8

/** Keeps what is made of a model with it, which is the same for applications that are made again and again. */
export class ModelMemory<T> {
  readonly #known: WeakMap<AppModel, Map<string, T>> = new WeakMap()

  /**
   * What was made of the model, or is now.
   *
   * @param key Everything beside the model that it is made of; `null` where that cannot be said.
   */
  get(model: AppModel, key: string | null, make: () => T): T {
    if (key === null) return make()
    const entries = this.#known.get(model) ?? new Map<string, T>()
    this.#known.set(model, entries)
    const value = entries.get(key) ?? make()
    if (entries.size >= MAX_ENTRIES) entries.clear()
    entries.set(key, value)
    return value
  }
}
