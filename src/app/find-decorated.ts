import type { Decorated, OptionTarget, RouteOption } from '../contracts/extensions.js'
import type { ClassFacts, FactOf } from '../contracts/facts.js'
import type { Class, Module } from '../contracts/provider.js'
import { chainOf, readClass } from '../metadata/read.js'
import { compileOptions } from '../model/check-decorators.js'
import { groupFacts } from '../model/facts-by-kind.js'
import { inherit } from '../model/inherit.js'

/** Finds the instances whose class or methods have an option. */
export type FindDecorated = <TValue, TFound, TTarget extends OptionTarget>(
  option: RouteOption<TValue, TFound, TTarget>,
) => readonly Decorated<TFound>[]

/** The input of {@link findDecorated}. */
export interface Constructed {
  /** All instances that the container has constructed, in order. */
  readonly instances: Iterable<unknown>
  readonly modules: readonly Module[]
}

/**
 * Lists the constructed instances whose class has an option, and their methods that have the option. Reads the
 * decorators at each call, because `get` may have constructed more instances.
 */
export function findDecorated({ instances, modules }: Constructed): FindDecorated {
  return <TValue, TFound, TTarget extends OptionTarget>(
    option: RouteOption<TValue, TFound, TTarget>,
  ) => readOwners(instances, modules).flatMap((owner) => placesOf(owner, option))
}

/** An instance whose class has options. */
interface Owner {
  readonly instance: object
  readonly module: string | null
  readonly ofClass: readonly OptionFact[]
  readonly methods: ReadonlyMap<PropertyKey, readonly OptionFact[]>
}

type OptionFact = FactOf<'option'>

function readOwners(instances: Iterable<unknown>, modules: readonly Module[]): Owner[] {
  const moduleOf = modulesByClass(modules)
  const owners: Owner[] = []
  for (const instance of instances) {
    if (typeof instance !== 'object' || instance === null) continue
    const owned = instance.constructor as Class
    if (typeof owned !== 'function') continue
    const chain = chainOf(owned).map(readClass)
    if (!chain.some(hasOptions)) continue
    const { facts, methods } = inherit(chain)
    owners.push({
      instance,
      module: moduleOf.get(owned) ?? null,
      ofClass: facts.option ?? [],
      methods: new Map([...methods].map(([key, each]) => [key, each.option ?? []])),
    })
  }
  return owners
}

function hasOptions({ facts, methods }: ClassFacts): boolean {
  const all = [facts, ...methods.values()].flat()
  return groupFacts(all).option !== undefined
}

/** The decorated targets of one instance: the class itself, then its methods. */
function placesOf<TValue, TFound, TTarget extends OptionTarget>(
  { instance, module, ofClass, methods }: Owner,
  option: RouteOption<TValue, TFound, TTarget>,
): Decorated<TFound>[] {
  const found: Decorated<TFound>[] = []
  const add = (method: PropertyKey | null, own: readonly OptionFact[]) => {
    const value = compileOptions({ option: ofClass }, { option: own }).option(option) as TFound
    const call = (...args: readonly unknown[]) => callMethod(instance, method, args)
    found.push(Object.freeze({ instance, module, method, value, call }))
  }
  const isIt = (fact: OptionFact) => (fact.option as unknown) === option
  if (ofClass.some(isIt)) add(null, [])
  for (const [method, own] of methods) {
    if (own.some(isIt)) add(method, own)
  }
  return found
}

function callMethod(
  instance: object,
  method: PropertyKey | null,
  args: readonly unknown[],
): unknown {
  if (method === null) throw new TypeError('The option is on the class: no method can be called.')
  const methods = instance as Record<PropertyKey, (...args: readonly unknown[]) => unknown>
  return methods[method]?.(...args)
}

/** Maps each class to the name of the first module that lists it. Modules without a name are skipped. */
function modulesByClass(modules: readonly Module[]): ReadonlyMap<unknown, string> {
  const names = new Map<unknown, string>()
  const seen = new Set<Module>()
  const visit = (module: Module) => {
    if (seen.has(module)) return
    seen.add(module)
    const { name, controllers = [], providers = [], imports = [] } = module
    const classes = providers.map((provider) =>
      typeof provider === 'object' && 'useClass' in provider ? provider.useClass : provider,
    )
    for (const each of [...controllers, ...classes]) {
      if (name !== undefined && !names.has(each)) names.set(each, name)
    }
    imports.forEach(visit)
  }
  modules.forEach(visit)
  return names
}
