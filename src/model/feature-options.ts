import type { ClassFacts, Fact } from '../contracts/facts.js'
import { methodFactsOf } from '../metadata/read.js'

/** The options of routes that belong to features. */
export interface FeatureOptions {
  /** Returns the decorator that has the effect of an option, by the option's name. */
  readonly routeOptions: Readonly<Record<string, (given: unknown) => object>>
}

/** Adds the facts of route options that belong to features: `{ cache: … }` has the facts of `@Cache(…)`. */
export function withFeatureOptions(link: ClassFacts, { routeOptions }: FeatureOptions): ClassFacts {
  const methods = [...link.methods].map(
    ([key, facts]) => [key, facts.flatMap((fact) => [fact, ...added(fact, routeOptions)])] as const,
  )
  return { ...link, methods: new Map(methods) }
}

function added(fact: Fact, routeOptions: FeatureOptions['routeOptions']): readonly Fact[] {
  if (fact.kind !== 'routeOptions' || typeof fact.options !== 'object') return []
  return Object.entries(fact.options ?? {}).flatMap(([name, given]) => {
    const isKnown = given !== undefined && Object.hasOwn(routeOptions, name)
    return isKnown ? methodFactsOf(routeOptions[name]?.(given)) : []
  })
}
