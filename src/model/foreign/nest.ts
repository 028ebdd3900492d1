import { REMEDIES } from './remedies.js'
import { type Finding, type Noted, shown } from './traces.js'

/** Finds the meaning of one key; `null` if another package has chosen the same name for a key. */
type Rule = (value: unknown, noted: Noted) => readonly Finding[] | null

const BY = 'NestJS'

/** The names of `RequestMethod`, by number. */
const VERBS =
  'Get Post Put Delete Patch All Options Head Search Propfind Proppatch Mkcol Copy Move Lock Unlock QueryMethod'.split(
    ' ',
  )

/** The names of `RouteParamtypes`, by number. */
const PARAMETERS =
  'Req Res Next Body Query Param Headers Session UploadedFile UploadedFiles HostParam Ip RawBody Ack Cookies SignedCookies'.split(
    ' ',
  )

const SCOPES = ['DEFAULT', 'TRANSIENT', 'REQUEST']

function written(name: string, args: readonly unknown[], remedy: string): Finding[] {
  return [{ written: `@${name}(${shown(args)})`, by: BY, remedy }]
}

/** A key that holds a list of enhancers. */
function enhancers(name: string, remedy: string): Rule {
  return (value) => (Array.isArray(value) && value.length > 0 ? written(name, value, remedy) : [])
}

/** A key that another key already reports. */
const spokenOf =
  (other: string): Rule =>
  (_value, noted) =>
    noted.has(other) ? [] : null

/** The keys of `@nestjs/common`, which have not changed since its first versions. */
const RULES: Readonly<Record<string, Rule>> = {
  __guards__: enhancers('UseGuards', REMEDIES.guard),
  __pipes__: enhancers('UsePipes', REMEDIES.schema),
  __interceptors__: enhancers('UseInterceptors', REMEDIES.interceptor),
  __exceptionFilters__: enhancers('UseFilters', REMEDIES.filter),
  __controller__: (_value, noted) => written('Controller', pathOf(noted), REMEDIES.route),
  path: (_value, noted) => (noted.has('__controller__') || isVerb(noted) ? [] : null),
  host: spokenOf('__controller__'),
  method: (value, noted) => (isVerb(noted) ? verb(value, noted) : null),
  __sse__: (_value, noted) => written('Sse', pathOf(noted), REMEDIES.answer),
  __sseOptions__: spokenOf('__sse__'),
  __routeArguments__: (value) => Object.entries(value ?? {}).map(parameter),
  __responsePassthrough__: () => [],
  __httpCode__: (value) => written('HttpCode', [value], REMEDIES.answer),
  __headers__: (value) =>
    (value as { name: unknown; value: unknown }[]).flatMap(({ name, value: text }) =>
      written('Header', [name, text], REMEDIES.answer),
    ),
  __redirect__: (value) => {
    const { url, statusCode } = value as { url: unknown; statusCode?: unknown }
    return written('Redirect', statusCode ? [url, statusCode] : [url], REMEDIES.answer)
  },
  __renderTemplate__: (value) => written('Render', [value], REMEDIES.answer),
  __version__: (value, noted) => {
    if (value === undefined) return []
    if (!noted.has('__controller__')) return written('Version', [value], REMEDIES.version)
    return written('Controller', [{ version: value }], REMEDIES.version)
  },
  'scope:options': (value) => scopeFindings(value),
  'self:paramtypes': (value) =>
    (value as { index: number; param: unknown }[]).flatMap(({ index, param }) =>
      written('Inject', [param], REMEDIES.injection).map((each) => ({ ...each, parameter: index })),
    ),
  'self:properties_metadata': (value) =>
    (value as { type: unknown }[]).flatMap(({ type }) =>
      written('Inject', [type], REMEDIES.injection),
    ),
  'class_serializer:options': (value) => written('SerializeOptions', [value], REMEDIES.output),
  // A missing optional provider is reported elsewhere.
  'optional:paramtypes': () => [],
  'optional:properties_metadata': () => [],
  __injectable__: () => [],
  __entryProvider__: () => [],
}

/** The effects that one key would have in NestJS; `null` for other keys. */
export function inspectNest(
  key: string | symbol,
  value: unknown,
  noted: Noted,
): readonly Finding[] | null {
  if (typeof key === 'symbol') return null
  const rule = Object.hasOwn(RULES, key) ? RULES[key] : undefined
  if (rule !== undefined) return applyRule(rule, value, noted)
  if (/^THROTTLER:(?!SKIP)/.test(key)) {
    return key.startsWith('THROTTLER:LIMIT') ? written('Throttle', [value], REMEDIES.limit) : []
  }
  // `Reflector.createDecorator()` creates a random key, which only its guards have.
  if (!/^[0-9a-f]{21}$/.test(key)) return null
  const name = `a decorator of Reflector.createDecorator() with ${shown([value])}`
  return [{ written: name, by: BY, remedy: REMEDIES.access }]
}

/** Runs a rule. A value that the rule cannot read comes from another package that uses the same name. */
function applyRule(rule: Rule, value: unknown, noted: Noted): readonly Finding[] | null {
  try {
    return rule(value, noted)
  } catch {
    return null
  }
}

/** Finds a scope other than the application's. */
export function scopeFindings(options: unknown, maker = 'its options'): Finding[] {
  const { scope, durable } = (options ?? {}) as { scope?: unknown; durable?: unknown }
  if (!scope && !durable) return []
  const name = scope ? `Scope.${SCOPES[scope as number] ?? String(scope)}` : 'durable: true'
  const effect = 'which Blazon does not know: there is one instance for the whole application'
  return [{ written: `${maker} with ${name}`, by: BY, effect, remedy: REMEDIES.scope }]
}

/** `path` and `method` are common words, so their values have to fit, too. */
function isVerb(noted: Noted): boolean {
  return noted.has('path') && typeof noted.get('method') === 'number'
}

function verb(value: unknown, noted: Noted): Finding[] {
  if (noted.has('__sse__')) return []
  const name = VERBS[value as number] ?? 'RequestMapping'
  return written(name, pathOf(noted), REMEDIES.route)
}

/** The path as it was written; NestJS adds a slash if there was none. */
function pathOf(noted: Noted): unknown[] {
  const path = noted.get('path')
  return path === '/' || path === undefined ? [] : [path]
}

/** One parameter, by the name that NestJS gives it: `3:0` is the first parameter with the body. */
function parameter([name, described]: [string, unknown]): Finding {
  const { index, data } = described as { index: number; data?: unknown }
  const kind = PARAMETERS[Number(name.split(':')[0])]
  if (kind === undefined || name.includes('__customRouteArgs__')) {
    const maker = 'a decorator of createParamDecorator()'
    return { written: maker, by: BY, parameter: index, remedy: REMEDIES.custom }
  }
  const args = data === undefined ? [] : [data]
  return {
    written: `@${kind}(${shown(args)})`,
    by: BY,
    parameter: index,
    remedy: REMEDIES.parameter,
  }
}
