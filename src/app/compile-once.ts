import type { Class } from '../contracts/provider.js'
import { countWrites } from '../metadata/read.js'
import { type CompiledModel, compileModel, type ModelOptions } from '../model/compile-model.js'

interface Known extends Omit<ModelOptions, 'readChain'> {
  readonly controllers: readonly Class[]
  readonly writes: number
  readonly compiled: CompiledModel
}

/** The last model that begins with a controller; held as long as that class is. */
const known = new WeakMap<Class, Known>()

/**
 * As `compileModel`, which is asked only once about the same controllers and options, as long as no decorator runs: tests make
 * the same application again and again, and what is made of its model can be kept with the model, which is frozen.
 */
export function compileOnce(controllers: readonly Class[], options: ModelOptions): CompiledModel {
  const [first] = controllers
  if (first === undefined) return compileModel(controllers, options)
  const { defaultAccess, hasGuard } = options
  const writes = countWrites()
  const last = known.get(first)
  const isSame =
    last?.writes === writes &&
    last.defaultAccess === defaultAccess &&
    last.hasGuard === hasGuard &&
    last.controllers.length === controllers.length &&
    last.controllers.every((controller, index) => controller === controllers[index])
  if (isSame) return last.compiled
  const compiled = compileModel(controllers, options)
  known.set(first, { controllers, writes, defaultAccess, hasGuard, compiled })
  return compiled
}
