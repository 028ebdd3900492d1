import type { AppModel } from '../contracts/route-model.js'

/** A model that is used with this many different keys is unlikely to see one of them again. */
const MAX_ENTRIES = 8

/** Caches values that are derived from a model. Tests create many applications with the same model. */
export class ModelMemory<T> {
  readonly #known: WeakMap<AppModel, Map<string, T>> = new WeakMap()

  /**
   * Returns the cached value of a model, or creates it.
   *
   * @param key Everything besides the model that the value depends on. `null` if that is unknown; then nothing
   * is cached.
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
