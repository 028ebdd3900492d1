import type { ClassFacts } from '../contracts/facts.js'
import type { Class } from '../contracts/provider.js'
import type { Scope } from '../di/modules.js'
import type { Problem } from '../errors/config-error.js'
import { chainOf, readClass } from '../metadata/read.js'
import { isFoundByPlugins } from './check-controller.js'
import { checkOptions } from './check-decorators.js'
import { groupFacts } from './facts-by-kind.js'

/**
 * Finds classes that are decorated as controllers but listed only as providers. Such a class is instantiated, but its
 * routes are not served. A base class of a controller is allowed to be a provider.
 */
export function checkDecoratedProviders(
  scopes: readonly Scope[],
  controllers: readonly Class[],
): Problem[] {
  const routed = new Set(controllers.flatMap(chainOf))
  const problems: Problem[] = []
  for (const { make, origin } of scopes.flatMap(({ bindings }) => bindings)) {
    if (make.kind !== 'class' || routed.has(make.class)) continue
    const facts = readClass(make.class)
    problems.push(...checkOwnOptions(make.class.name, facts))
    if (saysNothing(facts)) continue
    problems.push({
      code: 'E_DECORATOR_ORPHAN',
      subject: make.class.name || 'an anonymous class',
      cause: `It is decorated as a controller, but ${origin} lists it only as a provider, so it has no routes.`,
      remedy: 'List it in `controllers`, or remove all its decorators except @Injectable().',
    })
  }
  return problems
}

/** Whether a class has only decorators that are allowed on a provider: `@Injectable()`, and options with `anywhere`. */
function saysNothing({ facts, methods }: ClassFacts): boolean {
  const ofClass = facts.filter(({ kind }) => kind !== 'injectable')
  return [ofClass, ...methods.values()].every((each) => isFoundByPlugins(groupFacts(each)))
}

function checkOwnOptions(name: string, { facts, methods }: ClassFacts): Problem[] {
  const ofMethods = [...methods].flatMap(([key, each]) =>
    checkOptions(`${name}.${String(key)}`, groupFacts(each)),
  )
  return [...checkOptions(name, groupFacts(facts)), ...ofMethods]
}
