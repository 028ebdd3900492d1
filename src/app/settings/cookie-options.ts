import type { Problem } from '../../errors/config-error.js'
import { invalid } from '../../errors/invalid.js'
import { type Names, type OptionGroup, refusedNames } from '../../errors/option-group.js'

/** The `cookies` option. */
export interface CookieKeyOptions {
  /**
   * The keys of signed cookies and of the cursors of pages, each of 32 characters or more: the first signs, and all of them verify. To replace a key,
   * put the new one in front, and remove the old one when its cookies have expired.
   *
   * @defaultValue none: no cookie can be signed, and a random key signs cursors
   * @see docs/bodies.md#signed-cookies
   */
  readonly keys?: readonly string[]
}

/** The `cookies` option, resolved. */
export interface CookieSettings {
  readonly keys: readonly string[]
}

/** A shorter key could be guessed. */
const SHORTEST = 32

const NAMES: Names<CookieKeyOptions> = { keys: true }

/** The `cookies` option. */
export const cookieGroup: OptionGroup<CookieKeyOptions | undefined, CookieSettings> = {
  unknown: (cookies) => refusedNames('cookies.', cookies, NAMES),
  check: (cookies) => checkKeys(cookies?.keys),
  resolve: (cookies) => Object.freeze({ keys: Object.freeze([...(cookies?.keys ?? [])]) }),
}

function checkKeys(keys: unknown): Problem[] {
  if (keys === undefined) return []
  const isKey = (key: unknown) => typeof key === 'string' && key.length >= SHORTEST
  if (Array.isArray(keys) && keys.length > 0 && keys.every(isKey)) return []
  const cause = `It is not a list of keys of ${SHORTEST} characters or more.`
  const remedy = 'Give random keys, each made by `openssl rand -base64 32`.'
  return [invalid('cookies.keys', cause, remedy)]
}
