import { type Finding, REMEDIES } from './remedies.js'

/** The values that decorators of other packages have stored on one class, or on one member of it, by key. */
export type Noted = ReadonlyMap<string | symbol, unknown>

/** The keys of `@nestjs/common`, which have not changed since its first versions. */
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

/** The names of `RequestMethod` and of `RouteParamtypes`, by number. */
const VERBS = 'Get Post Put Delete Patch All Options Head Search'.split(' ')
const PARAMETERS =
  'Req Res Next Body Query Param Headers Session UploadedFile UploadedFiles HostParam Ip'.split(' ')

/** Keys with these prefixes belong to a framework whose routes, guards and middlewares do not run here. */
const FRAMEWORKS = /^(?:tsed:|inversify-express-utils:|@inversifyjs\/(?:http|framework)|loopback:)/

/** Words in a key that decides about access, or about steps before the handler. */
const DECIDES =
  /^(auth([nz]|ed|enticat\w*|ori[sz]\w*|ority|orities)?|unauth\w*|guards?|roles?|permissions?|permit(ted)?|scopes?|abilit(y|ies)|polic(y|ies)|privileges?|claims?|public|private|(un)?protected|secured?|security|anonymous|admins?|logins?|acl|[ra]bac|grants?|access|jwt|bearer|middlewares?|interceptors?|pipes?)$/

/** Keys of compilers, and other keys of decorators of NestJS that have a key in {@link NEST}. */
const HARMLESS =
  /^(?:design:.*|optional:.*|THROTTLER:(?!SKIP|LIMIT).*|__(?:injectable|entryProvider|responsePassthrough|sseOptions)__)$/

/**
 * Finds the decorators that have stored a value under a key. `[]` if the key is harmless, and `null` if its meaning is
 * unknown.
 */
export function inspectKey(key: string | symbol, value: unknown, noted: Noted): Finding[] | null {
  const name = typeof key === 'symbol' ? (key.description ?? '') : key
  if (HARMLESS.test(name)) return []
  if (Object.hasOwn(NEST, name) || name === 'scope:options') return inspectNest(name, value)
  if (name === '__routeArguments__') return Object.entries(value ?? {}).map(parameter)
  if (/^(?:path|host|method)$/.test(name)) return inspectRoute(name, value, noted)
  if (FRAMEWORKS.test(name))
    return [of(name.split(/[:/]/)[0] ?? name, 'a decorator', REMEDIES.other)]
  if (name.startsWith('THROTTLER:LIMIT')) return [of('NestJS', '@Throttle()', REMEDIES.other)]
  // `Reflector.createDecorator()` creates a random key, which only its guards have.
  const isCreated = /^[0-9a-f]{21}$/.test(name)
  if (isCreated) return [of('Reflector.createDecorator()', 'a decorator', REMEDIES.access)]
  // `isPublic`, `IS_PUBLIC` and `is:public` are the same words.
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  if (name.startsWith('swagger/') || !words.some((word) => DECIDES.test(word))) return null
  return [of('NestJS, or metadata like it', `@SetMetadata('${name}')`, REMEDIES.access)]
}

/** `null` is no value of NestJS: another package uses the same key. An absent option and an empty list have no effect. */
function inspectNest(name: string, value: unknown): Finding[] | null {
  if (value === null) return null
  if (value === undefined || (value as unknown[]).length === 0) return []
  const [decorator, remedy] = NEST[name] ?? []
  return decorator && remedy ? [of('NestJS', decorator, remedy)] : inspectScope(value)
}

/** Finds a scope other than the application's. */
export function inspectScope(options: unknown): Finding[] {
  const { scope, durable } = options as { scope?: number; durable?: unknown }
  if (!scope && !durable) return []
  return [of('NestJS', `Scope.${scope === 1 ? 'TRANSIENT' : 'REQUEST'}`, REMEDIES.scope)]
}

/** `path`, `host` and `method` are common words, so their neighbours have to fit, too. */
function inspectRoute(name: string, value: unknown, noted: Noted): Finding[] | null {
  const isRoute = noted.has('path') && typeof noted.get('method') === 'number'
  if (noted.has('__controller__') || noted.has('__sse__')) return []
  if (!isRoute) return null
  const verb = VERBS[value as number] ?? 'RequestMapping'
  return name === 'method' ? [of('NestJS', `@${verb}()`, REMEDIES.route)] : []
}

/** One parameter, by the name that NestJS gives it: `3:0` is the first parameter with the body. */
function parameter([name, { index }]: [string, { index: number }]): Finding {
  const kind = PARAMETERS[Number(name.split(':')[0])]
  const written = kind === undefined ? 'a decorator of createParamDecorator()' : `@${kind}()`
  return of(`NestJS on parameter ${index}`, written, REMEDIES.parameter)
}

function of(by: string, decorator: string, remedy: string): Finding {
  return { written: `${decorator} of ${by}`, remedy }
}
