import type { AuthGuard, GuardSetup } from '../contracts/guard.js'
import type { Lifecycle, Token } from '../contracts/provider.js'
import { ConfigError, invalid } from '../errors/config-error.js'
import { isPromise } from './injector.js'

/** The guard in an option other than `auth`. */
export interface PreparedGuard {
  /** The guard that this application uses. */
  readonly running: AuthGuard & Lifecycle
  /** The challenge of the guard's 401 responses. */
  readonly challenge: string
}

/**
 * Finds the guard in an option other than `auth`, and calls the guard's `forApplication`.
 *
 * @param option The name of the option, for the error.
 * @throws ConfigError if no provider has the token, or if the token's value or the result of `forApplication` is not a
 * guard.
 */
export async function prepareGuard(
  guard: AuthGuard | Token<AuthGuard>,
  option: string,
  setup: GuardSetup,
): Promise<PreparedGuard> {
  const found = isGuard(guard) ? guard : setup.get(guard)
  const made = isGuard(found) ? found.forApplication?.(setup) : undefined
  const running = (isPromise(made) ? await made : made) ?? found
  if (isGuard(running)) return { running, challenge: found.challenge ?? 'Bearer' }
  const cause =
    'The value of its token, or the result of its forApplication(), has no canActivate() method.'
  const remedy = 'Provide a guard: { canActivate(req) }.'
  throw new ConfigError([invalid(option, cause, remedy)])
}

function isGuard(guard: unknown): guard is AuthGuard {
  return typeof (guard as { canActivate?: unknown } | null)?.canActivate === 'function'
}
