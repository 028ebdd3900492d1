import { types } from 'node:util'
import type { FactOf } from '../contracts/facts.js'
import type { Class, Token } from '../contracts/provider.js'
import { type BoundContainer, makeAll } from '../di/build-container.js'
import { ConfigError, type Problem } from '../errors/config-error.js'
import { takeUnread } from '../features/env/explain-issues.js'
import { chainOf, countMadeRoutes, type MadeRoute } from '../metadata/read.js'
import { type FieldRoutes, fieldsOf, readFieldRoutes } from '../model/field-routes.js'
import { attachOk } from './base-controller.js'
import type { RoutesConfig } from './collect-parts.js'
import { logWarnings, throwErrors } from './describe.js'
import { type MadeGuard, makeGuards } from './make-guards.js'
import { makeInterceptors, namedTokens } from './make-interceptors.js'
import type { DescribedApp } from './prepare-app.js'
import { type CookieSettings, readKeys } from './settings/cookie-options.js'

/** Everything that is constructed before the routes are compiled. */
interface Instances extends Pick<RoutesConfig, 'controllers' | 'interceptors'> {
  readonly guards: readonly MadeGuard[]
  /** The settings of cookies, with the keys that a function has returned. */
  readonly cookies: CookieSettings
}

/**
 * Creates providers, controllers, guards and interceptors.
 *
 * @param ownGuards Receives the guards that exist only for this application.
 */
export async function makeInstances(
  app: DescribedApp,
  container: BoundContainer,
  ownGuards: Set<object>,
): Promise<Instances> {
  const { settings, description, logger } = app
  const { model } = description
  const injector = container.root
  const setup = { get: <T>(token: Token<T>) => injector.resolve(token), logger }
  const controllers = await makeControllers(container, namedTokens(model, settings))
  const unserved = checkFieldRoutes(controllers, injector.made)
  if (unserved.length > 0) throw new ConfigError(unserved)
  warn(app, takeUnread())
  const cookies = await readKeys(settings.cookies, setup)
  const onMade = (each: object) => ownGuards.add(each)
  const guards = await makeGuards(settings.auth, { injector, setup, onMade })
  const interceptors = makeInterceptors(model, settings, injector)
  return {
    controllers,
    guards,
    interceptors,
    cookies,
  }
}

/** Adds the settings of cookies with the keys that a function has returned. */
export function withCookies(described: DescribedApp, cookies: CookieSettings): DescribedApp {
  described.useCookieKeys(cookies.keys)
  return { ...described, settings: { ...described.settings, cookies } }
}

/** Logs warnings that can be detected only at startup. With `strict`, throws them as errors. */
export function warn({ logger, settings }: DescribedApp, warnings: readonly Problem[]): void {
  logWarnings(logger, throwErrors(warnings, settings))
}

/**
 * Creates all providers and controllers.
 *
 * @param tokens Other tokens to create: see {@link namedTokens}.
 * @returns the controllers, by class.
 * @throws ConfigError with everything that could not be created.
 */
async function makeControllers(
  container: BoundContainer,
  tokens: readonly Token[],
): Promise<ReadonlyMap<unknown, object>> {
  const { instances, problems, errors } = await makeAll(container, tokens)
  if (problems.length > 0) {
    if (errors.length === 0) throw new ConfigError(problems)
    throw new ConfigError(problems, {
      cause: errors.length === 1 ? errors[0] : new AggregateError(errors),
    })
  }
  for (const instance of instances.values()) attachOk(instance as object)
  return instances as ReadonlyMap<unknown, object>
}

/**
 * Compares the field routes of the constructed controllers with the routes in the model, which were read from instances
 * with stand-ins. Each difference is an error: a route that is documented but not served, or served but not documented.
 * Also finds routes in static fields, and in fields of classes that are not controllers.
 *
 * @param made All instances that the container has constructed.
 */
function checkFieldRoutes(
  controllers: ReadonlyMap<unknown, object>,
  made: Iterable<unknown>,
): Problem[] {
  if (countMadeRoutes() === 0) return []
  const classes = [...controllers] as [Class, object][]
  const links = new Set(classes.flatMap(([target]) => chainOf(target)))
  return [
    ...[...links].flatMap((link) => refuseAll(link, fieldsOf(link), STATIC)),
    ...[...made].flatMap((each) => checkProvider(each, links)),
    // An object that replaces the controller in a test has its own methods.
    ...classes.flatMap(([target, instance]) =>
      instance instanceof target ? compare(target, fieldsOf(instance)) : [],
    ),
  ]
}

/** Finds routes in the fields of a class that is neither a controller nor a base class of a controller. */
function checkProvider(instance: unknown, links: ReadonlySet<Class>): Problem[] {
  // A proxy can run code of the application when its fields are listed.
  if (typeof instance !== 'object' || instance === null || types.isProxy(instance)) return []
  const target = instance.constructor as Class
  return links.has(target) ? [] : refuseAll(target, fieldsOf(instance), UNLISTED)
}

function refuseAll(target: Class, fields: FieldRoutes, [cause, remedy]: Mistake): Problem[] {
  return [...fields.keys()].map((key) => unserved([target, key], cause, remedy))
}

type Mistake = readonly [cause: string, remedy: string]

const STATIC: Mistake = [
  'It is a route in a static field, which is never served.',
  'Remove `static`: a route must be a field of an instance.',
]
const UNLISTED: Mistake = [
  'It is a route, but its class is not listed as a controller.',
  'Add the class to `controllers`, with @Controller().',
]

function unserved([target, key]: [Class, PropertyKey], cause: string, remedy: string): Problem {
  const subject = `${target.name}.${String(key)}`
  return { code: 'E_FIELD_ROUTE_UNSERVED', subject, cause, remedy }
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
    const cause = `The route was read as ${expected}, but constructed as ${found}: it depends on an injected value.`
    return expected === found ? [] : refuse(key, cause, REMEDY)
  })
}

const HIDDEN =
  'It is a field route, but the source of its class does not show this: a minifier renamed the function that creates it, or another function created it.'
const REMEDY_OF_HIDDEN =
  "Write it as `name = get('/', …)` with a function that is imported under its own name, and prevent minifiers from renaming it (esbuild: no `minifyIdentifiers`); or decorate a method."
const LOST =
  'It is a route only if its class is created without dependencies, so the application does not serve it: the constructor changes it, or it depends on an injected value.'
const REMEDY = 'Assign the same route to the field in every instance, or decorate a method.'

/** Describes a route as text that can be compared: without the values of objects and functions, such as schemas. */
function shownRoute({ by, facts }: MadeRoute): string {
  const { path } = facts[0] as FactOf<'route'>
  const options = facts.find((fact) => fact.kind === 'routeOptions')?.options ?? {}
  const plain = Object.entries(options).map(([name, value]) => {
    const isPlain = typeof value !== 'object' && typeof value !== 'function'
    return isPlain || name === 'can' ? `${name}: ${JSON.stringify(value)}` : name
  })
  return [`${by}('${path}')`, ...plain].join(', ')
}
