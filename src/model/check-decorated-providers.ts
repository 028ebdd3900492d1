import type { ClassFacts } from '../contracts/facts.js'
import type { Class } from '../contracts/provider.js'
import type { Scope } from '../di/modules.js'
import type { Problem } from '../errors/config-error.js'
import { chainOf, readClass } from '../metadata/read.js'

/**
 * Classes that are decorated as controllers, and listed as providers alone: they are made, but nothing routes to them. What a controller
 * extends may be provided, too.
 */
export function checkDecoratedProviders(
  scopes: readonly Scope[],
  controllers: readonly Class[],
): Problem[] {
  const routed = new Set(controllers.flatMap(chainOf))
  const problems: Problem[] = []
  for (const { make, origin } of scopes.flatMap(({ bindings }) => bindings)) {
    if (make.kind !== 'class' || routed.has(make.class)) continue
    if (saysNothing(readClass(make.class))) continue
    problems.push({
      code: 'E_DECORATOR_ORPHAN',
      subject: make.class.name || 'an anonymous class',
      cause: `It is decorated as a controller, but ${origin} lists it as a provider, and nothing lists it as a controller: it has no routes.`,
      remedy: 'List it in `controllers`, or remove all its decorators except @Injectable().',
    })
  }
  return problems
}

/** `@Injectable()` is what a provider may say of itself. */
function saysNothing({ facts, methods }: ClassFacts): boolean {
  return methods.size === 0 && facts.every(({ kind }) => kind === 'injectable')
}
