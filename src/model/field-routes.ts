import type { ClassFacts } from '../contracts/facts.js'
import type { Class } from '../contracts/provider.js'
import { constructWithStandIns } from '../di/stand-ins.js'
import type { Problem } from '../errors/config-error.js'
import {
  chainOf,
  collectMadeRoutes,
  type MadeRoute,
  noteField,
  readClass,
  routeMadeOf,
} from '../metadata/read.js'

/** Field routes, by field name. */
export type FieldRoutes = ReadonlyMap<PropertyKey, MadeRoute>

/** The field routes of a controller. */
export interface ReadFields {
  /** The routes, by the class that declares the fields: the controller, or one of its base classes. */
  readonly byClass: ReadonlyMap<Class, FieldRoutes>
  readonly problems: readonly Problem[]
}

const NO_FIELDS: ReadFields = { byClass: new Map(), problems: [] }

/** The results are cached, because reading a class again would run its constructor again. */
const known = new WeakMap<Class, ReadFields>()

/**
 * Reads the field routes of a controller. Fields exist only on instances, so a class with field routes is instantiated
 * once, with stand-ins for its dependencies. Other classes are not instantiated.
 */
export function readFieldRoutes(controller: Class): ReadFields {
  let fields = known.get(controller)
  if (fields === undefined) {
    fields = readChainOfFields(controller)
    known.set(controller, fields)
  }
  return fields
}

/** Returns the facts of a controller and then of its base classes, including field routes. */
export function readChain(controller: Class): readonly ClassFacts[] {
  const { byClass } = readFieldRoutes(controller)
  return chainOf(controller).map((link) => withFields(readClass(link), byClass.get(link)))
}

/**
 * Adds the field routes to the facts of a class. Methods come first, then fields, each in source order, so that the
 * model is the same in both dialects.
 */
function withFields(facts: ClassFacts, fields: FieldRoutes | undefined): ClassFacts {
  if (fields === undefined) return facts
  const methods = new Map([...facts.methods].filter(([key]) => !fields.has(key)))
  for (const [key, made] of fields) {
    methods.set(key, [...(facts.methods.get(key) ?? []), ...made.facts])
  }
  return { ...facts, methods }
}

function readChainOfFields(controller: Class): ReadFields {
  const chain = chainOf(controller).filter(makesRoutes)
  if (chain.length === 0) return NO_FIELDS
  const byClass = new Map<Class, FieldRoutes>()
  const problems: Problem[] = []
  let base = NOTHING
  for (const link of chain.reverse()) {
    const made = makeInstance(controller, link)
    if (made.problems.length > 0) return { byClass, problems: made.problems }
    const fields = ownFields(made, base)
    problems.push(...checkMade(link, { made, base, fields }))
    for (const [key, route] of fields) noteField(link, key, route)
    byClass.set(link, fields)
    base = made
  }
  return { byClass, problems }
}

/** An instance whose dependencies are stand-ins, and the routes that its constructor created, in order. */
interface Made {
  readonly fields: FieldRoutes
  readonly routes: readonly MadeRoute[]
  readonly problems: readonly Problem[]
}

const NOTHING: Made = { fields: new Map(), routes: [], problems: [] }

function makeInstance(controller: Class, link: Class): Made {
  const routes: MadeRoute[] = []
  try {
    let instance: object = {}
    collectMadeRoutes(routes, () => {
      const parameters = Math.max(...chainOf(link).map(countParameters))
      instance = constructWithStandIns(controller, { constructs: link, parameters })
    })
    return { fields: fieldsOf(instance), routes, problems: [] }
  } catch (error) {
    return { ...NOTHING, problems: failed(nameOf(link), error) }
  }
}

/**
 * Counts the constructor parameters of a class. A class may list tokens for parameters with defaults, which `length`
 * does not include.
 */
function countParameters(target: Class): number {
  const { inject } = target as { readonly inject?: unknown }
  return Math.max(target.length, Array.isArray(inject) ? inject.length : 0)
}

/** Returns the routes of an instance, by field. Getters are not called. */
export function fieldsOf(instance: object): FieldRoutes {
  const fields = new Map<PropertyKey, MadeRoute>()
  for (const key of Reflect.ownKeys(instance)) {
    const made = routeMadeOf(Object.getOwnPropertyDescriptor(instance, key)?.value)
    if (made !== undefined) fields.set(key, made)
  }
  return fields
}

/**
 * Returns the fields that a class declares itself, and not the fields that it inherits. The constructor of the base
 * class runs first, so the routes of the base class are created first.
 */
function ownFields({ fields, routes }: Made, base: Made): FieldRoutes {
  const ofBase = new Set(routes.slice(0, base.routes.length))
  const isInherited = (key: PropertyKey, made: MadeRoute) =>
    base.fields.has(key) && (ofBase.has(made) || base.fields.get(key) === made)
  return new Map([...fields].filter(([key, made]) => !isInherited(key, made)))
}

interface OwnRoutes {
  readonly made: Made
  readonly base: Made
  readonly fields: FieldRoutes
}

/** Finds routes that are not the value of a field. Such routes would never be served. */
function checkMade(link: Class, { made, base, fields }: OwnRoutes): Problem[] {
  const placed = new Set(fields.values())
  const own = made.routes.slice(base.routes.length).filter((route) => !placed.has(route))
  return own.map(({ by, facts: [fact] }) => ({
    code: 'E_FIELD_ROUTE_UNSERVED',
    subject: nameOf(link),
    cause: `${by}(${fact?.kind === 'route' ? `'${fact.path}'` : ''}) creates a route, but the route is not the value of a public instance field.`,
    remedy: `Write it as a field: name = ${by}('/', …), without #, static, accessor, or a function around it.`,
  }))
}

function failed(subject: string, error: unknown): Problem[] {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return [
    {
      code: 'E_FIELD_ROUTES_UNREAD',
      subject,
      cause: `It is constructed once without its dependencies, to read the routes of its fields, but its constructor threw ${text}${/[.!?]$/.test(text) ? '' : '.'}`,
      remedy:
        'Correct the field, move work from the constructor to onInit(), or declare the routes as methods with @Get(), @Post(), ….',
    },
  ]
}

function nameOf({ name }: Class): string {
  return name || 'an anonymous class'
}

/**
 * Matches a call to a function for field routes, as compilers and bundlers write it: `post(`, `post2(`,
 * `(0, blazon_1.post)(`.
 */
const CALL =
  '(?:\\(0,\\s*[\\w$]+\\.(?:get|query|post|put|patch|del)\\)|(?:[\\w$]*(?:blazon|import)[\\w$]*\\.)?(?:get|query|post|put|patch|del)(?:\\$?\\d+)?)\\s*\\(\\s*'

/**
 * Matches a call as the value of a field: `add = post('/')`, `this.add = post(path)`. Does not match `const note =
 * get(id)` in a method.
 */
const OF_FIELD = `(?:^|[{};\\n/])\\s*(?:this\\.|this\\[)?["'\`]?[\\w$]+["'\`\\]]*\\s*=\\s*${CALL}["'\`\\w$]`

/**
 * Matches a call inside another call or an object: `__publicField(this, "add", post('/'))`, `{ value: post('/') }`. The
 * path must not contain spaces.
 */
const INSIDE = `(?:[(,[]|\\bvalue:)\\s*${CALL}(["'\`])[^\\s"'\`]*\\1`

const MAKES_ROUTES = new RegExp(`${OF_FIELD}|${INSIDE}`)

/**
 * Whether the source text of a class appears to declare field routes. Only such a class is instantiated to read its
 * routes.
 */
function makesRoutes(target: Class): boolean {
  return MAKES_ROUTES.test(Function.prototype.toString.call(target))
}
