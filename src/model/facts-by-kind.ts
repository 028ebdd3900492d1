import type { Fact, FactOf } from '../contracts/facts.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { InputSource } from '../contracts/schema.js'

/** Facts grouped by kind, in source order. Code that reads facts always needs one kind at a time. */
export type FactsByKind = { readonly [K in Fact['kind']]?: readonly FactOf<K>[] }

const NONE: readonly never[] = Object.freeze([])

export function groupFacts(facts: readonly Fact[]): FactsByKind {
  const groups: { [K in Fact['kind']]?: Fact[] } = {}
  for (const fact of facts) {
    const group = groups[fact.kind]
    if (group === undefined) groups[fact.kind] = [fact]
    else group.push(fact)
  }
  // Each fact is in the list for its kind. The compiler cannot infer this.
  return groups as FactsByKind
}

export function factsOf<K extends Fact['kind']>(facts: FactsByKind, kind: K): readonly FactOf<K>[] {
  return facts[kind] ?? NONE
}

/** Returns the first fact of one kind. A fact of a class comes before the facts of its base classes. */
export function firstOf<K extends Fact['kind']>(
  facts: FactsByKind,
  kind: K,
): FactOf<K> | undefined {
  return facts[kind]?.[0]
}

/** The facts of each route, for messages that refer to the declarations in the source code. */
const written = new WeakMap<RouteModel, FactsByKind>()

/** Stores the facts from which a route was compiled. */
export function noteFacts(route: RouteModel, facts: FactsByKind): RouteModel {
  written.set(route, facts)
  return route
}

/** Returns the facts from which a route was compiled. */
export function writtenFacts(route: RouteModel): FactsByKind | undefined {
  return written.get(route)
}

/** The decorator of each input. */
export const DECORATOR_OF: Readonly<Record<InputSource, string>> = {
  body: '@Body',
  params: '@Params',
  query: '@Query',
  headers: '@Headers',
  cookies: '@Cookies',
}

/** Describes how an input of a route is declared in the source code: `@Params`, or `params` in `@Get()`. */
export function writtenAs(route: RouteModel, source: InputSource): string {
  const facts = written.get(route)
  return facts === undefined ? DECORATOR_OF[source] : inputWrittenAs(facts, source)
}

/** Describes how an input is declared, according to a method's facts. */
export function inputWrittenAs(facts: FactsByKind, source: InputSource): string {
  const inputs = factsOf(facts, 'input').filter((input) => input.source === source)
  const all = source === 'body' ? [...inputs, ...factsOf(facts, 'body')] : inputs
  const by = all.find((each) => each.by !== undefined)?.by
  return by === undefined ? DECORATOR_OF[source] : `\`${source}\` in ${by}()`
}
