import type { RouteModel } from '../contracts/route-model.js'
import type { InputSource } from '../contracts/schema.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'

/** The facts of each route: messages use the author's words, and nothing else needs them. */
const written = new WeakMap<RouteModel, FactsByKind>()

/** Notes the facts that a route was made of. */
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

/** How the author has written an input of a route: `@Params`, or `params` in `@Get()`. */
export function writtenAs(route: RouteModel, source: InputSource): string {
  const facts = written.get(route)
  return facts === undefined ? DECORATOR_OF[source] : inputWrittenAs(facts, source)
}

/** How an input is written in the facts of a method. */
export function inputWrittenAs(facts: FactsByKind, source: InputSource): string {
  const inputs = factsOf(facts, 'input').filter((input) => input.source === source)
  const all = source === 'body' ? [...inputs, ...factsOf(facts, 'body')] : inputs
  const by = all.find((each) => each.by !== undefined)?.by
  return by === undefined ? DECORATOR_OF[source] : `\`${source}\` in ${by}()`
}
