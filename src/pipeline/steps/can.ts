import type { Request, Response, User } from '../../contracts/handler.js'
import { refuse } from '../../errors/refuse.js'
import { noteOf } from '../../http/observed-request.js'
import type { BlazonRequest } from '../../http/request.js'
import { schemeOf } from '../../http/request-state.js'
import { Refusal } from '../../step/refusal.js'
import { isThenable, type StepFactory, whenSettled } from '../../step/step.js'
import type { RouteGuard } from './guard.js'

/** The application's own `auth.can`, which decides whether a user has the given abilities. */
export type Decide = (
  user: User | undefined,
  abilities: readonly string[],
  req: Request,
) => boolean | Promise<boolean>

/** The configuration for deciding about abilities on a route. */
export interface CanConfig {
  /** The abilities that `@Can` requires. */
  readonly abilities: readonly string[]
  /** The guards that the route accepts. */
  readonly guards: readonly Pick<RouteGuard, 'name' | 'abilityChallenge'>[]
  /** The `auth.can` option. If omitted, the user's `permissions` and `roles` together must contain every ability. */
  readonly decide: Decide | undefined
}

/** Allows a request if its user has every ability that `@Can` requires. Only the decision `true` allows the request. */
export function canStage({ abilities, guards, decide }: CanConfig): StepFactory {
  const can = decide ?? hasAll
  const challenges = new Map(
    guards.map(({ name, abilityChallenge }) => [name, abilityChallenge?.(abilities)]),
  )
  /**
   * The 403 response contains the challenge of the guard that admitted the request, because the challenge depends on
   * the credential.
   */
  const forbid = (req: Request) => forbidden(challenges.get(schemeOf(req) ?? null))
  return (next) => {
    const settle = (verdict: unknown, req: BlazonRequest, res: Response): unknown => {
      const isAllowed = verdict === true
      noteOf(req)?.({
        by: 'can',
        verdict: isAllowed ? 'admitted' : 'refused',
        facts: { abilities },
      })
      return isAllowed ? next(req, res) : forbid(req)
    }
    return function checkAbilities(req, res) {
      const verdict: unknown = can(req.user, abilities, req)
      if (!isThenable(verdict)) return settle(verdict, req, res)
      return whenSettled(verdict, (settled) => settle(settled, req, res))
    }
  }
}

/** Decides if there is no `auth.can`: the user's `permissions` and `roles` together must contain every ability. */
export function hasAll(user: User | undefined, abilities: readonly string[]): boolean {
  const held = [...listOf(user?.permissions), ...listOf(user?.roles)]
  return abilities.every((ability) => held.includes(ability))
}

/**
 * Only an array counts as a list, because a string also has `includes`, and `'superadmin'.includes('admin')` is `true`.
 */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function forbidden(challenge: string | undefined): Refusal {
  const options = challenge === undefined ? {} : { headers: { 'WWW-Authenticate': challenge } }
  return new Refusal(refuse('FORBIDDEN', 'You do not have permission to do this', options))
}
