import type { Class } from '../contracts/provider.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { checkAccess } from './check-access.js'
import { checkController, checkMethod } from './check-controller.js'
import { checkGuardNames } from './check-guard-names.js'
import { checkLink } from './check-link.js'
import { checkReturned } from './check-responses.js'
import { inWordsOfOptions } from './check-route-options.js'
import { checkRoutes } from './check-routes.js'
import { compileRouteModel, type OwnerOptions, ownerOf } from './compile-route-model.js'
import { factsOf, firstOf, groupFacts } from './facts-by-kind.js'
import { inherit, type ReadChain } from './inherit.js'
import { versionsIn } from './versions.js'
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
