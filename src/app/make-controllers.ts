import type { AuthGuard, GuardSetup } from '../contracts/guard.js'
import type { Token } from '../contracts/provider.js'
import { type BoundContainer, makeAll } from '../di/build-container.js'
import type { Injector } from '../di/injector.js'
import { ConfigError } from '../errors/config-error.js'
import { invalid } from '../errors/invalid.js'
import { attachOk } from './base-controller.js'
import { resolveToken } from './resolve-token.js'

/**
 * Creates every provider and controller.
 *
 * @returns the controllers, by their classes.
 * @throws ConfigError with everything that could not be created.
 */
export async function makeControllers(
  container: BoundContainer,
): Promise<ReadonlyMap<unknown, object>> {
  const { instances, problems, errors } = await makeAll(container)
  if (problems.length > 0) {
    if (errors.length === 0) throw new ConfigError(problems)
    throw new ConfigError(problems, {
      cause: errors.length === 1 ? errors[0] : new AggregateError(errors),
    })
  }
  for (const instance of instances.values()) attachOk(instance as object)
  return instances as ReadonlyMap<unknown, object>
}

/**
 * Finds the guard of an application. The option is the guard itself, or a token.
 *
 * @returns `null` if the application has no guard.
 * @throws ConfigError if nothing provides the token, or if its value is not a guard.
 */
export async function makeGuard(
  guard: AuthGuard | Token<AuthGuard> | null,
  injector: Injector,
): Promise<AuthGuard | null> {
  if (guard === null) return null
  if (isGuard(guard)) return guard
  const resolved = await resolveToken(guard as Token<AuthGuard>, injector)
  if (isGuard(resolved)) return resolved
  throw new ConfigError([
    invalid(
      'auth.guard',
      'The value that its token provides has no method canActivate.',
      'Provide an object with canActivate(req, route) under that token.',
    ),
  ])
}

/**
 * Returns the guard that an application runs: for a guard with a state, one of its own.
 *
 * @param made Gets that one, so that its hooks are called.
 */
export async function guardOfApp(
  given: AuthGuard | null,
  setup: GuardSetup,
  made: object[],
): Promise<AuthGuard | null> {
  const own = await given?.forApplication?.(setup)
  if (own === undefined) return given
  made.push(own)
  return own
}

function isGuard(value: unknown): value is AuthGuard {
  return typeof (value as { canActivate?: unknown } | null)?.canActivate === 'function'
}
