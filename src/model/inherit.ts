import type { ClassFacts, Fact } from '../contracts/facts.js'
import type { Class } from '../contracts/provider.js'
import { type FactsByKind, groupFacts } from './facts-by-kind.js'

/** Reads a class and those it extends, nearest first. */
export type ReadChain = (target: Class) => readonly ClassFacts[]

/** A controller with everything it inherits: the class's facts, and those of each of its methods. */
export interface InheritedController {
  readonly facts: FactsByKind
  readonly methods: ReadonlyMap<PropertyKey, FactsByKind>
}

/**
 * Merges a class with what it extends. Nearest first, so that a reader who takes the first fact of a
 * kind gets the closest one. A method that is overridden keeps the decorators of the original,
 * except of those kinds that it states anew: nobody loses a guard by overriding.
 */
export function inherit(chain: readonly ClassFacts[]): InheritedController {
  const methods = new Map<PropertyKey, readonly Fact[]>()
  // From the base class on, so that inherited routes come first and keep their order.
  for (const link of [...chain].reverse()) {
    for (const [key, facts] of link.methods) methods.set(key, override(facts, methods.get(key)))
  }
  const grouped = new Map<PropertyKey, FactsByKind>()
  for (const [key, facts] of methods) grouped.set(key, groupFacts(facts))
  return { facts: groupFacts(chain.flatMap(({ facts }) => facts)), methods: grouped }
}

function override(own: readonly Fact[], inherited: readonly Fact[] | undefined): readonly Fact[] {
  if (inherited === undefined) return own
  const stated = new Set(own.map(topicOf))
  return [...own, ...inherited.filter((fact) => !stated.has(topicOf(fact)))]
}

/** What a fact is about: stating one part of a topic anew replaces all that was inherited of it. */
function topicOf(fact: Fact): string {
  if (fact.kind === 'input') return `input ${fact.source}`
  if (fact.kind === 'header') return `header ${fact.name.toLowerCase()}`
  if (fact.kind === 'responseDoc') return `response ${fact.options?.status}`
  return fact.kind === 'auth' || fact.kind === 'public' || fact.kind === 'can'
    ? 'access'
    : fact.kind
}
