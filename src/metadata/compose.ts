import type {
  DualClassDecorator,
  DualClassOrMethodDecorator,
  DualMethodDecorator,
} from '../contracts/decorator.js'
import { isStandardContext } from './write.js'

// biome-ignore lint/suspicious/noExplicitAny: decorators of packages take arguments of any type
type AnyDecorator = (...args: any[]) => unknown

type Composed<TDecorator> = [Exclude<TDecorator, DualClassOrMethodDecorator>] extends [never]
  ? DualClassOrMethodDecorator
  : OfOneKind<Exclude<TDecorator, DualClassOrMethodDecorator>>

/** A decorator that is typed more exactly, such as `@Body`, keeps its type: it checks the request of the handler. */
type OfOneKind<TDecorator> = [TDecorator] extends [DualClassDecorator]
  ? DualClassDecorator
  : [Exclude<TDecorator, DualMethodDecorator>] extends [never]
    ? DualMethodDecorator
    : Exclude<TDecorator, DualMethodDecorator>

/**
 * Combines decorators to one, for classes or methods, in both dialects. The result has the effect of its decorators in
 * the same order, the first at the top. It is used without parentheses.
 *
 * @param decorators Decorators of the framework, of `defineOption`, or of other packages.
 * @throws TypeError if a value is not a function.
 * @example
 * ```ts
 * const ForAccountants = compose(Auth(), Can('payments:read'), ApiTags('Accounting'))
 *
 * @ForAccountants
 * @Controller('payments')
 * class PaymentsController {}
 * ```
 */
export function compose<TDecorators extends readonly AnyDecorator[]>(
  ...decorators: TDecorators
): Composed<TDecorators[number]> {
  const wrong = decorators.findIndex((decorate) => typeof decorate !== 'function')
  if (wrong >= 0) throw new TypeError(`compose(): argument ${wrong} is not a decorator.`)
  function composed(...args: unknown[]): unknown {
    // A decorator may replace the class or the function; in the legacy dialect, it replaces the descriptor.
    const place = args.length === 1 || isStandardContext(args[1]) ? 0 : 2
    const given = args[place]
    for (const decorate of decorators.toReversed()) {
      args[place] = decorate(...args) ?? args[place]
    }
    return args[place] === given ? undefined : args[place]
  }
  return composed as Composed<TDecorators[number]>
}
