import type { Class } from '../contracts/provider.js'
import type { AppModel } from '../contracts/route-model.js'
import { countWrites } from '../metadata/read.js'
import { type CompiledModel, compileModel, type ModelOptions } from '../model/compile-model.js'

interface Known {
  readonly controllers: readonly Class[]
  readonly writes: number
  /** A key for everything else that the model depends on. */
  readonly key: string
  readonly envelope: ModelOptions['envelope']
  readonly documented: ModelOptions['documented']
  readonly compiled: CompiledModel
}

/** The last model, by the first class in its list of controllers. The entry is removed together with that class. */
const known = new WeakMap<Class, Known>()

/**
 * Returns the model of `compileModel`, and reuses it for the same controllers and options until the next
 * decorator runs. Tests create the same application many times. Values derived from the model can be stored
 * with it, because it is frozen.
 */
export function compileModelOnce(
  controllers: readonly Class[],
  options: ModelOptions,
): CompiledModel {
  const [first] = controllers
  if (first === undefined) return compileModel(controllers, options)
  const key = keyOf(controllers, options)
  const { envelope, documented } = options
  const writes = countWrites()
  const last = known.get(first)
  const isSame =
    last?.writes === writes &&
    last.key === key &&
    last.envelope === envelope &&
    areSame(last.documented, documented) &&
    areSame(last.controllers, controllers)
  if (isSame) return last.compiled
  const compiled = compileModel(controllers, options)
  known.set(first, { controllers, writes, key, envelope, documented, compiled })
  return compiled
}

function keyOf(
  controllers: readonly Class[],
  { defaultAccess, hasGuard, guards, prefixOf, defaultStatus, versions }: ModelOptions,
): string {
  return JSON.stringify([
    defaultAccess,
    hasGuard,
    guards,
    defaultStatus,
    versions,
    controllers.map((controller) => prefixOf(controller)),
  ])
}

function areSame(before: readonly unknown[], now: readonly unknown[]): boolean {
  return before.length === now.length && before.every((each, index) => each === now[index])
}

/** The maximum number of entries for each model. With more entries, it is unlikely that one of them is used again. */
const MAX_ENTRIES = 8

/** Caches values that are derived from a model. Tests create many applications with the same model. */
export class ModelMemory<T> {
  readonly #known: WeakMap<AppModel, Map<string, T>> = new WeakMap()

  /**
   * Returns the cached value of a model, or creates it.
   *
   * @param key Everything that the value depends on besides the model. `null` if this is unknown; then nothing is
   * cached.
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
