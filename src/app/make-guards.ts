import type { AuthGuard, GuardSetup } from '../contracts/guard.js'
import type { Token } from '../contracts/provider.js'
import { type Injector, isPromise } from '../di/injector.js'
import { ConfigError, invalid } from '../errors/config-error.js'
import type { AuthSettings } from './settings/auth-options.js'
import { checkCreated, type GuardSettings, isHeaderText } from './settings/guard-options.js'

/** A guard of a running application. */
export interface MadeGuard {
  readonly settings: GuardSettings
  /**
   * The guard of the option, or the guard that its token provides. All members except `canActivate` are read from it.
   */
  readonly guard: AuthGuard
  /** The guard that this application uses: the result of `forApplication`, or the guard itself. */
  readonly running: AuthGuard
}

/** The parts of the application from which guards are created. */
interface GuardParts {
  /** The injector, which has already created the {@link guardTokens}. */
  readonly injector: Injector
  readonly setup: GuardSetup
  /** Receives each guard that `forApplication` returns, for its hooks. */
  readonly onMade: (running: AuthGuard) => void
}

/**
 * Finds the guards of an application, and calls their `forApplication`. If one guard has two names, both names share
 * its state.
 *
 * @throws ConfigError if the value of a token is not a valid guard, or if `forApplication` does not return a guard.
 */
export async function makeGuards(
  { guards }: Pick<AuthSettings, 'guards'>,
  { injector, setup, onMade }: GuardParts,
): Promise<readonly MadeGuard[]> {
  const running = new Map<AuthGuard, AuthGuard>()
  const made: MadeGuard[] = []
  for (const settings of guards) {
    const guard = findGuard(settings, injector)
    const known = running.get(guard)
    const found =
      known ?? (guard.forApplication === undefined ? guard : guard.forApplication(setup))
    const own = checkRunning(isPromise(found) ? await found : found, settings)
    running.set(guard, own)
    if (own !== guard) onMade(own)
    made.push({ settings, guard, running: own })
  }
  return made
}

/** The tokens among the guards of an application. */
export function guardTokens({ guards }: Pick<AuthSettings, 'guards'>): Token[] {
  return guards.flatMap(({ entry }) => (isGuard(entry) ? [] : [entry as Token]))
}

function findGuard(settings: GuardSettings, injector: Injector): AuthGuard {
  const { entry, option } = settings
  if (isGuard(entry)) return entry
  const guard = injector.get(entry as Token<AuthGuard>)
  if (!isGuard(guard)) {
    throw new ConfigError([
      invalid(
        option,
        'The value that its token provides has no `canActivate` method.',
        'Provide an object with canActivate(req, route) under that token.',
      ),
    ])
  }
  const problems = checkCreated(guard, settings)
  if (guard.challenge !== undefined && !isHeaderText(guard.challenge)) {
    problems.push(
      invalid(`${option}.challenge`, 'It is not a valid header value.', "Pass a string: 'Bearer'."),
    )
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return guard
}

function checkRunning(running: unknown, { option }: GuardSettings): AuthGuard {
  if (isGuard(running)) return running
  const cause = 'Its forApplication() returned a value without a `canActivate` method.'
  throw new ConfigError([invalid(option, cause, 'Return a guard: { canActivate }.')])
}

function isGuard(value: unknown): value is AuthGuard {
  return typeof (value as { canActivate?: unknown } | null)?.canActivate === 'function'
}
