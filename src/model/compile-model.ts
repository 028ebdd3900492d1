import type { Class } from '../contracts/provider.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import { invalid, type Problem } from '../errors/config-error.js'
import { checkBounds } from './bounds.js'
import { checkController, checkMethod } from './check-controller.js'
import { checkOptions, checkRepeated } from './check-decorators.js'
import { checkResponseDocs } from './check-documentation.js'
import { checkEnvelopes } from './check-envelope.js'
import { checkReturned } from './check-responses.js'
import { inWordsOfOptions } from './check-route-options.js'
import { checkRoutes } from './check-routes.js'
import { checkProduces } from './compile-produces.js'
import { compileRouteModel, type OwnerOptions, ownerOf } from './compile-route-model.js'
import { type FactsByKind, factsOf, firstOf, groupFacts, noteFacts } from './facts-by-kind.js'
import { type FeatureOptions, withFeatureOptions } from './feature-options.js'
import { inherit, type ReadChain } from './inherit.js'
import { checkUses } from './uses.js'
import { checkVersions, versionsIn } from './versions.js'

/** The compiler's input, besides the controllers. */
export interface ModelOptions extends OwnerOptions, FeatureOptions {
  readonly readChain: ReadChain
  readonly hasGuard: boolean
}

/** The model, with all errors and warnings about it. */
export interface CompiledModel {
  readonly model: AppModel
  readonly problems: readonly Problem[]
}

/** Compiles the facts of the controllers into the frozen model. Collects problems instead of throwing them. */
export function compileModel(controllers: readonly Class[], options: ModelOptions): CompiledModel {
  const problems: Problem[] = []
  const routes: RouteModel[] = []
  for (const controller of controllers) {
    const chain = options.readChain(controller).map((link) => withFeatureOptions(link, options))
    const inherited = inherit(chain)
    problems.push(...checkController(controller, inherited))
    // Check each class and base class separately, because a fact of a base class does not count as repeated in the
    // subclass.
    for (const { facts } of chain) {
      const link = groupFacts(facts)
      problems.push(...checkLink(controller.name, link))
      problems.push(...checkGuardNames(controller.name, link, options.guards))
    }
    if (firstOf(inherited.facts, 'controller') === undefined) continue
    const owner = ownerOf(controller, inherited, options)
    for (const [handler, facts] of inherited.methods) {
      const subject = `${controller.name}.${String(handler)}`
      const found = [
        ...checkMethod(controller, handler, facts),
        ...checkAccess(subject, facts, inherited.facts),
        ...checkGuardNames(subject, facts, options.guards),
      ]
      problems.push(...found.map((problem) => inWordsOfOptions(problem, facts)))
      for (const verb of factsOf(facts, 'route')) {
        for (const version of versionsIn(facts, inherited.facts)) {
          const draft = { handler, facts, verb, index: routes.length, version }
          const route = noteFacts(compileRouteModel(draft, owner), facts)
          if (facts.returns !== undefined) problems.push(...checkReturned(route))
          routes.push(route)
        }
      }
    }
  }
  problems.push(...checkRoutes(routes, options))
  const { hasGuard } = options
  return { model: Object.freeze({ routes: Object.freeze(routes), hasGuard }), problems }
}

/** Checks the decorators of one class, without its base classes. */
function checkLink(subject: string, facts: FactsByKind): Problem[] {
  return [
    ...checkAccess(subject, facts),
    ...checkRepeated(subject, facts),
    ...checkOptions(subject, facts),
    ...checkUses(subject, facts),
    ...checkBounds(subject, facts),
    ...checkVersions(subject, facts),
    ...checkEnvelopes(subject, facts),
    ...checkResponseDocs(subject, facts),
    ...checkProduces(subject, facts),
  ]
}

/**
 * Checks the access decorators of one method, or of one class without its base classes.
 *
 * @param ofClass The facts of the class and its base classes, if `facts` belong to a method.
 */
function checkAccess(subject: string, facts: FactsByKind, ofClass: FactsByKind = {}): Problem[] {
  if ((facts.can ?? facts.public ?? facts.auth) === undefined) return []
  if (factsOf(facts, 'can').some(({ abilities }) => abilities.length === 0)) {
    const cause = '@Can() specifies no ability, so it only requires a user.'
    const remedy = 'List the abilities, or write @Auth().'
    return [invalid(subject, cause, remedy)]
  }
  const auth = factsOf(facts, 'auth')
  const isPublic = firstOf(facts, 'public') !== undefined
  if (isPublic && (auth.length > 0 || facts.can !== undefined)) {
    return [conflict(subject, 'It has both @Public() and @Auth() or @Can().')]
  }
  if (new Set(auth.map(({ isOptional }) => isOptional)).size > 1) {
    return [conflict(subject, 'It has both @Auth() and @Auth({ optional: true }).')]
  }
  if (new Set(auth.map(({ guards }) => guards.join())).size > 1) {
    return [conflict(subject, 'It has two @Auth() with different guards.')]
  }
  const needsAbilities = (facts.can ?? ofClass.can) !== undefined
  return auth[0]?.isOptional === true && needsAbilities ? [notOptional(subject)] : []
}

function conflict(subject: string, cause: string): Problem {
  return { code: 'E_DECORATOR_CONFLICT', subject, cause, remedy: 'Keep the intended decorator.' }
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

/** The maximum edit distance between an unknown name and the name that was probably intended. */
const MOST_EDITS = 2

/**
 * Finds names in `@Auth` that are not among the application's guards.
 *
 * @param known The names of `auth.guards`; empty without this option.
 */
function checkGuardNames(subject: string, facts: FactsByKind, known: readonly string[]): Problem[] {
  const named = new Set(factsOf(facts, 'auth').flatMap(({ guards }) => guards))
  const unknown = [...named].filter((name) => !known.includes(name))
  return unknown.map((name) => ({
    code: 'E_AUTH_GUARD_UNKNOWN',
    subject,
    cause: `@Auth('${name}') refers to a guard that is not in \`auth.guards\`.`,
    remedy: remedyFor(name, known),
  }))
}

function remedyFor(name: string, known: readonly string[]): string {
  if (known.length === 0) {
    return 'Pass guards by name: `auth: { guards: { … } }`; or write @Auth() for `auth.guard`.'
  }
  const near = known.filter((each) => isNear(name.toLowerCase(), each.toLowerCase()))
  const meant = near.length === 0 ? '' : ` Did you mean '${near.join("' or '")}'?`
  return `The valid names are: ${known.join(', ')}.${meant}`
}

function isNear(name: string, known: string): boolean {
  return known.startsWith(name) || name.startsWith(known) || edits(name, known) <= MOST_EDITS
}

/**
 * Returns the number of letters to insert, remove or replace to convert one string to another (Levenshtein distance).
 */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1]
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + Number(letter !== to[j - 1])
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
