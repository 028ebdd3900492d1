import type { Duration, Size } from '../contracts/units.js'
import type { Problem } from '../errors/config-error.js'
import { checkCache } from '../features/cache/check-cache.js'
import { checkRateLimit } from '../features/rate-limit/check-rate-limit.js'
import { checkSecurity } from '../features/security/security.js'
import { checkTenancy } from '../features/tenancy/check-tenancy.js'
import { toBytes, toSeconds } from '../http/units.js'
import { checkNames } from './check-names.js'
import { checkSwagger } from './check-swagger.js'
import { trustProxyProblem } from './express-host.js'
import { namedMiddlewares } from './named-middlewares.js'
import type { AppOptions, TimeoutOptions } from './options.js'
import { serverTimeouts } from './server.js'

const LISTS = [
  'controllers',
  'modules',
  'providers',
  'middlewares',
  'plugins',
  'testOverrides',
] as const

/** What is wrong with the options themselves. A value that is not understood is never replaced by a default. */
export function checkOptions(options: AppOptions): Problem[] {
  return [
    ...checkNames(options),
    ...LISTS.flatMap((name) => checkList(name, options[name])),
    ...checkMiddlewares(options),
    ...checkNumbers(options),
    ...checkClasses(options.controllers),
    ...checkAuth(options.auth),
    ...checkGuard(options.auth?.guard),
    ...checkLogger(options.logger),
    ...checkTrustProxy(options.trustProxy),
    ...checkRateLimit(options.rateLimit),
    ...checkOverrides(options.testOverrides),
    ...checkSecurity(options.security),
    ...checkTenancy(options.tenant),
    ...checkSwagger(options.swagger),
    ...checkCache(options.cache),
    ...checkValidation(options.validation),
  ]
}

function invalid(subject: string, cause: string, remedy: string): Problem {
  return { code: 'E_OPTION_INVALID', subject, cause, remedy }
}

const MESSAGES: readonly unknown[] = [undefined, 'library', 'generic']

/** What is not understood would go on repeating what was sent. */
function checkValidation(validation: unknown): Problem[] {
  if (validation === undefined) return []
  if (typeof validation !== 'object' || validation === null) {
    return [invalid('validation', 'It is not an object.', "Give { messages: 'generic' }.")]
  }
  const { messages } = validation as NonNullable<AppOptions['validation']>
  if (MESSAGES.includes(messages)) return []
  const cause = `${String(messages)} is no kind of messages.`
  return [invalid('validation.messages', cause, "Give 'library' or 'generic'.")]
}

function checkList(name: string, list: unknown): Problem[] {
  if (list === undefined || Array.isArray(list)) return []
  return [invalid(name, 'It is not a list.', 'Give an array.')]
}

function checkClasses(controllers: AppOptions['controllers']): Problem[] {
  if (!Array.isArray(controllers)) return []
  return controllers.flatMap((controller, index) => {
    if (typeof controller === 'function') return []
    const cause = `It is ${String(controller)}, not a class. An undefined entry is often a circular import.`
    return [invalid(`controllers[${index}]`, cause, 'Give controller classes.')]
  })
}

/** A default that is neither would leave every route open. */
function checkAuth(auth: AppOptions['auth']): Problem[] {
  const problems: Problem[] = []
  if (!['public', 'protected', undefined].includes(auth?.default)) {
    const cause = `${String(auth?.default)} is not a way to treat undecorated routes.`
    problems.push(invalid('auth.default', cause, "Give 'public' or 'protected'."))
  }
  if (auth?.can !== undefined && typeof auth.can !== 'function') {
    problems.push(
      invalid('auth.can', 'It is not a function.', 'Give (user, abilities, req) => boolean.'),
    )
  }
  return problems
}

function checkLogger(logger: unknown): Problem[] {
  if (logger === undefined || logger === false) return []
  const methods = ['info', 'warn', 'error'] as const
  const missing = methods.find(
    (method) => typeof (logger as Record<string, unknown> | null)?.[method] !== 'function',
  )
  if (missing === undefined) return []
  return [invalid('logger', `It has no method ${missing}.`, 'Give a pino logger, or false.')]
}

function checkTrustProxy(trustProxy: AppOptions['trustProxy']): Problem[] {
  const problem = trustProxyProblem(trustProxy)
  if (problem !== null) {
    const remedy = 'Give a count of proxies, or their addresses.'
    return [invalid('trustProxy', `Express refuses it: ${problem}.`, remedy)]
  }
  return checkMapped(trustProxy)
}

/** An IPv4 address in IPv6 spelling (RFC 4291, 2.5.5.2), and the length of its network. */
const MAPPED = /^::ffff:.*\/(\d+)$/i

/** A network that is meant to be one of IPv4, and has no IPv4 address in it: its proxies would not be believed. */
function checkMapped(trustProxy: AppOptions['trustProxy']): Problem[] {
  const addresses = typeof trustProxy === 'string' ? trustProxy.split(',') : trustProxy
  if (!Array.isArray(addresses)) return []
  const wrong = addresses.find((each) => Number(MAPPED.exec(String(each).trim())?.[1]) < 96)
  if (wrong === undefined) return []
  const cause = `${wrong.trim()} is a network of IPv6, which has no IPv4 address in it.`
  return [invalid('trustProxy', cause, "Write networks of IPv4 as such: '10.0.0.0/8'.")]
}

function checkMiddlewares(options: AppOptions): Problem[] {
  return namedMiddlewares(options).flatMap(({ middleware, name }) => {
    if (typeof middleware === 'function') return []
    const cause = `It is ${middleware === null ? 'null' : typeof middleware}, not a function.`
    const remedy = 'Give a middleware. An undefined entry is often a circular import.'
    return [invalid(name, cause, remedy)]
  })
}

function checkNumbers({ limits, timeouts }: AppOptions): Problem[] {
  const durations: [string, Duration | false | undefined][] = [
    ['timeouts.handler', timeouts?.handler],
    ['timeouts.headers', timeouts?.headers],
    ['timeouts.request', timeouts?.request],
    ['timeouts.keepAlive', timeouts?.keepAlive],
    ['timeouts.close', timeouts?.close],
  ]
  return [
    ...durations.flatMap(([name, value]) => checkDuration(name, value)),
    ...checkHeadersTimeout(timeouts ?? {}),
    ...checkSize(limits?.body),
    ...checkCount('limits.depth', limits?.depth),
    ...checkCount('limits.headers', limits?.headers),
  ]
}

function checkDuration(name: string, value: Duration | false | undefined): Problem[] {
  if (value === undefined || (value === false && name === 'timeouts.handler')) return []
  if (toSeconds(value as Duration)) return []
  return [
    invalid(name, `${value} is not a duration.`, "Give seconds above 0, or '250ms', '30s', '2m'."),
  ]
}

function checkHeadersTimeout(timeouts: TimeoutOptions): Problem[] {
  const { headers, request } = serverTimeouts(timeouts)
  if (headers <= request) return []
  const cause =
    'The head of a request may not take longer than the whole of it (`timeouts.request`).'
  return [invalid('timeouts.headers', cause, 'Lower it, or raise `timeouts.request`.')]
}

function checkSize(value: Size | undefined): Problem[] {
  if (value === undefined || toBytes(value) !== undefined) return []
  return [invalid('limits.body', `${value} is not a size.`, "Give bytes, or '100kb', '1mb'.")]
}

function checkCount(name: string, value: number | undefined): Problem[] {
  if (value === undefined || (Number.isInteger(value) && value > 0)) return []
  return [invalid(name, `${value} is not a count.`, 'Give a whole number above 0.')]
}

function checkGuard(guard: unknown): Problem[] {
  const isGuard = typeof (guard as { canActivate?: unknown })?.canActivate === 'function'
  // A class, a string, a symbol and an InjectionToken are resolved by the container, which says what it lacks.
  const isToken =
    ['function', 'string', 'symbol', 'undefined'].includes(typeof guard) ||
    typeof (guard as { description?: unknown })?.description === 'string'
  if (isGuard || isToken) return []
  return [
    invalid(
      'auth.guard',
      'It has no method canActivate.',
      'Give an instance with canActivate(req), a class, or a token.',
    ),
  ]
}

/** An override without effect would leave a test on the real thing. */
function checkOverrides(overrides: AppOptions['testOverrides']): Problem[] {
  if (!Array.isArray(overrides)) return []
  return overrides.flatMap((override, index) => {
    const name = `testOverrides[${index}]`
    const { token } = (override ?? {}) as { token?: unknown }
    if (token === undefined || token === null) {
      const cause = 'It has no token. An undefined token is often a circular import.'
      return [invalid(name, cause, 'Give { token, useValue }.')]
    }
    if (override.useValue !== undefined) return []
    const cause = 'It has no `useValue`, and overrides are values.'
    return [
      invalid(name, cause, 'Give { token, useValue }: an instance, where a class is replaced.'),
    ]
  })
}
