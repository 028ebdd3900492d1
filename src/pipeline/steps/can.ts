import type { Request, User } from '../../contracts/handler.js'
import { ForbiddenError, withoutStack } from '../../errors/http-error.js'
import { follow, isThenable, Refusal, type Step } from '../../http/step.js'

/** Decides whether a user has abilities; the application's own `auth.can`. */
export type Decide = (
  user: User | undefined,
  abilities: readonly string[],
  req: Request,
) => boolean | Promise<boolean>

/** Lets a user pass who has every ability of `@Can`; exactly `true` allows. */
export function canStep(
  abilities: readonly string[],
  decide: Decide | undefined,
  next: Step,
): Step {
  const can = decide ?? hasAll
  return function checkAbilities(req, res) {
    const verdict: unknown = can(req.user, abilities, req)
    if (!isThenable(verdict)) return verdict === true ? next(req, res) : forbid()
    return follow(verdict, (settled) => (settled === true ? next(req, res) : forbid()))
  }
}

function hasAll(user: User | undefined, abilities: readonly string[]): boolean {
  const held = [...listOf(user?.permissions), ...listOf(user?.roles)]
  return abilities.every((ability) => held.includes(ability))
}

/** A string has `includes` too, and `'superadmin'.includes('admin')`. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function forbid(): Refusal {
  return new Refusal(
    withoutStack(() => new ForbiddenError('You do not have permission to do this')),
  )
}
