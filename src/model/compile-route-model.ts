import type { FactOf } from '../contracts/facts.js'
import type { InterceptorEntry, UsedByRoute, UseEntry } from '../contracts/interceptor.js'
import type { ApiResponseOptions } from '../contracts/operation.js'
import type { Class } from '../contracts/provider.js'
import type { StreamFormat, StreamModel } from '../contracts/representation.js'
import type {
  DefaultStatus,
  HttpMethod,
  ParameterModel,
  RouteModel,
} from '../contracts/route-model.js'
import type { VersionSettings } from '../contracts/version.js'
import type { EnvelopeChoice } from '../contracts/wire-format.js'
import { toSeconds } from '../http/units.js'
import { compileBounds } from './bounds.js'
import { compileOptions } from './check-decorators.js'
import { withBodies } from './compile-bodies.js'
import { compileDefined } from './compile-defined.js'
import { compileCookies, compileInputs } from './compile-inputs.js'
import { compileResponses } from './compile-responses.js'
import { withUpload } from './compile-upload.js'
import { type FactsByKind, factsOf, firstOf } from './facts-by-kind.js'
import type { InheritedController } from './inherit.js'
import { joinPaths, pathParameters } from './paths.js'
import { flattenEntries, isMiddleware } from './uses.js'

/** The values that all routes of an application share. */
export interface OwnerOptions {
  /** The access to routes without an access decorator. */
  readonly defaultAccess: 'public' | 'protected'
  /** The names of `auth.guards`, starting with the default guard; empty without this option. */
  readonly guards: readonly string[]
  /**
   * Returns the path that precedes a controller's prefix: the application's prefix, then a segment such as `v1` if
   * there is one, then the module's prefix.
   */
  readonly prefixOf: (controller: Class, segment?: string) => string
  /** The `versions` option; `null` without it. */
  readonly versions: VersionSettings | null
  /**
   * The status of routes without `@HttpCode`, by HTTP method. For a method that is not listed, the status is 200 or
   * 204.
   */
  readonly defaultStatus: DefaultStatus
  /** The envelope for routes without `@Envelope`. */
  readonly envelope: EnvelopeChoice
  /** The responses that every route documents. */
  readonly documented: readonly ApiResponseOptions[]
}

/** The values that all routes of a controller share. */
export interface Owner extends Omit<OwnerOptions, 'prefixOf'> {
  readonly controller: Class
  readonly facts: FactsByKind
  readonly prefix: string
  /** Returns the prefix for the routes of a version. */
  readonly prefixIn: (version: string) => string
  readonly tags: readonly string[]
}

/** Collects the values that all routes of a controller share. */
export function ownerOf(
  controller: Class,
  { facts }: InheritedController,
  options: OwnerOptions,
): Owner {
  const own = firstOf(facts, 'controller')?.prefix ?? ''
  const prefix = joinPaths(options.prefixOf(controller), own)
  const prefixIn = (version: string) => joinPaths(options.prefixOf(controller, `v${version}`), own)
  // The facts of a class come before the facts of its base classes, so the tags of a subclass replace inherited tags.
  const tags = firstOf(facts, 'tags')?.tags ?? [defaultTag(controller.name)]
  const envelope = firstOf(facts, 'envelope')?.envelope ?? options.envelope
  const shared = { tags: Object.freeze([...new Set(tags)]), envelope }
  return { ...options, controller, facts, prefix, prefixIn, ...shared }
}

/** A route before it is compiled. */
export interface Draft {
  readonly handler: PropertyKey
  readonly facts: FactsByKind
  readonly verb: FactOf<'route'>
  readonly index: number
  readonly version: string | null
}

/** Compiles the facts about a handler to a route. */
export function compileRouteModel(
  { handler, facts, verb, index, version }: Draft,
  owner: Owner,
): RouteModel {
  const { controller } = owner
  const { path, plainPath, versionHeader } = placeOf(version, verb, owner)
  // The fields are listed individually, because an object spread in the middle of a literal takes longer than the rest
  // of this function.
  const { isProtected, isAuthOptional, guards, abilities } = compileAccess(facts, owner)
  const status = compileStatus(facts, verb, owner)
  const responses = compileResponses(facts, owner, status)
  const { options, option } = compileOptions(owner.facts, facts)
  const stated = { inputs: compileInputs(facts), limits: compileBounds(owner.facts, facts) }
  const { inputs: read, bodies, limits } = withBodies(facts, stated)
  const { inputs, upload } = withUpload(facts, read)
  return Object.freeze({
    index,
    method: verb.method,
    path,
    methods: expressMethods(verb.method),
    stack: expressStack(controller, handler, verb),
    version,
    versionHeader,
    plainPath,
    versionEnd: version === null ? null : (owner.versions?.deprecated[version] ?? null),
    pathParameters: Object.freeze(pathParameters(path)),
    controller,
    handler,
    name: `${controller.name}.${String(handler)}`,
    inputs,
    bodies,
    upload,
    cookies: compileCookies(facts),
    stream: compileStream(facts),
    webhook: firstOf(facts, 'webhook')?.verifier ?? null,
    isProtected,
    isAuthOptional,
    guards,
    abilities,
    limits,
    status,
    redirect: compileRedirect(firstOf(facts, 'redirect')),
    headers: responses.headers,
    envelope: responses.envelope,
    produces: responses.produces,
    isEnveloped: responses.isEnveloped,
    responseFields: responses.responseFields,
    operation: responses.operation,
    pages: firstOf(facts, 'pages')?.pages ?? null,
    parameters: compileParameters(facts),
    definedParameters: compileDefined(facts),
    options,
    option,
    uses: compileUses(owner.facts, facts),
  })
}

/** Returns the place where requests specify a route's version: the path, or a header. */
function placeOf(
  version: string | null,
  { path: own }: FactOf<'route'>,
  { prefix, prefixIn, versions }: Owner,
): Pick<RouteModel, 'path' | 'plainPath' | 'versionHeader'> {
  const path = joinPaths(prefix, own)
  if (version === null || versions?.by !== 'path') {
    const versionHeader = version === null ? null : (versions?.header ?? null)
    return { path, plainPath: null, versionHeader }
  }
  const plainPath = version === versions.default ? path : null
  return { path: joinPaths(prefixIn(version), own), plainPath, versionHeader: null }
}

const NO_GUARDS: readonly string[] = Object.freeze([])

/**
 * Compiles the access to a route. A method's access decorators replace the class's access decorators, but the abilities
 * of both are combined.
 */
function compileAccess(
  facts: FactsByKind,
  { facts: classFacts, defaultAccess, guards: known }: Owner,
): Pick<RouteModel, 'isProtected' | 'isAuthOptional' | 'guards' | 'abilities'> {
  if (facts.public !== undefined) {
    return { isProtected: false, isAuthOptional: false, guards: NO_GUARDS, abilities: null }
  }
  const isCan = facts.can !== undefined || classFacts.can !== undefined
  const auth = firstOf(facts, 'auth') ?? firstOf(classFacts, 'auth')
  // A request without a user has no abilities, so `@Can` always requires the guard.
  const isAuthOptional = !isCan && auth?.isOptional === true
  // Webhook senders have no credentials, because the signature replaces them.
  const isByDefault = defaultAccess === 'protected' && facts.webhook === undefined
  const isStated = isCan || auth !== undefined || isByDefault
  const isProtected = isStated && !isAuthOptional
  const named = auth === undefined || auth.guards.length === 0 ? known.slice(0, 1) : auth.guards
  const guards = isProtected || isAuthOptional ? Object.freeze(named) : NO_GUARDS
  if (!isCan) return { isProtected, isAuthOptional, guards, abilities: null }
  const stated = [...factsOf(classFacts, 'can'), ...factsOf(facts, 'can')]
  const abilities = new Set(stated.flatMap((fact) => fact.abilities))
  return { isProtected, isAuthOptional, guards, abilities: orNull([...abilities]) }
}

/**
 * Returns the declared status of success responses. A redirect has its own status, so no other success response is
 * described.
 */
function compileStatus(
  facts: FactsByKind,
  { method }: FactOf<'route'>,
  { defaultStatus }: Owner,
): number | null {
  // A browser reads events only from a response with the status 200.
  if (facts.stream !== undefined) return null
  const stated = firstOf(facts, 'status')?.status
  if (stated !== undefined) return stated
  return facts.redirect === undefined ? (defaultStatus[method] ?? null) : null
}

function compileRedirect(fact: FactOf<'redirect'> | undefined): RouteModel['redirect'] {
  return fact === undefined ? null : Object.freeze({ url: fact.url, status: fact.status })
}

/** Returns the default tag of a controller. For `UsersController`, it is `Users`. */
function defaultTag(name: string): string {
  return name.replace(/(?<=.)Controller$/, '') || 'Default'
}

function compileParameters(facts: FactsByKind): RouteModel['parameters'] {
  const parameters: ParameterModel[] = factsOf(facts, 'parameter').map(
    ({ index, source, key = null, definition = null }) =>
      Object.freeze({ index, source, key, definition }),
  )
  return orNull(parameters.sort((a, b) => a.index - b.index))
}

/** Returns `null` instead of an empty list, so that a single comparison is enough to omit the step. */
function orNull<T>(list: readonly T[]): readonly T[] | null {
  return list.length === 0 ? null : Object.freeze(list)
}

/** Sorts the entries of `@Use`: class entries first, so that they run outside the method's entries. */
function compileUses(ofClass: FactsByKind, ofMethod: FactsByKind): UsedByRoute | null {
  if (ofClass.use === undefined && ofMethod.use === undefined) return null
  const facts = [...factsOf(ofClass, 'use'), ...factsOf(ofMethod, 'use')]
  const entries = flattenEntries(facts.flatMap((fact) => fact.entries)) as readonly UseEntry[]
  const middlewares = entries.filter(isMiddleware)
  const interceptors = entries.filter((entry) => !isMiddleware(entry)) as InterceptorEntry[]
  return Object.freeze({
    middlewares: Object.freeze(middlewares),
    interceptors: Object.freeze(interceptors),
  })
}

/** Many proxies close a connection that has been idle for 60 seconds, and some proxies after 30 seconds. */
const HEARTBEAT = '15s'

/** Compiles `@Sse` and `@JsonLines`. Values that are not durations have already been reported by the checks. */
function compileStream(facts: FactsByKind): StreamModel | null {
  const [first, ...others] = factsOf(facts, 'stream')
  if (first === undefined) return null
  return Object.freeze({
    item: first.item,
    formats: Object.freeze([first, ...others].map(compileFormat)),
  })
}

function compileFormat({ format, options }: FactOf<'stream'>): StreamFormat {
  const { maxAge, heartbeat = HEARTBEAT } = options ?? {}
  const hasHeartbeat = format === 'sse' && heartbeat !== false
  return Object.freeze({
    kind: format,
    maxAgeMs: maxAge === undefined ? null : toMs(maxAge),
    heartbeatMs: hasHeartbeat ? toMs(heartbeat) : null,
  })
}

function toMs(duration: number | string): number {
  return (toSeconds(duration) ?? 0) * 1000
}

/**
 * Returns the value that Express' `route.get()` and `route.all()` store in `route.methods`. Routes with the same method
 * share one object.
 */
function expressMethods(method: HttpMethod): RouteModel['methods'] {
  METHODS[method] ??= Object.freeze({ [lowerCase(method) ?? '_all']: true as const })
  return METHODS[method]
}

const METHODS: Partial<Record<HttpMethod, RouteModel['methods']>> = {}

/** Returns the list that Express stores in `route.stack`. */
function expressStack(
  { prototype }: Class,
  handler: PropertyKey,
  { method, handler: ofField }: FactOf<'route'>,
): RouteModel['stack'] {
  const handle = ofField ?? (prototype as Record<PropertyKey, unknown>)[handler]
  return Object.freeze([
    Object.freeze({ name: String(handler), method: lowerCase(method), handle }),
  ])
}

/** Returns a method in lower case; `undefined` for `ALL`, as in Express. */
function lowerCase(method: HttpMethod): string | undefined {
  return method === 'ALL' ? undefined : method.toLowerCase()
}
