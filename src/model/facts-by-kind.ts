import type { Fact, FactOf } from '../contracts/facts.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { InputSource } from '../contracts/schema.js'

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
  // Each fact is in the list for its kind, which the compiler cannot infer.
  return groups as FactsByKind
}

/** The facts of one kind. */
export function factsOf<K extends Fact['kind']>(facts: FactsByKind, kind: K): readonly FactOf<K>[] {
  return facts[kind] ?? NONE
}

/** The first fact of one kind, which is the nearest in the class chain. */
export function firstOf<K extends Fact['kind']>(
  facts: FactsByKind,
  kind: K,
): FactOf<K> | undefined {
  return facts[kind]?.[0]
}

/** The facts of each route, for messages that use the author's words. */
const written = new WeakMap<RouteModel, FactsByKind>()

/** Stores the facts from which a route was compiled. */
export function noteFacts(route: RouteModel, facts: FactsByKind): RouteModel {
  written.set(route, facts)
  return route
}

/** The decorator of each input. */
export const DECORATOR_OF: Readonly<Record<InputSource, string>> = {
  body: '@Body',
  params: '@Params',
  query: '@Query',
  headers: '@Headers',
  cookies: '@Cookies',
}

/** How the author declared an input of a route: `@Params`, or `params` in `@Get()`. */
export function writtenAs(route: RouteModel, source: InputSource): string {
  const facts = written.get(route)
  return facts === undefined ? DECORATOR_OF[source] : inputWrittenAs(facts, source)
}

/** How an input is declared in the facts of a method. */
export function inputWrittenAs(facts: FactsByKind, source: InputSource): string {
  const inputs = factsOf(facts, 'input').filter((input) => input.source === source)
  const all = source === 'body' ? [...inputs, ...factsOf(facts, 'body')] : inputs
  const by = all.find((each) => each.by !== undefined)?.by
  return by === undefined ? DECORATOR_OF[source] : `\`${source}\` in ${by}()`
}
