import { inject } from '@needle-di/core'
import type { DualClassDecorator, InjectDecorator } from '../contracts/decorator.js'
import type { Token } from '../contracts/provider.js'
import {
  decorator,
  isStandardContext,
  misplaced,
  refuseArguments,
  refuseBare,
  writeFieldToken,
  writeParameterToken,
} from './write.js'

/**
 * Allows the container to instantiate a class when another class injects it, without an entry in `providers`. Each
 * application has one instance.
 *
 * @example
 * @Injectable()
 * class UserService {
 *   private readonly users = inject(UserRepository)
 * }
 */
export function Injectable(): DualClassDecorator
export function Injectable(...args: unknown[]): DualClassDecorator {
  refuseArguments('@Injectable', args)
  return decorator('@Injectable()', { class: { kind: 'injectable' } })
}

/**
 * Injects a dependency into a field, or, in the legacy dialect, into a constructor parameter. In the legacy dialect, a
 * field is set immediately after the constructor has run.
 *
 * @param token A class, an `InjectionToken`, a string or a symbol.
 * @throws ConfigError if the target is neither a field nor a constructor parameter.
 * @example
 * class UserService {
 *   @Inject(Clock) private readonly clock!: Clock
 * }
 */
export function Inject(token: Token): InjectDecorator
export function Inject(token: Token, ...rest: unknown[]): InjectDecorator {
  // A class as the only argument is a token. With more arguments, the parentheses are missing.
  if (rest.length > 0) refuseBare('@Inject', token, rest[0])
  function write(first: unknown, second: unknown, third?: unknown): unknown {
    if (isStandardContext(second)) {
      if (second.kind !== 'field' || second.static) throw wrongTarget(second.kind, second.name)
      return () => injectField(token)
    }
    const target = first as object
    if (second === undefined && typeof third === 'number') {
      return writeParameterToken(target, third, token)
    }
    if (second === undefined || typeof target === 'function' || third !== undefined) {
      throw wrongTarget('member', second as PropertyKey)
    }
    return writeFieldToken(target, second as PropertyKey, token)
  }
  return write as InjectDecorator
}

/**
 * Returns the value of an `@Inject` field while the container creates an object. If the application creates the object
 * itself, the value is `undefined`, as in the legacy dialect.
 */
export function injectField(token: Token): unknown {
  const kInjector = Symbol.for('blazon.Injector')
  return inject<{ get(token: Token): unknown }>(kInjector, { optional: true })?.get(token)
}

function wrongTarget(kind: string, name: PropertyKey | undefined): Error {
  const allowed = ['field', 'constructor parameter (legacy decorators)']
  return misplaced('@Inject()', `${kind} ${String(name)}`, allowed)
}
