import type { Class } from '../../contracts/provider.js'
import type { Scope } from '../../di/modules.js'
import type { Problem } from '../../errors/config-error.js'
import { chainOf } from '../../metadata/read.js'
import { checkForeignProviders } from './check-providers.js'
import { foreignDecorator } from './foreign-decorator.js'
import { inspectNest } from './nest.js'
import { inspectOther, remedyForUnknown } from './other-keys.js'
import { type Entry, readRoutingControllers } from './routing-controllers.js'
import { type Finding, type ForeignTarget, type Noted, readPlaces } from './traces.js'

/** Where the check looks for decorators of other frameworks. */
export interface ForeignInput {
  readonly controllers: readonly Class[]
  readonly scopes: readonly Scope[]
  /** The keys that plugins read: their `metadataKeys`. */
  readonly readKeys: readonly (string | symbol)[]
}

/**
 * Finds decorators, tokens and scopes of other frameworks that have no effect here: a guard that never runs leaves
 * its route open. Classes are read as they are and no package is loaded; if no metadata was ever written, nothing is
 * searched.
 */
export function checkForeign(input: ForeignInput): Problem[] {
  const controllers = checkControllers(input)
  return [...controllers, ...checkForeignProviders(input.scopes, new Set(input.controllers))]
}

function checkControllers({ controllers, readKeys }: ForeignInput): Problem[] {
  const problems: Problem[] = []
  const unknown = new Unknown()
  const ignored = new Set<string | symbol>(readKeys)
  const entriesOf = readRoutingControllers()
  const seen = new Set<Class>()
  for (const controller of controllers) {
    for (const owner of chainOf(controller)) {
      // A problem of a base class is reported once, for the first controller that extends it.
      if (seen.has(owner)) continue
      seen.add(owner)
      const visit: Visit = { controller, owner, ignored, unknown }
      problems.push(...readPlaces(owner).flatMap((place) => inspectPlace(place, visit)))
      problems.push(...entriesOf(owner).map((entry) => toProblem(entry, visit)))
    }
  }
  return [...problems, ...unknown.problems()]
}

/** A class in the chain from a controller to its last base class. */
interface Visit {
  readonly controller: Class
  readonly owner: Class
  readonly ignored: ReadonlySet<string | symbol>
  readonly unknown: Unknown
}

function inspectPlace({ member, noted }: ForeignTarget, visit: Visit): Problem[] {
  const findings = new Map<string, Finding>()
  for (const [key, value] of noted) {
    if (visit.ignored.has(key)) continue
    const found = inspect(key, value, noted)
    if (found === null) visit.unknown.add(key, subjectOf(visit, member))
    for (const finding of found ?? []) {
      findings.set(`${finding.written} ${finding.by} ${finding.parameter}`, finding)
    }
  }
  return [...findings.values()].map((finding) => toProblem({ member, finding }, visit))
}

function inspect(key: string | symbol, value: unknown, noted: Noted): readonly Finding[] | null {
  return inspectNest(key, value, noted) ?? inspectOther(key, value)
}

function toProblem({ member, finding }: Entry, visit: Visit): Problem {
  const from = visit.owner === visit.controller ? undefined : visit.owner.name
  return foreignDecorator(subjectOf(visit, member), finding, from)
}

function subjectOf({ controller }: Visit, member: PropertyKey | null): string {
  const name = controller.name || 'an anonymous class'
  return member === null ? name : `${name}.${String(member)}`
}

/** Unknown keys and their places: one warning for each key. */
class Unknown {
  readonly #places = new Map<string | symbol, string[]>()

  add(key: string | symbol, place: string): void {
    const places = this.#places.get(key)
    if (places === undefined) this.#places.set(key, [place])
    else places.push(place)
  }

  problems(): Problem[] {
    return [...this.#places].map(([key, places]) => ({
      code: 'W_FOREIGN_METADATA',
      subject: places.join(', '),
      cause: `Another decorator has stored ${typeof key === 'symbol' ? String(key) : `'${key}'`} there, and nothing in this application reads it.`,
      remedy: remedyForUnknown(key),
    }))
  }
}
