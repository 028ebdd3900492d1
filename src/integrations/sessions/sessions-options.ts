import { ConfigError, type Duration, type Request, type SessionStore } from '../../index.js'
import {
  type MaybePromise,
  type OptionNames,
  type Problem,
  toSeconds,
  unknownOptions,
} from '../../plugin/index.js'

/** A Standard Schema (zod 4, valibot, arktype, …) for an object. */
export interface SessionSchema<TInput = unknown, TOutput = unknown> {
  /** The interface of Standard Schema. */
  readonly '~standard': {
    /** The version of Standard Schema. */
    readonly version: 1
    /** The name of the library. */
    readonly vendor: string
    /** Validates a value. */
    readonly validate: (value: unknown) => MaybePromise<SchemaResult<TOutput>>
    /** The types before and after validation, for the compiler. */
    readonly types?: SchemaTypes<TInput, TOutput> | undefined
  }
}

/** The types of a schema. They exist only for the compiler. */
export interface SchemaTypes<TInput, TOutput> {
  /** The type of the values before validation. */
  readonly input: TInput
  /** The type of the values after validation. */
  readonly output: TOutput
}

/** The result of a validation: a value or issues. */
export interface SchemaResult<TOutput> {
  readonly value?: TOutput
  readonly issues?: readonly { readonly message: string }[] | undefined
}

/** The session cookie. It is always `HttpOnly`, and `Secure` except on localhost. */
export interface SessionCookieOptions {
  /**
   * The name of the cookie. The prefix `__Host-` is added, so that no other host can set the cookie. It is not added on
   * localhost without TLS, where browsers refuse it. Default: `'session'`.
   */
  readonly name?: string
  /**
   * The `SameSite` attribute. With `'strict'`, the browser does not send the cookie with the first request after the
   * user follows a link from another site. Default: `'lax'`.
   */
  readonly sameSite?: 'lax' | 'strict'
}

/** Options of {@link sessions}. */
export interface SessionsOptions<TInput, TOutput, TUser> {
  /**
   * The schema for a session's values. It must accept `{}`, the content of a new session. The values must be
   * representable in JSON. If omitted, sessions have a user but no values.
   */
  readonly schema?: SessionSchema<TInput, TOutput>
  /**
   * The store for sessions. Default: a separate `memorySessions()` for each application, which is refused in
   * production.
   */
  readonly store?: SessionStore
  /**
   * Finds the user of a session by ID, for every request that the guard checks, so that changed permissions apply
   * immediately. If there is no user, the request is refused with a 401 response. If omitted, the session stores the
   * user that was passed to `login`, as JSON.
   */
  readonly findUser?: (id: string, req: Request) => MaybePromise<TUser | null | undefined>
  /** The maximum time that a session can be unused, as seconds or a string with a unit. Default: `'12h'`. */
  readonly idle?: Duration
  /** The maximum lifetime of a session, from its beginning or the last login. Default: `'14d'`. */
  readonly absolute?: Duration
  /** The name of the cookie and its `SameSite` attribute. */
  readonly cookie?: SessionCookieOptions
  /**
   * Other origins whose pages are allowed to send requests with the cookie: `['https://admin.example.com']`. Default:
   * none.
   */
  readonly trustedOrigins?: readonly string[]
  /**
   * The tenant to which the session's user belongs: the name of a user field, or a function. The guard then confirms
   * this tenant: a request that specifies no tenant acts for it, and a request that specifies a different tenant is
   * refused with a 403 response. A login is then possible without a tenant. If omitted, `bindTenant` applies.
   */
  readonly tenant?: string | ((user: TUser) => string | null | undefined)
  /**
   * Whether a session is valid only for the tenant of the request in which it began. With `false`, it is valid for all
   * tenants, and `tenant.authorize` must decide for which tenants a user is allowed to act. Default: `true`, or `false`
   * with the option `tenant`.
   */
  readonly bindTenant?: boolean
}

/** The checked options with defaults applied. Times are in milliseconds. */
export interface SessionsSettings {
  readonly schema: SessionSchema | null
  readonly store: SessionStore | null
  readonly findUser: ((id: string, req: Request) => MaybePromise<unknown>) | null
  readonly idleMs: number
  readonly absoluteMs: number
  readonly cookieName: string
  readonly sameSite: 'lax' | 'strict'
  readonly trustedOrigins: ReadonlySet<string>
  /** Reads a user's tenant; `null` without the option `tenant`. */
  readonly tenantOfUser: ((user: object) => unknown) | null
  readonly bindTenant: boolean
}

// biome-ignore lint/suspicious/noExplicitAny: functions of an application take users of its own type
type AnyOptions = SessionsOptions<unknown, unknown, any>

const COOKIE: OptionNames<SessionCookieOptions> = { name: true, sameSite: true }
/** Unknown names cause an error: with a misspelt `absolute`, sessions would live too long. */
const NAMES: OptionNames<SessionsOptions<unknown, unknown, unknown>> = {
  schema: true,
  store: true,
  findUser: true,
  idle: true,
  absolute: true,
  cookie: COOKIE,
  trustedOrigins: true,
  tenant: 'sync',
  bindTenant: true,
}

/** Matches a name that needs no quoting in a cookie, an option or a document. */
const COOKIE_NAME = /^(?!__(?:Host|Secure)-)[\w.-]{1,64}$/i

/**
 * Checks the options, and applies defaults.
 *
 * @throws ConfigError with all problems.
 */
export function resolveOptions(options: AnyOptions): SessionsSettings {
  const idleMs = toMs(options.idle ?? '12h')
  const absoluteMs = toMs(options.absolute ?? '14d')
  const problems = [
    ...unknownOptions('sessions(): ', options, NAMES),
    ...checkTimes(options, { idleMs, absoluteMs }),
    ...checkCookie(options.cookie),
    ...checkOrigins(options.trustedOrigins),
    ...checkParts(options),
  ]
  if (problems.length > 0) throw new ConfigError(problems)
  return {
    schema: options.schema ?? null,
    store: options.store ?? null,
    findUser: options.findUser ?? null,
    idleMs,
    absoluteMs,
    cookieName: options.cookie?.name ?? 'session',
    sameSite: options.cookie?.sameSite ?? 'lax',
    trustedOrigins: new Set(options.trustedOrigins),
    tenantOfUser: tenantReader(options.tenant),
    bindTenant: options.bindTenant ?? options.tenant === undefined,
  }
}

/**
 * Creates the function that reads a user's tenant. Only own fields count, so that the name `constructor` does not find
 * the property that every object inherits.
 */
function tenantReader(tenant: AnyOptions['tenant']): SessionsSettings['tenantOfUser'] {
  if (tenant === undefined || typeof tenant === 'function') return tenant ?? null
  return (user) => (Object.hasOwn(user, tenant) ? user[tenant as keyof object] : undefined)
}

function toMs(duration: Duration): number {
  return (toSeconds(duration) ?? Number.NaN) * 1000
}

function invalid(subject: string, cause: string, remedy: string): Problem {
  return { code: 'E_OPTION_INVALID', subject: `sessions(): ${subject}`, cause, remedy }
}

function checkTimes(
  options: AnyOptions,
  { idleMs, absoluteMs }: Pick<SessionsSettings, 'idleMs' | 'absoluteMs'>,
): Problem[] {
  const isTime = (ms: number) => ms >= 1000 && Number.isFinite(ms)
  const remedy = "Pass seconds (1 or more), or a string such as '30m'."
  const wrong = (name: 'idle' | 'absolute') =>
    invalid(name, `${String(options[name])} is not a valid session duration.`, remedy)
  if (!isTime(idleMs)) return [wrong('idle')]
  if (!isTime(absoluteMs)) return [wrong('absolute')]
  if (idleMs <= absoluteMs) return []
  return [
    invalid(
      'idle',
      'It is longer than `absolute`.',
      'Use a shorter duration, or a longer one for `absolute`.',
    ),
  ]
}

function checkCookie({ name, sameSite }: SessionCookieOptions = {}): Problem[] {
  const problems: Problem[] = []
  if (name !== undefined && !COOKIE_NAME.test(name)) {
    const remedy =
      "Use at most 64 letters, digits, '.', '_' and '-', without the prefix: 'session'."
    problems.push(
      invalid('cookie.name', `${JSON.stringify(name)} is not a valid cookie name.`, remedy),
    )
  }
  if (sameSite !== undefined && !['lax', 'strict'].includes(sameSite)) {
    const remedy =
      "Pass 'lax' or 'strict'. To allow pages of other origins, list these origins in `trustedOrigins`."
    problems.push(invalid('cookie.sameSite', `It is ${JSON.stringify(sameSite)}.`, remedy))
  }
  return problems
}

function checkOrigins(origins: readonly string[] = []): Problem[] {
  const remedy = "Pass the scheme and host, as browsers send them: 'https://admin.example.com'."
  if (!Array.isArray(origins)) return [invalid('trustedOrigins', 'It is not a list.', remedy)]
  return origins
    .filter((origin) => !URL.canParse(origin) || new URL(origin).origin !== origin)
    .map((origin) =>
      invalid('trustedOrigins', `${JSON.stringify(origin)} is not an origin.`, remedy),
    )
}

function checkParts({ schema, store, findUser, tenant, bindTenant }: AnyOptions): Problem[] {
  const problems: Problem[] = []
  if (schema !== undefined && typeof schema?.['~standard']?.validate !== 'function') {
    const remedy = 'Pass a Standard Schema, for example from zod 4, valibot or arktype.'
    problems.push(invalid('schema', 'It is not a Standard Schema.', remedy))
  }
  if (store !== undefined && typeof store?.take !== 'function') {
    const remedy =
      'Pass redisSessions(), postgresSessions(), memorySessions(), or another SessionStore.'
    problems.push(invalid('store', 'It is not a session store.', remedy))
  }
  if (findUser !== undefined && typeof findUser !== 'function')
    problems.push(invalid('findUser', 'It is not a function.', 'Pass (id) => users.find(id).'))
  const isReader = typeof tenant === 'function' || (typeof tenant === 'string' && tenant !== '')
  if (tenant !== undefined && !isReader)
    problems.push(
      invalid(
        'tenant',
        'It is neither the name of a field nor a function.',
        "Pass 'clinic' or (user) => user.clinic.",
      ),
    )
  if (tenant !== undefined && bindTenant === true)
    problems.push(
      invalid(
        'tenant',
        'It contradicts bindTenant: true, which binds a session to the tenant of its login.',
        'Remove one of these options.',
      ),
    )
  if (bindTenant !== undefined && typeof bindTenant !== 'boolean')
    problems.push(invalid('bindTenant', 'It is not a boolean.', 'Pass true or false.'))
  return problems
}
