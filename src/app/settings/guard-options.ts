import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { AuthGuard } from '../../contracts/guard.js'
import type { OpenApiSecurityScheme } from '../../contracts/openapi.js'
import type { Token } from '../../contracts/provider.js'
import { invalid, type Problem, shown } from '../../errors/config-error.js'
import { asyncFunctions } from '../../errors/option-group.js'
import { COOKIE_PREFIX, type CredentialPlaces, credentialPlaces } from '../../http/credentials.js'
import { type DocumentGuard, GUARD_NAME, GUARD_SCHEME } from '../../openapi/document-guard.js'

/** A guard in the options: the guard itself, its class, or a token. */
// biome-ignore lint/suspicious/noExplicitAny: guards of an application have users of different types
export type GuardEntry = AuthGuard<any> | Token<AuthGuard<any>>

/** A guard of an application, before it is created. */
export interface GuardSettings {
  /** The name in `auth.guards`; `null` for `auth.guard`. */
  readonly name: string | null
  /** The name of the option, for messages. */
  readonly option: string
  readonly entry: GuardEntry
  /** The places of the guard's credential. */
  readonly places: CredentialPlaces
  /** Whether the guard has `tenantOf`. */
  readonly confirmsTenant: boolean
  /** Whether the guard declares that `canActivate` checks the tenant itself. */
  readonly checksTenant: boolean
  readonly document: DocumentGuard
}

/** The guard functions that must be synchronous. */
const AT_ONCE = ['carries', 'scopes', 'contract', 'abilityChallenge', 'tenantOf']

/** The members that are read before the guard is created. */
const DECLARED = [
  'credentials',
  'security',
  'scopes',
  'contract',
  'abilityChallenge',
  'checksTenant',
] as const

type Declared = Pick<AuthGuard, (typeof DECLARED)[number] | 'challenge' | 'carries'>

/** The syntax of a guard name, which is used in types and messages, and as a component name in the document. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Resolves one guard. Missing members receive their defaults. */
export function resolveGuard(
  name: string | null,
  entry: GuardEntry,
  credentials: readonly string[],
): GuardSettings {
  const own = declaredBy(entry)
  return Object.freeze({
    name,
    option: name === null ? 'auth.guard' : `auth.guards.${name}`,
    entry,
    places: credentialPlaces(own.credentials ?? credentials),
    confirmsTenant: hasTenantOf(entry),
    checksTenant: own.checksTenant === true,
    document: Object.freeze({
      name: name ?? GUARD_NAME,
      scheme: own.security ?? GUARD_SCHEME,
      scopes: own.scopes === undefined ? null : own.scopes.bind(entry as AuthGuard),
      contract: own.contract === undefined ? null : own.contract.bind(entry as AuthGuard),
      challengesAbilities: own.abilityChallenge !== undefined,
    }),
  })
}

/** The members of a guard, or the static members of its class. A token has no members. */
function declaredBy(entry: unknown): Partial<Declared> {
  return typeof entry === 'object' || typeof entry === 'function' ? (entry ?? {}) : {}
}

function hasTenantOf(entry: unknown): boolean {
  const { tenantOf, prototype } = declaredBy(entry) as Partial<AuthGuard> & {
    readonly prototype?: Partial<AuthGuard>
  }
  return typeof (tenantOf ?? prototype?.tenantOf) === 'function'
}

/**
 * Finds members of a created guard that its class or token does not declare. The document, the cache and tenants were
 * prepared without them, so the guard would protect less than it declares.
 */
export function checkCreated(created: AuthGuard, settings: GuardSettings): Problem[] {
  const { entry, option, confirmsTenant } = settings
  const shownBy = declaredBy(entry)
  const hidden = [
    ...DECLARED.filter((member) => isMember(created, member) && shownBy[member] === undefined),
    ...(typeof created.tenantOf === 'function' && !confirmsTenant ? ['tenantOf'] : []),
  ]
  return hidden.map((member) =>
    invalid(
      option,
      `The guard has \`${member}\`, which is read before the guard is created, but its class or token does not have it.`,
      `Pass the guard itself${typeof entry === 'function' ? `, or write \`static ${member}\`` : ''}.`,
    ),
  )
}

/** Whether a member has the type that guards require. A class can use the same name for another purpose. */
function isMember(guard: AuthGuard, member: (typeof DECLARED)[number]): boolean {
  const value = guard[member]
  if (member === 'credentials') return Array.isArray(value)
  if (member === 'checksTenant') return value === true
  if (member === 'security') return typeof (value as { type?: unknown })?.type === 'string'
  return typeof value === 'function'
}

/** Checks the object `auth.guards`. */
export function checkGuards(guards: unknown, guard: unknown): Problem[] {
  if (guards === undefined) return []
  const remedy = 'Pass guards by name: { user: jwt(…), partner: apiKeys(…) }.'
  if (typeof guards !== 'object' || guards === null || Array.isArray(guards)) {
    return [invalid('auth.guards', `${shown(guards)} is not an object.`, remedy)]
  }
  if (guard !== undefined) {
    const cause =
      'Both `auth.guard` and `auth.guards` are set, so it is not clear which guard is the default.'
    return [invalid('auth.guards', cause, 'Move the guard to the first place in `auth.guards`.')]
  }
  const entries = Object.entries(guards)
  if (entries.length === 0)
    return [invalid('auth.guards', 'It must contain at least one guard.', remedy)]
  return entries.flatMap(([name, entry]) => {
    if (!NAME.test(name)) {
      const cause = `'${name}' is not a valid guard name.`
      return [
        invalid(
          'auth.guards',
          cause,
          'Use letters, digits and _; the first character must not be a digit.',
        ),
      ]
    }
    return checkGuard(`auth.guards.${name}`, entry, false)
  })
}

/** Checks one guard. */
export function checkGuard(option: string, guard: unknown, mayBeAbsent: boolean): Problem[] {
  if (guard === undefined && mayBeAbsent) return []
  const isGuard = typeof (guard as { canActivate?: unknown })?.canActivate === 'function'
  // These are the types of tokens that the container resolves. The container itself reports a token without a provider.
  const isToken =
    ['function', 'string', 'symbol'].includes(typeof guard) ||
    typeof (guard as { description?: unknown })?.description === 'string'
  if (isGuard || isToken) return checkMembers(option, declaredBy(guard))
  const remedy = 'Pass an instance with canActivate(req, route), a class, or a token.'
  return [invalid(option, 'It has no `canActivate` method.', remedy)]
}

function checkMembers(option: string, guard: Partial<Declared>): Problem[] {
  const { credentials, security, challenge, checksTenant } = guard
  const methods = (['carries', 'scopes', 'contract', 'abilityChallenge'] as const).filter(
    (name) => guard[name] !== undefined && typeof guard[name] !== 'function',
  )
  return [
    ...checkCredentials(`${option}.credentials`, credentials),
    ...(security === undefined ? [] : checkScheme(`${option}.security`, security)),
    ...(challenge === undefined || isHeaderText(challenge)
      ? []
      : [
          invalid(
            `${option}.challenge`,
            `${shown(challenge)} is not a valid header value.`,
            "Pass a string: 'Bearer'.",
          ),
        ]),
    ...(['boolean', 'undefined'].includes(typeof checksTenant)
      ? []
      : [invalid(`${option}.checksTenant`, 'It is not a boolean.', 'Pass true or false.')]),
    ...asyncFunctions(`${option}.`, guard, AT_ONCE),
    ...methods.map((name) =>
      invalid(`${option}.${name}`, 'It is not a function.', 'Pass a method.'),
    ),
  ]
}

/**
 * The members that each type of security scheme requires (OpenAPI 3.0.3, 4.7.27). `mutualTLS` exists only from OpenAPI
 * 3.1 on.
 */
const NEEDED: Readonly<
  Record<OpenApiSecurityScheme['type'], readonly (keyof OpenApiSecurityScheme)[]>
> = {
  http: ['scheme'],
  apiKey: ['in', 'name'],
  oauth2: ['flows'],
  openIdConnect: ['openIdConnectUrl'],
  mutualTLS: [],
}

function checkScheme(option: string, given: OpenApiSecurityScheme): Problem[] {
  const { type } = (given ?? {}) as Partial<OpenApiSecurityScheme>
  const needed = Object.hasOwn(NEEDED, String(type)) ? NEEDED[String(type) as 'http'] : null
  const remedy = "Pass an OpenAPI security scheme: { type: 'http', scheme: 'bearer' }."
  if (needed === null) return [invalid(option, `Its type is ${shown(type)}.`, remedy)]
  return needed
    .filter((member) => given[member] === undefined)
    .map((member) => invalid(option, `A scheme of type '${type}' must have \`${member}\`.`, remedy))
}

/**
 * Checks the places of credentials. With an invalid name, no credential would be found, so a request with credentials
 * would be anonymous.
 */
export function checkCredentials(option: string, credentials: unknown): Problem[] {
  if (credentials === undefined) return []
  const remedy = "Pass header and cookie names: ['authorization', 'cookie:session']."
  if (!Array.isArray(credentials) || credentials.length === 0) {
    return [invalid(option, `${shown(credentials)} is not a list of names.`, remedy)]
  }
  return credentials
    .filter((name) => !isCredentialName(name))
    .map((name) => invalid(option, `${shown(name)} is not a valid header or cookie name.`, remedy))
}

/** The name of a cookie is a token, like the name of a header (RFC 6265, 4.1.1; RFC 9110, 5.1). */
function isCredentialName(given: unknown): boolean {
  if (typeof given !== 'string') return false
  try {
    validateHeaderName(given.startsWith(COOKIE_PREFIX) ? given.slice(COOKIE_PREFIX.length) : given)
    return true
  } catch {
    return false
  }
}

/** Whether a value can be sent as a header. */
export function isHeaderText(value: unknown): value is string {
  if (typeof value !== 'string' || value.trim() === '') return false
  try {
    validateHeaderValue('WWW-Authenticate', value)
    return true
  } catch {
    return false
  }
}
