import type { Fact, FactOf } from '../contracts/facts.js'

/** Facts by their kind, those of a kind in their order. Everything that reads facts asks for one kind at a time. */
export type FactsByKind = { readonly [K in Fact['kind']]?: readonly FactOf<K>[] }

const NONE: readonly never[] = Object.freeze([])

export function groupFacts(facts: readonly Fact[]): FactsByKind {
  const groups: { [K in Fact['kind']]?: Fact[] } = {}
  for (const fact of facts) {
    const group = groups[fact.kind]
    if (group === undefined) groups[fact.kind] = [fact]
    else group.push(fact)
  }
  // Each stands under its own kind, which is more than the compiler can see.
  return groups as FactsByKind
}

/** The facts of one kind. */
export function factsOf<K extends Fact['kind']>(facts: FactsByKind, kind: K): readonly FactOf<K>[] {
  return facts[kind] ?? NONE
}

/** The nearest fact of one kind. */
export function firstOf<K extends Fact['kind']>(
  facts: FactsByKind,
  kind: K,
): FactOf<K> | undefined {
  return facts[kind]?.[0]
}
