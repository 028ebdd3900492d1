import type { Class } from '../../contracts/provider.js'
import { REMEDIES } from './remedies.js'
import { type Finding, shown } from './traces.js'

/** A decorator of routing-controllers, and its place. */
export interface Entry {
  /** `null` is the class itself. */
  readonly member: PropertyKey | null
  readonly finding: Finding
}

/**
 * The arguments that the package stores for one decorator. It keeps lists in a global and does not use
 * reflect-metadata.
 */
interface Args {
  readonly target?: Class
  readonly object?: object
  readonly method?: unknown
  readonly type?: string
  readonly [more: string]: unknown
}

const BY = 'routing-controllers'

type List = (args: Args) => Omit<Finding, 'by'>

const LISTS: Readonly<Record<string, List>> = {
  controllers: ({ type, route }) => ({
    written: call(type === 'json' ? 'JsonController' : 'Controller', route),
    remedy: REMEDIES.route,
  }),
  actions: ({ type, route }) => ({
    written: call(capital(type ?? 'method'), route),
    remedy: REMEDIES.route,
  }),
  uses: ({ afterAction, middleware }) => ({
    written: call(afterAction === true ? 'UseAfter' : 'UseBefore', middleware),
    remedy: REMEDIES.middleware,
  }),
  useInterceptors: ({ interceptor }) => ({
    written: call('UseInterceptor', interceptor),
    remedy: REMEDIES.interceptor,
  }),
  responseHandlers: ({ type, value, secondaryValue }) =>
    type === 'authorized'
      ? { written: call('Authorized', value), remedy: REMEDIES.guard }
      : { written: call(handlerName(type), value, secondaryValue), remedy: REMEDIES.answer },
  params: ({ type, name, index }) => ({
    written:
      type === 'custom-converter'
        ? 'a decorator of createParamDecorator()'
        : call(parameterName(type), name),
    parameter: index as number,
    remedy: type === 'custom-converter' ? REMEDIES.custom : REMEDIES.parameter,
  }),
}

/** Everything that routing-controllers has stored, by class. */
export function readRoutingControllers(): (owner: Class) => readonly Entry[] {
  const lists = storage()
  if (lists === undefined) return () => []
  const byOwner = new Map<unknown, Entry[]>()
  for (const [list, describe] of Object.entries(LISTS)) {
    for (const args of listOf(lists, list)) {
      const { owner, member } = placeOf(args)
      const entries = byOwner.get(owner)
      const entry = { member, finding: { ...describe(args), by: BY } }
      if (entries === undefined) byOwner.set(owner, [entry])
      else entries.push(entry)
    }
  }
  // A class of the standard dialect is found by the metadata object that its decorators received.
  return (owner) => [owner, ...metadataOf(owner)].flatMap((each) => byOwner.get(each) ?? [])
}

/** The role of a class that routing-controllers runs for every route, without a controller that names it. */
export function globalRole(owner: Class): '@Middleware()' | '@Interceptor()' | null {
  const lists = storage()
  const isIn = (list: string) => listOf(lists, list).some(({ target }) => target === owner)
  if (isIn('middlewares')) return '@Middleware()'
  return isIn('interceptors') ? '@Interceptor()' : null
}

/** Another version may have other lists. */
function listOf(lists: ReturnType<typeof storage>, name: string): readonly Args[] {
  const list = lists?.[name]
  return Array.isArray(list) ? list : []
}

function storage(): Readonly<Record<string, readonly Args[]>> | undefined {
  return (globalThis as { routingControllersMetadataArgsStorage?: Record<string, Args[]> })
    .routingControllersMetadataArgsStorage
}

function placeOf({ target, object, method }: Args): { owner: unknown; member: PropertyKey | null } {
  if (typeof method !== 'object' || method === null) {
    return { owner: target ?? object?.constructor, member: (method as PropertyKey) ?? null }
  }
  // The decorator was called in the standard way, and has taken the decorator context for the name of a method.
  const { kind, name, metadata } = method as ClassMethodDecoratorContext
  return { owner: metadata, member: (kind as string) === 'class' ? null : name }
}

function metadataOf(owner: Class): unknown[] {
  const key = (Symbol as { metadata?: symbol }).metadata as symbol
  return Object.hasOwn(owner, key) ? [(owner as unknown as Record<symbol, unknown>)[key]] : []
}

function call(name: string, ...args: unknown[]): string {
  const given = args.filter((arg) => arg !== undefined)
  return `@${name}(${shown(given)})`
}

const HANDLERS: Readonly<Record<string, string>> = {
  'success-code': 'HttpCode',
  'rendered-template': 'Render',
  'content-type': 'ContentType',
}

function handlerName(type = ''): string {
  return HANDLERS[type] ?? capital(type)
}

const PARAMETERS: Readonly<Record<string, string>> = {
  request: 'Req',
  response: 'Res',
  query: 'QueryParam',
  queries: 'QueryParams',
  header: 'HeaderParam',
  headers: 'HeaderParams',
  cookie: 'CookieParam',
  cookies: 'CookieParams',
  file: 'UploadedFile',
  files: 'UploadedFiles',
  context: 'Ctx',
}

function parameterName(type = ''): string {
  return PARAMETERS[type] ?? capital(type)
}

/** The name of the decorator of `on-undefined` and similar types. */
function capital(text: string): string {
  return text.replace(/(?:^|-)(\w)/g, (_match, letter: string) => letter.toUpperCase())
}
