import type { Class } from '../../contracts/provider.js'
import type { Scope } from '../../di/modules.js'
import type { Binding } from '../../di/provider.js'
import { tokenName } from '../../di/token.js'
import type { Problem } from '../../errors/config-error.js'
import { chainOf } from '../../metadata/read.js'
import { inspectKey, inspectScope } from './keys.js'
import { type Finding, REMEDIES } from './remedies.js'
import { metadataStore, storedLists } from './traces.js'

/** Where the check looks for decorators of other frameworks. */
export interface ForeignInput {
  readonly controllers: readonly Class[]
  readonly scopes: readonly Scope[]
  /** The keys that plugins read: their `metadataKeys`. */
  readonly readKeys: readonly (string | symbol)[]
}

/**
 * Finds decorators, tokens and scopes of other frameworks that have no effect here: a guard that never runs leaves
 * its route open. Classes are read as they are, and no package is loaded.
 */
export function checkForeign({ controllers, scopes, readKeys }: ForeignInput): Problem[] {
  const problems: Problem[] = []
  const unknown = new Map<string | symbol, string[]>()
  const owners = ownersOf(controllers)
  for (const [owner, controller] of owners) {
    const members = Reflect.ownKeys(owner.prototype).filter((member) => member !== 'constructor')
    for (const member of [null, ...members]) {
      const subject = nameOf(controller) + (member === null ? '' : `.${String(member)}`)
      const findings = findEntries(owner, member)
      const noted = readNoted(owner, member)
      for (const [key, value] of noted) {
        if (readKeys.includes(key)) continue
        const found = inspectKey(key, value, noted)
        if (found === null) unknown.set(key, [...(unknown.get(key) ?? []), subject])
        else findings.push(...found)
      }
      const from = owner === controller ? '' : ` from ${owner.name}`
      problems.push(...findings.map((finding) => unused(subject, finding, from)))
    }
  }
  const bindings = scopes.flatMap((scope) => scope.bindings)
  return [
    ...problems,
    ...[...unknown].map(([key, places]) => unread(key, places.join(', '))),
    ...bindings.flatMap((binding) => checkBinding(binding, owners)),
  ]
}

/** The controllers and their base classes, each with the first controller that extends it: one problem is enough. */
function ownersOf(controllers: readonly Class[]): ReadonlyMap<Class, Class> {
  const owners = new Map<Class, Class>()
  for (const controller of controllers) {
    for (const owner of chainOf(controller)) owners.set(owner, owners.get(owner) ?? controller)
  }
  return owners
}

/**
 * Reads the values that were stored on a class itself (`null`) or on one of its members, without its base classes.
 * Frameworks use the class, its prototype or the function of a method; all of them are read.
 */
function readNoted(owner: Class, member: PropertyKey | null): Map<string | symbol, unknown> {
  const noted = new Map<string | symbol, unknown>()
  const store = metadataStore()
  const read = (site: object, of?: PropertyKey) => {
    for (const key of store?.getOwnMetadataKeys(site, of) ?? []) {
      noted.set(key, store?.getOwnMetadata(key, site, of))
    }
  }
  const { value } = (member && Object.getOwnPropertyDescriptor(owner.prototype, member)) || {}
  if (typeof value === 'function') read(value)
  for (const site of [owner, owner.prototype]) read(site, member ?? undefined)
  return noted
}

/** The tokens under which NestJS finds the providers that run on every route. */
const TOKENS = new Map<unknown, string>([
  ['APP_GUARD', REMEDIES.guard],
  ['APP_PIPE', REMEDIES.schema],
  ['APP_INTERCEPTOR', REMEDIES.use],
  ['APP_FILTER', REMEDIES.filter],
])

/** The keys on the class of a provider that decide how NestJS creates it. */
const INJECTION = ['scope:options', 'self:paramtypes', 'self:properties_metadata']

/** Finds a provider that another framework would run by itself, or create anew for each request. */
function checkBinding(
  { token, source, make, origin }: Binding,
  controllers: ReadonlyMap<Class, Class>,
): Problem[] {
  const findings = typeof source === 'function' ? [] : inspectScope(source)
  const remedy = TOKENS.get(token)
  if (remedy !== undefined) findings.push({ written: 'a token of NestJS', remedy })
  const subject = remedy === undefined ? tokenName(token) : String(token)
  const problems = findings.map(({ written, ...rest }): Problem => {
    const cause = `It is provided by ${origin} with ${written}, which Blazon does not know.`
    return { code: 'E_FOREIGN_PROVIDER', subject, cause, ...rest }
  })
  if (make.kind !== 'class' || controllers.has(make.class)) return problems
  // Each key is read from the nearest class that has it, the class itself or a base class, as NestJS does.
  const links = chainOf(make.class).toReversed()
  const noted = new Map(links.flatMap((link) => [...readNoted(link, null)]))
  const onClass = INJECTION.flatMap((key) => inspectKey(key, noted.get(key), noted) ?? [])
  const all = [...onClass, ...findEntries(make.class, null)]
  return [...problems, ...all.map((finding) => unused(nameOf(make.class), finding))]
}

function nameOf({ name }: Class): string {
  return name || 'an anonymous class'
}

function unused(subject: string, { written, remedy }: Finding, from = ''): Problem {
  const verb = from === '' ? 'has' : 'inherits'
  const cause = `It ${verb} ${written}${from}, which Blazon never runs.`
  return { code: 'E_FOREIGN_DECORATOR', subject, cause, remedy }
}

function unread(key: string | symbol, subject: string): Problem {
  const name = typeof key === 'symbol' ? String(key) : `'${key}'`
  const cause = `Another decorator has stored ${name} there, and nothing in this application reads it.`
  const remedy = String(key).startsWith('swagger/') ? REMEDIES.document : REMEDIES.unknown
  return { code: 'W_FOREIGN_METADATA', subject, cause, remedy }
}

/** The arguments that the package stores for one decorator. */
type Args = Readonly<Partial<Record<'target' | 'object' | 'method' | 'type' | 'index', unknown>>>

/** The lists of decorators. Entries of some lists have a type, such as `authorized`, which names the decorator better. */
const LISTS: readonly (readonly [list: string, decorator: string, remedy: string])[] = [
  ['controllers', '', REMEDIES.route],
  ['actions', '', REMEDIES.route],
  ['uses', '@UseBefore or @UseAfter', REMEDIES.use],
  ['useInterceptors', '@UseInterceptor', REMEDIES.use],
  ['responseHandlers', '', REMEDIES.response],
  ['params', '', REMEDIES.parameter],
  ['middlewares', '@Middleware', REMEDIES.use],
  ['interceptors', '@Interceptor', REMEDIES.use],
]

/** Finds the decorators of routing-controllers on a class (`null`), or on one of its members. */
function findEntries(owner: Class, member: PropertyKey | null): Finding[] {
  const key = (Symbol as { metadata?: symbol }).metadata as symbol
  // A class of the standard dialect is found by the metadata object that its decorators received.
  const owners = [owner, Object.getOwnPropertyDescriptor(owner, key)?.value ?? owner]
  return LISTS.flatMap(([list, decorator, remedy]) => {
    const entries = storedLists()?.[list]
    // Another version may have other lists.
    const all: readonly Args[] = Array.isArray(entries) ? entries : []
    const here = all.filter((args) => {
      const place = placeOf(args)
      return owners.includes(place.owner) && place.member === member
    })
    return here.map(({ type, index }) => {
      const where = index === undefined ? '' : ` on parameter ${index}`
      const written = `${type === undefined ? decorator : `the decorator '${type}'`} of routing-controllers${where}`
      return { written, remedy: type === 'authorized' ? REMEDIES.guard : remedy }
    })
  })
}

function placeOf({ target, object, method }: Args): { owner: unknown; member: unknown } {
  if (typeof method !== 'object' || method === null) {
    return { owner: target ?? object?.constructor, member: method ?? null }
  }
  // The decorator was called in the standard way, and has taken the decorator context for the name of a method.
  const { kind, name, metadata } = method as ClassMethodDecoratorContext
  return { owner: metadata, member: (kind as string) === 'class' ? null : name }
}
