import type { Class } from '../../contracts/provider.js'
import type { Scope } from '../../di/modules.js'
import type { Binding } from '../../di/provider.js'
import { tokenName } from '../../di/token.js'
import type { Problem } from '../../errors/config-error.js'
import { chainOf } from '../../metadata/read.js'
import { metadataStore, storedLists } from './traces.js'

/** The features of Blazon that replace features of other frameworks. `docs/nestjs.md` also lists them. */
const REMEDIES = {
  guard: "Pass the guard as `auth.guard`, and write @Auth() from blazon, or @Can('…') for roles.",
  access:
    "Use @Can('…'), @Auth() or @Public() from blazon, or `metadataKeys` of a plugin that reads it.",
  schema: 'Pass a schema, as in @Post(path, { body: schema }) from blazon.',
  use: 'Write @Use(…) from blazon with a class that has intercept(req, next, res), or with a middleware.',
  filter:
    'Write the filter as an error middleware, (error, req, res, next) => …, in `middlewares`.',
  scope: 'Each instance lives as long as the application: store request data on req.',
  route: 'Import the equivalent decorator from blazon instead.',
  response: 'Import @HttpCode, @Header and @Redirect from blazon; for anything else use res.',
  parameter:
    'Read the value from the request, or use @CurrentUser() or defineParameter() from blazon.',
  injection: 'Import Inject from blazon, or write inject(token).',
  other: 'Remove it. The table in docs/nestjs.md lists the replacements, such as @RateLimit.',
  document:
    'Use @ApiOperation, @ApiBody, @ApiTags or `errors` from blazon, and remove the other decorator.',
  unknown:
    'Remove its decorator, or list the key in the `metadataKeys` of the plugin that reads it.',
} as const

/** The classes that are checked for decorators of other frameworks. */
export interface ForeignInput {
  readonly controllers: readonly Class[]
  readonly scopes: readonly Scope[]
  /** The keys that plugins read, from their `metadataKeys`. */
  readonly readKeys: readonly (string | symbol)[]
}

/**
 * Finds decorators, tokens and scopes of other frameworks that have no effect here. For example, a guard that never
 * runs leaves its route unprotected. This check loads no package.
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

/**
 * Returns the controllers and their base classes, each with the first controller that extends it, so that each problem
 * is reported only once.
 */
function ownersOf(controllers: readonly Class[]): ReadonlyMap<Class, Class> {
  const owners = new Map<Class, Class>()
  for (const controller of controllers) {
    for (const owner of chainOf(controller)) owners.set(owner, owners.get(owner) ?? controller)
  }
  return owners
}

/**
 * Reads the values that were stored on a class itself (`null`) or on one of its members, without its base classes.
 * Frameworks store values on the class, its prototype or the method's function, so all three are read.
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

/** The tokens of the providers that NestJS runs on every route. */
const TOKENS = new Map<unknown, string>([
  ['APP_GUARD', REMEDIES.guard],
  ['APP_PIPE', REMEDIES.schema],
  ['APP_INTERCEPTOR', REMEDIES.use],
  ['APP_FILTER', REMEDIES.filter],
])

/** The keys on a provider class that determine how NestJS instantiates the class. */
const INJECTION = ['scope:options', 'self:paramtypes', 'self:properties_metadata']

/** Finds problems with a provider that another framework would call automatically or create for each request. */
function checkBinding(
  { token, source, make, origin }: Binding,
  controllers: ReadonlyMap<Class, Class>,
): Problem[] {
  const findings = typeof source === 'function' ? [] : inspectScope(source)
  const remedy = TOKENS.get(token)
  if (remedy !== undefined) findings.push({ written: 'a NestJS token', remedy })
  const subject = remedy === undefined ? tokenName(token) : String(token)
  const problems = findings.map(({ written, ...rest }): Problem => {
    const cause = `It is provided by ${origin} with ${written}, which Blazon does not support.`
    return { code: 'E_FOREIGN_PROVIDER', subject, cause, ...rest }
  })
  if (make.kind !== 'class' || controllers.has(make.class)) return problems
  // As in NestJS, each key is read from the class itself, otherwise from the closest base class with this key.
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
  const cause = `A decorator of another package has stored a value there under the key ${name}, but this application does not read it.`
  const remedy = String(key).startsWith('swagger/') ? REMEDIES.document : REMEDIES.unknown
  return { code: 'W_FOREIGN_METADATA', subject, cause, remedy }
}

/** The arguments that routing-controllers stores for one decorator. */
type Args = Readonly<Partial<Record<'target' | 'object' | 'method' | 'type' | 'index', unknown>>>

/**
 * The lists in which routing-controllers stores decorators. In some lists, the entries have a type, such as
 * `authorized`, which identifies the decorator more exactly.
 */
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
  // For the standard dialect, a class is found by the metadata object that its decorators received.
  const owners = [owner, Object.getOwnPropertyDescriptor(owner, key)?.value ?? owner]
  return LISTS.flatMap(([list, decorator, remedy]) => {
    const entries = storedLists()?.[list]
    // Another version of the package may have other lists.
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
  // The decorator was called with the arguments of the standard dialect, and used the decorator context as a method
  // name.
  const { kind, name, metadata } = method as ClassMethodDecoratorContext
  return { owner: metadata, member: (kind as string) === 'class' ? null : name }
}

/** The values that decorators of other packages stored on a class or member, by key. */
type Noted = ReadonlyMap<string | symbol, unknown>

/** The keys that decorators of `@nestjs/common` use. */
const NEST: Readonly<Record<string, readonly [decorator: string, remedy: string]>> = {
  __guards__: ['@UseGuards()', REMEDIES.guard],
  __pipes__: ['@UsePipes()', REMEDIES.schema],
  __interceptors__: ['@UseInterceptors()', REMEDIES.use],
  __exceptionFilters__: ['@UseFilters()', REMEDIES.filter],
  __controller__: ['@Controller()', REMEDIES.route],
  __sse__: ['@Sse()', REMEDIES.response],
  __httpCode__: ['@HttpCode()', REMEDIES.response],
  __headers__: ['@Header()', REMEDIES.response],
  __redirect__: ['@Redirect()', REMEDIES.response],
  __renderTemplate__: ['@Render()', REMEDIES.response],
  __version__: ['@Version()', REMEDIES.other],
  'self:paramtypes': ['@Inject()', REMEDIES.injection],
  'self:properties_metadata': ['@Inject() on a field', REMEDIES.injection],
  'class_serializer:options': ['@SerializeOptions()', REMEDIES.other],
}

/** The NestJS decorators for the values of `RequestMethod` and `RouteParamtypes`, by value. */
const VERBS = 'Get Post Put Delete Patch All Options Head Search'.split(' ')
const PARAMETERS =
  'Req Res Next Body Query Param Headers Session UploadedFile UploadedFiles HostParam Ip'.split(' ')

/** The prefixes of keys that belong to a framework whose routes, guards and middlewares do not run here. */
const FRAMEWORKS = /^(?:tsed:|inversify-express-utils:|@inversifyjs\/(?:http|framework)|loopback:)/

/** Words in the keys of access rules, or of steps before the handler. */
const DECIDES =
  /^(auth([nz]|ed|enticat\w*|ori[sz]\w*|ority|orities)?|unauth\w*|guards?|roles?|permissions?|permit(ted)?|scopes?|abilit(y|ies)|polic(y|ies)|privileges?|claims?|public|private|(un)?protected|secured?|security|anonymous|admins?|logins?|acl|[ra]bac|grants?|access|jwt|bearer|middlewares?|interceptors?|pipes?)$/

/**
 * Keys that are not reported: keys of compilers; keys of NestJS decorators that need no replacement, such as
 * `@Injectable()`; and additional keys of decorators whose main key `inspectKey` recognizes.
 */
const HARMLESS =
  /^(?:design:.*|optional:.*|THROTTLER:(?!SKIP|LIMIT).*|__(?:injectable|entryProvider|responsePassthrough|sseOptions)__)$/

/**
 * Finds the decorators that stored a value under a key. Returns `[]` if the key is harmless, and `null` if its meaning
 * is unknown.
 */
function inspectKey(key: string | symbol, value: unknown, noted: Noted): Finding[] | null {
  const name = typeof key === 'symbol' ? (key.description ?? '') : key
  if (HARMLESS.test(name)) return []
  if (Object.hasOwn(NEST, name) || name === 'scope:options') return inspectNest(name, value)
  if (name === '__routeArguments__') return Object.entries(value ?? {}).map(parameter)
  if (/^(?:path|host|method)$/.test(name)) return inspectRoute(name, value, noted)
  if (FRAMEWORKS.test(name))
    return [of(name.split(/[:/]/)[0] ?? name, 'a decorator', REMEDIES.other)]
  if (name.startsWith('THROTTLER:LIMIT')) return [of('NestJS', '@Throttle()', REMEDIES.other)]
  // `Reflector.createDecorator()` creates a random key, which only the application's NestJS guards read.
  const isCreated = /^[0-9a-f]{21}$/.test(name)
  if (isCreated) return [of('Reflector.createDecorator()', 'a decorator', REMEDIES.access)]
  // The name is split into words, because `isPublic`, `IS_PUBLIC` and `is:public` consist of the same words.
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  if (name.startsWith('swagger/') || !words.some((word) => DECIDES.test(word))) return null
  return [of('NestJS, or metadata like it', `@SetMetadata('${name}')`, REMEDIES.access)]
}

/**
 * Inspects a NestJS key. If its value is `null`, another package uses the same key, because NestJS never stores `null`.
 * An absent option or an empty list has no effect.
 */
function inspectNest(name: string, value: unknown): Finding[] | null {
  if (value === null) return null
  if (value === undefined || (value as unknown[]).length === 0) return []
  const [decorator, remedy] = NEST[name] ?? []
  return decorator && remedy ? [of('NestJS', decorator, remedy)] : inspectScope(value)
}

/** Finds a scope that is not the lifetime of the application. */
function inspectScope(options: unknown): Finding[] {
  const { scope, durable } = options as { scope?: number; durable?: unknown }
  if (!scope && !durable) return []
  return [of('NestJS', `Scope.${scope === 1 ? 'TRANSIENT' : 'REQUEST'}`, REMEDIES.scope)]
}

/**
 * Inspects a key of a NestJS route. `path`, `host` and `method` are common words, so the other keys on the same member
 * must also match.
 */
function inspectRoute(name: string, value: unknown, noted: Noted): Finding[] | null {
  const isRoute = noted.has('path') && typeof noted.get('method') === 'number'
  if (noted.has('__controller__') || noted.has('__sse__')) return []
  if (!isRoute) return null
  const verb = VERBS[value as number] ?? 'RequestMapping'
  return name === 'method' ? [of('NestJS', `@${verb}()`, REMEDIES.route)] : []
}

/** Describes one parameter by its NestJS key. For example, `3:0` means the body as the first parameter. */
function parameter([name, { index }]: [string, { index: number }]): Finding {
  const kind = PARAMETERS[Number(name.split(':')[0])]
  const written = kind === undefined ? 'a decorator of createParamDecorator()' : `@${kind}()`
  return of(`NestJS on parameter ${index}`, written, REMEDIES.parameter)
}

function of(by: string, decorator: string, remedy: string): Finding {
  return { written: `${decorator} of ${by}`, remedy }
}

/** A decorator of another framework, with the parts of the error message. */
interface Finding {
  /** The decorator and its package, for example `@UseGuards() of NestJS`. */
  readonly written: string
  readonly remedy: string
}
