import type { Problem } from '../errors/config-error.js'
import { invalid } from '../errors/invalid.js'
import { type FactsByKind, factsOf, firstOf } from './facts-by-kind.js'

/**
 * Checks the decorators about access of one method, or of one class without its base classes.
 *
 * @param ofClass The facts of the class and its bases, if `facts` belong to a method.
 */
export function checkAccess(
  subject: string,
  facts: FactsByKind,
  ofClass: FactsByKind = {},
): Problem[] {
  if ((facts.can ?? facts.public ?? facts.auth) === undefined) return []
  if (factsOf(facts, 'can').some(({ abilities }) => abilities.length === 0)) {
    const cause = '@Can() has no ability, so it only requires a user.'
    const remedy = 'Name the abilities, or write @Auth().'
    return [invalid(subject, cause, remedy)]
  }
  const auth = factsOf(facts, 'auth')
  const isPublic = firstOf(facts, 'public') !== undefined
  if (isPublic && (auth.length > 0 || facts.can !== undefined)) {
    return [conflict(subject, 'It is @Public() and @Auth() or @Can() at once.')]
  }
  if (new Set(auth.map(({ isOptional }) => isOptional)).size > 1) {
    return [conflict(subject, 'It has @Auth() and @Auth({ optional: true }) at once.')]
  }
  if (new Set(auth.map(({ guards }) => guards.join())).size > 1) {
    return [conflict(subject, 'It has two @Auth() that name different guards.')]
  }
  const needsAbilities = (facts.can ?? ofClass.can) !== undefined
  return auth[0]?.isOptional === true && needsAbilities ? [notOptional(subject)] : []
}

function conflict(subject: string, cause: string): Problem {
  return { code: 'E_DECORATOR_CONFLICT', subject, cause, remedy: 'Keep the one you mean.' }
}

function notOptional(subject: string): Problem {
  return {
    code: 'W_AUTH_NOT_OPTIONAL',
    subject,
    cause:
      'It has @Auth({ optional: true }), but its @Can() needs a user: a request without credentials is refused with 401.',
    remedy: 'Write @Auth(); or remove @Can() and check the abilities of `req.user` in the handler.',
  }
}
