import type { Class } from '../contracts/provider.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { checkAccess } from './check-access.js'
import { checkBounds } from './check-bounds.js'
import { checkController, checkMethod } from './check-controller.js'
import { checkResponseDocs } from './check-documentation.js'
import { checkEnvelopes } from './check-envelope.js'
import { checkGuardNames } from './check-guard-names.js'
import { checkLimits } from './check-limits.js'
import { checkOptions } from './check-options.js'
import { checkQueries } from './check-queries.js'
import { checkRepeated } from './check-repeated.js'
import { checkReturned } from './check-responses.js'
import { inWordsOfOptions } from './check-route-options.js'
import { checkRoutes } from './check-routes.js'
import { checkUses } from './check-uses.js'
import { checkProduces } from './compile-produces.js'
import { compileRouteModel, type OwnerOptions, ownerOf } from './compile-route-model.js'
import { type FactsByKind, factsOf, firstOf, groupFacts } from './facts-by-kind.js'
import { inherit, type ReadChain } from './inherit.js'
import { checkVersions, versionsIn } from './versions.js'
import { noteFacts } from './written-as.js'

/** The input of the compiler besides the controllers. */
export interface ModelOptions extends OwnerOptions {
  readonly readChain: ReadChain
  readonly hasGuard: boolean
}

/** The model, with all errors and warnings about it. */
export interface CompiledModel {
  readonly model: AppModel
  readonly problems: readonly Problem[]
}

/** Compiles the facts of the controllers into the frozen model. Collects problems and throws none. */
export function compileModel(controllers: readonly Class[], options: ModelOptions): CompiledModel {
  const problems: Problem[] = []
  const routes: RouteModel[] = []
  for (const controller of controllers) {
    const chain = options.readChain(controller)
    const inherited = inherit(chain)
    problems.push(...checkController(controller, inherited))
    // One class of the chain at a time: a fact of a base class does not count as repeated in the subclass.
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

/** Checks the decorators of one class, without its base classes, or of one method. */
function checkLink(subject: string, facts: FactsByKind): Problem[] {
  return [
    ...checkAccess(subject, facts),
    ...checkLimits(subject, facts),
    ...checkRepeated(subject, facts),
    ...checkOptions(subject, facts),
    ...checkUses(subject, facts),
    ...checkBounds(subject, facts),
    ...checkQueries(subject, facts),
    ...checkVersions(subject, facts),
    ...checkEnvelopes(subject, facts),
    ...checkResponseDocs(subject, facts),
    ...checkProduces(subject, facts),
  ]
}
