import type { ClassFacts, Fact } from '../contracts/facts.js'
import type { Class } from '../contracts/provider.js'
import { mergeLimits } from './bounds.js'
import { type FactsByKind, groupFacts } from './facts-by-kind.js'

/** Reads the facts of a class and its base classes, starting with the class. */
export type ReadChain = (target: Class) => readonly ClassFacts[]

/** A controller with its inherited parts: the facts of the class and of each method. */
export interface InheritedController {
  readonly facts: FactsByKind
  readonly methods: ReadonlyMap<PropertyKey, FactsByKind>
}

/**
 * Merges a class with its base classes. The facts of a class come before the facts of its base classes, so the first
 * fact of a kind applies. An overriding method inherits the decorators of the original method, so that it never loses a
 * guard. Its own decorators replace inherited decorators of the same kind.
 */
export function inherit(chain: readonly ClassFacts[]): InheritedController {
  const methods = new Map<PropertyKey, readonly Fact[]>()
  // Start with the last base class, so that inherited routes come first and keep their order.
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
  return [
    ...own.map((fact) => complete(fact, inherited)),
    ...inherited.filter((fact) => !stated.has(topicOf(fact))),
  ]
}

/** Completes the `@Limits` of an overriding method with the fields that only the original method's `@Limits` has. */
function complete(fact: Fact, inherited: readonly Fact[]): Fact {
  if (fact.kind !== 'limits') return fact
  const others = inherited.filter((each) => each.kind === 'limits')
  return others.length === 0 ? fact : { ...fact, limits: mergeLimits([fact, ...others]) }
}

/** Returns the topic of a fact. A fact of a subclass replaces the inherited facts with the same topic. */
function topicOf(fact: Fact): unknown {
  if (fact.kind === 'input') return `input ${fact.source}`
  if (fact.kind === 'body' || fact.kind === 'upload') return 'input body'
  if (fact.kind === 'header') return `header ${fact.name.toLowerCase()}`
  if (fact.kind === 'option') return fact.option
  if (fact.kind === 'defined') return fact.definition
  if (fact.kind === 'responseDoc') return `response ${fact.options?.status}`
  return fact.kind === 'auth' || fact.kind === 'public' || fact.kind === 'can'
    ? 'access'
    : fact.kind
}
