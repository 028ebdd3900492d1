import { ConfigError, type Duration, type Request } from '../../index.js'
import {
  type GuardSetup,
  type MaybePromise,
  type OptionNames,
  type Problem,
  toSeconds,
  unknownOptions,
} from '../../plugin/index.js'
import { faultOfPrefix } from './key-format.js'

/** A stored key. Stores can return additional fields, which `user` and `onUse` receive. */
export interface ApiKeyRecord {
  /** The ID of the key in logs, in rate limits and in `onUse`. It is not a secret. */
  readonly id: string
  /** The SHA-256 of the key, in 64 lower-case hexadecimal digits: the `hash` that `generateApiKey` returns. */
  readonly hash: string
  /** A human-readable name. Default: none. */
  readonly name?: string | null
  /** The tenant of the key. If there is none, the key cannot act for a tenant. Default: none. */
  readonly tenant?: string | null
  /** The permissions of the key, for `@Can`. Default: none. */
  readonly permissions?: readonly string[] | null
  /** The roles of the key, for `@Can`. Default: none. */
  readonly roles?: readonly string[] | null
  /** The time from which the key is refused: a `Date`, or milliseconds since 1970. Default: never. */
  readonly expiresAt?: Date | number | null
  /**
   * The time when the key was revoked. With any value except `null` and `undefined`, the key is refused immediately. If
   * omitted, the key is not revoked.
   */
  readonly revokedAt?: Date | number | null
}

/** The user of a request with a key, unless the option `user` creates a different user. */
export interface ApiKeyUser {
  /** The ID of the key. */
  readonly id: string
  /**
   * A fixed value, so that cached responses for a key are separate from responses for another kind of user with the
   * same ID.
   */
  readonly provider: 'api-key'
  /** The name of the key. */
  readonly name: string | undefined
  /** The tenant of the key. */
  readonly tenant: string | undefined
  /** The permissions of the key. */
  readonly permissions: readonly string[]
  /** The roles of the key. */
  readonly roles: readonly string[]
}

/** Options of `apiKeys`. */
export interface ApiKeysOptions<
  TRecord extends ApiKeyRecord = ApiKeyRecord,
  TUser extends object = ApiKeyUser,
> {
  /** The prefix of the keys, or several prefixes: `'acme_live'`, `['acme_live', 'acme_test']`. */
  readonly prefix: string | readonly string[]
  /**
   * Finds a key by its hash. The function runs outside of the request and without a tenant, because several requests
   * can share its result. If it returns `undefined` or `null`, the request is refused with a 401 response. If it throws
   * or rejects, the response is a 503, unless the error is an `HttpError`, which keeps its status.
   *
   * @param hash The SHA-256 of the key, in 64 lower-case hexadecimal digits.
   * @param app `get` returns the instance of a token.
   */
  readonly find: (hash: string, app: GuardSetup) => MaybePromise<TRecord | null | undefined>
  /** The header that contains the key. Default: `'x-api-key'`. */
  readonly header?: string
  /**
   * The scheme of the key in the `Authorization` header, such as `'Bearer'`. The key is then not read from a separate
   * header. Default: none.
   */
  readonly scheme?: string
  /** Creates `req.user` from a key for each request. Default: an {@link ApiKeyUser}. */
  readonly user?: (record: TRecord, req: Request) => TUser
  /**
   * Whether a key confirms the tenant of its request. A key that belongs to a different tenant, or to none, is then
   * refused with a 403 response. With `false`, `tenant.authorize` must decide. Default: `true`.
   */
  readonly tenant?: boolean
  /**
   * How long a found key is used without another look-up. A revoked key may still be accepted for this time. With 0,
   * every request looks up its key. Default: `'30s'`.
   */
  readonly cacheFor?: Duration
  /**
   * The guard calls this after it has accepted a key, at most once per key and `useInterval`, for example to store when
   * the key was last used. The call does not delay the request. It runs outside of the request and without a tenant,
   * and its errors are logged. Default: none.
   */
  readonly onUse?: (record: TRecord, req: Request, app: GuardSetup) => unknown
  /** The minimum time between two calls to `onUse` for the same key. Default: `'60s'`. */
  readonly useInterval?: Duration
}

/** The options, with defaults applied and units converted. */
export interface ApiKeysSettings {
  readonly prefixes: readonly string[]
  /** The header, in lower case. */
  readonly header: string
  /** The scheme in `Authorization`; `null` if the key is the whole value of the header. */
  readonly scheme: string | null
  readonly cacheMs: number
  readonly useMs: number
}

const NAMES: OptionNames<ApiKeysOptions> = {
  prefix: true,
  find: true,
  header: true,
  scheme: true,
  user: 'sync',
  tenant: true,
  cacheFor: true,
  onUse: true,
  useInterval: true,
}

/** Matches the name of a header or of a scheme, which is a `token` in the grammar of HTTP (RFC 9110, 5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/

const DEFAULT_CACHE = '30s'
const DEFAULT_INTERVAL = '60s'

/**
 * Checks the options for `apiKeys` and applies defaults.
 *
 * @throws ConfigError with all problems.
 */
export function settleApiKeysOptions(options: ApiKeysOptions): ApiKeysSettings {
  const problems = problemsOf(options)
  if (problems.length > 0) throw new ConfigError(problems)
  const { prefix, header = 'x-api-key', scheme, cacheFor, useInterval } = options
  return {
    prefixes: typeof prefix === 'string' ? [prefix] : [...prefix],
    header: scheme === undefined ? header.toLowerCase() : 'authorization',
    scheme: scheme ?? null,
    cacheMs: toMs(cacheFor ?? DEFAULT_CACHE) as number,
    useMs: toMs(useInterval ?? DEFAULT_INTERVAL) as number,
  }
}

function problemsOf(options: ApiKeysOptions): Problem[] {
  if (typeof options !== 'object' || options === null) {
    return [invalid('', 'Its options must be an object.', "Pass { prefix: 'acme_live', find }.")]
  }
  return [
    ...unknownOptions('apiKeys(): ', options, NAMES),
    ...checkPrefixes(options.prefix),
    ...checkFunctions(options),
    ...checkPlace(options),
    ...checkDuration('cacheFor', options.cacheFor),
    ...checkDuration('useInterval', options.useInterval),
    ...checkTenant(options.tenant),
  ]
}

function checkPrefixes(prefix: unknown): Problem[] {
  const list: readonly unknown[] = Array.isArray(prefix) ? prefix : [prefix]
  if (list.length === 0) return [invalid('prefix', 'The list is empty.', "Pass 'acme_live'.")]
  return list.flatMap((each) => {
    const fault = faultOfPrefix(each)
    return fault === null ? [] : [invalid('prefix', fault.cause, fault.remedy)]
  })
}

function checkFunctions({ find, user, onUse }: ApiKeysOptions): Problem[] {
  const problems: Problem[] = []
  if (typeof find !== 'function') {
    const remedy = 'Pass a function that returns the stored key with this hash, or undefined.'
    problems.push(invalid('find', 'It is not a function.', remedy))
  }
  for (const [name, value] of Object.entries({ user, onUse })) {
    if (value === undefined || typeof value === 'function') continue
    problems.push(invalid(name, 'It is not a function.', 'Pass a function, or omit it.'))
  }
  return problems
}

function checkPlace({ header, scheme }: ApiKeysOptions): Problem[] {
  const problems = Object.entries({ header, scheme }).flatMap(([name, value]) =>
    value === undefined || (typeof value === 'string' && TOKEN.test(value))
      ? []
      : [
          invalid(
            name,
            `${String(value)} is not a valid HTTP name.`,
            "Pass a name such as 'x-api-key'.",
          ),
        ],
  )
  if (header === undefined || scheme === undefined) return problems
  const remedy = 'Pass only one of them. With a scheme, the key is read from Authorization.'
  return [...problems, invalid('scheme', 'Both `scheme` and `header` are set.', remedy)]
}

function checkDuration(name: string, value: unknown): Problem[] {
  if (value === undefined || toMs(value as Duration) !== undefined) return []
  const cause = `${String(value)} is not a duration.`
  return [invalid(name, cause, "Pass seconds, or a string such as '30s'.")]
}

function checkTenant(tenant: unknown): Problem[] {
  if (tenant === undefined || typeof tenant === 'boolean') return []
  return [invalid('tenant', `${String(tenant)} is not a boolean.`, 'Pass true or false.')]
}

function toMs(duration: Duration): number | undefined {
  const seconds = toSeconds(duration)
  return seconds === undefined ? undefined : Math.round(seconds * 1000)
}

function invalid(name: string, cause: string, remedy: string): Problem {
  const subject = name === '' ? 'apiKeys()' : `apiKeys(): ${name}`
  return { code: 'E_OPTION_INVALID', subject, cause, remedy }
}
