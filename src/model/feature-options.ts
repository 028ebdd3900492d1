import type { ClassFacts, Fact } from '../contracts/facts.js'
import { methodFactsOf } from '../metadata/read.js'

/** The route options of features. */
export interface FeatureOptions {
  /** For each option, by its name, the function that returns the equivalent decorator. */
  readonly routeOptions: Readonly<Record<string, (given: unknown) => object>>
}

/** Adds the facts of the features' route options: `{ cache: … }` has the facts of `@Cache(…)`. */
export function withFeatureOptions(link: ClassFacts, { routeOptions }: FeatureOptions): ClassFacts {
  const methods = [...link.methods].map(
    ([key, facts]) => [key, facts.flatMap((fact) => [fact, ...added(fact, routeOptions)])] as const,
  )
  return { ...link, methods: new Map(methods) }
}

function added(fact: Fact, routeOptions: FeatureOptions['routeOptions']): readonly Fact[] {
  if (fact.kind !== 'routeOptions' || typeof fact.options !== 'object') return []
  return Object.entries(fact.options ?? {}).flatMap(([name, given]) => {
    if (given === undefined || !Object.hasOwn(routeOptions, name)) return []
    // A decorator without parentheses receives a class, so a class is replaced by its name, which the checks refuse.
    const value = typeof given === 'function' ? given.name : given
    return methodFactsOf(routeOptions[name]?.(value))
  })
}
