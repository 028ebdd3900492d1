import type { MaybePromise } from '../../contracts/cache.js'
import type { GuardSetup } from '../../contracts/guard.js'
import type { SecretSource } from '../../contracts/webhook.js'
import { ConfigError, invalid, type Problem } from '../../errors/config-error.js'
import { type OptionGroup, type OptionNames, unknownOptions } from '../../errors/option-group.js'

/** The `cookies` option. */
export interface CookieKeyOptions {
  /**
   * The keys for signed cookies and page cursors, each of 32 characters or more. The first key signs, and all keys
   * verify. To replace a key, insert the new key at the front, and remove the old key when its cookies have expired.
   * The option can also be a function that returns the keys. It is called once at startup:
   * `({ get }) => get(Env).COOKIE_KEYS`.
   *
   * @defaultValue none: no cookie can be signed, and a random key signs cursors
   * @see docs/bodies.md#signed-cookies
   */
  readonly keys?: SecretSource<readonly string[]>
}

/** The `cookies` option, resolved. */
export interface CookieSettings {
  /** The keys; empty if a function returns them. */
  readonly keys: readonly string[]
  /** Returns the keys; `null` if the option lists them. */
  readonly source: ((app: GuardSetup) => MaybePromise<readonly string[]>) | null
}

/** The minimum length of a key. A shorter key could be guessed. */
const SHORTEST = 32

const GIVE_KEYS = 'Pass random keys, each generated with `openssl rand -base64 32`.'

const NAMES: OptionNames<CookieKeyOptions> = { keys: true }

/** The `cookies` option. */
export const cookieGroup: OptionGroup<CookieKeyOptions | undefined, CookieSettings> = {
  unknown: (cookies) => unknownOptions('cookies.', cookies, NAMES),
  check: (cookies) => checkKeys(cookies?.keys),
  resolve: ({ keys = [] } = {}) =>
    Object.freeze(
      typeof keys === 'function'
        ? { keys: Object.freeze([]), source: keys }
        : { keys: Object.freeze([...keys]), source: null },
    ),
}

/**
 * Reads the keys. Calls `cookies.keys` if it is a function.
 *
 * @throws ConfigError if the function throws, or does not return a valid list of keys.
 */
export async function readKeys(cookies: CookieSettings, app: GuardSetup): Promise<CookieSettings> {
  if (cookies.source === null) return cookies
  let keys: unknown
  try {
    keys = await cookies.source(app)
  } catch (error) {
    throw new ConfigError([
      invalid('cookies.keys', `The function threw ${String(error)}.`, GIVE_KEYS),
    ])
  }
  // If the function returns `undefined` because a variable is not set, report it as an invalid value.
  const problems = checkKeys(keys ?? null)
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze({ ...cookies, keys: Object.freeze([...(keys as readonly string[])]) })
}

function checkKeys(keys: unknown): Problem[] {
  if (keys === undefined || typeof keys === 'function') return []
  const isKey = (key: unknown) => typeof key === 'string' && key.length >= SHORTEST
  if (Array.isArray(keys) && keys.length > 0 && keys.every(isKey)) return []
  const cause = `It is not a list of keys of ${SHORTEST} characters or more.`
  return [invalid('cookies.keys', cause, GIVE_KEYS)]
}
