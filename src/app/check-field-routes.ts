import type { FactOf } from '../contracts/facts.js'
import type { Class } from '../contracts/provider.js'
import type { Problem } from '../errors/config-error.js'
import { chainOf, countMadeRoutes, type MadeRoute } from '../metadata/read.js'
import { type FieldRoutes, fieldsOf, readFieldRoutes } from '../model/field-routes.js'

/**
 * Compares the field routes of the constructed controllers with the routes of the model, which were read from instances
 * without dependencies. Each difference is an error: a route that is documented and not served, or the reverse.
 */
export function checkFieldRoutes(controllers: ReadonlyMap<unknown, object>): Problem[] {
  if (countMadeRoutes() === 0) return []
  return ([...controllers] as [Class, object][]).flatMap(([target, instance]) => [
    ...chainOf(target).flatMap(checkStatic),
    // An object that replaces the controller in a test has methods of its own.
    ...(instance instanceof target ? compare(target, fieldsOf(instance)) : []),
  ])
}

function checkStatic(link: Class): Problem[] {
  return [...fieldsOf(link).keys()].map((key) =>
    unserved(
      [link, key],
      'It is a route, and a static field.',
      'Remove `static`: routes are fields of instances.',
    ),
  )
}

function unserved([{ name }, key]: [Class, PropertyKey], cause: string, remedy: string): Problem {
  return { code: 'E_FIELD_ROUTE_UNSERVED', subject: `${name}.${String(key)}`, cause, remedy }
}

function compare(controller: Class, made: FieldRoutes): Problem[] {
  const read = new Map(
    [...readFieldRoutes(controller).byClass.values()].flatMap((fields) => [...fields]),
  )
  const refuse = (key: PropertyKey, cause: string, remedy: string) => [
    unserved([controller, key], cause, remedy),
  ]
  return [...new Set([...read.keys(), ...made.keys()])].flatMap((key) => {
    const [before, now] = [read.get(key), made.get(key)]
    if (before === undefined) return refuse(key, HIDDEN, REMEDY_OF_HIDDEN)
    if (now === undefined) return refuse(key, LOST, REMEDY)
    const [expected, found] = [shownRoute(before), shownRoute(now)]
    const cause = `It was read as ${expected} and constructed as ${found}: it depends on an injected value.`
    return expected === found ? [] : refuse(key, cause, REMEDY)
  })
}

const HIDDEN =
  'It is a field route, and the source of its class does not show this: a minifier has renamed the function that makes it, or another function has made it.'
const REMEDY_OF_HIDDEN =
  "Write it as `name = get('/', …)` with a function that is imported by its own name, and do not let a minifier rename it (esbuild: no `minifyIdentifiers`); or decorate a method."
const LOST =
  'It is a route where the dependencies of its class are missing, and not in the application: the constructor changes it, or an injected value decides about it.'
const REMEDY = 'Give the field the same route in every instance, or decorate a method.'

/** The parts of a route that do not need a comparison of schemas, as text. */
function shownRoute({ by, facts }: MadeRoute): string {
  const { path } = facts[0] as FactOf<'route'>
  const options = facts.find((fact) => fact.kind === 'routeOptions')?.options ?? {}
  const plain = Object.entries(options).map(([name, value]) => {
    const isPlain = typeof value !== 'object' && typeof value !== 'function'
    return isPlain || name === 'can' ? `${name}: ${JSON.stringify(value)}` : name
  })
  return [`${by}('${path}')`, ...plain].join(', ')
}
