import type { Fact, FactOf } from '../contracts/facts.js'

/** Facts grouped by kind, in source order. Every reader of facts needs one kind at a time. */
export type FactsByKind = { readonly [K in Fact['kind']]?: readonly FactOf<K>[] }

const NONE: readonly never[] = Object.freeze([])

export function groupFacts(facts: readonly Fact[]): FactsByKind {
  const groups: { [K in Fact['kind']]?: Fact[] } = {}
  for (const fact of facts) {
    const group = groups[fact.kind]
    if (group === undefined) groups[fact.kind] = [fact]
    else group.push(fact)
  }
  // Each fact is in the list of its own kind, which the compiler cannot see.
  return groups as FactsByKind
}

/** The facts of one kind. */
export function factsOf<K extends Fact['kind']>(facts: FactsByKind, kind: K): readonly FactOf<K>[] {
  return facts[kind] ?? NONE
}

/** The first fact of one kind, which is the nearest in the chain of classes. */
export function firstOf<K extends Fact['kind']>(
  facts: FactsByKind,
  kind: K,
): FactOf<K> | undefined {
  return facts[kind]?.[0]
}
