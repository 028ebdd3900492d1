import type {
  DualClassDecorator,
  DualClassOrMethodDecorator,
  DualMethodDecorator,
} from '../contracts/decorator.js'
import type { OptionSettings, OptionTarget, RouteOption } from '../contracts/extensions.js'
import type { Fact } from '../contracts/facts.js'
import { type OptionNames, refuseUnknown } from '../errors/option-group.js'
import { decorator, isStandardContext, refuseBare } from './write.js'

const NAMES: OptionNames<OptionSettings<never>> = {
  on: true,
  merge: true,
  check: 'sync',
  anywhere: true,
}

/**
 * Defines a route option: a decorator for controllers and their methods, in both dialects. Plugins and guards read a
 * route's value with `route.option(…)`. An option is identified by the returned function, not by its name, so two
 * copies of a package do not affect each other.
 *
 * @param name The name in messages and tools, which is usually the decorator's name.
 * @param settings `on`, `merge`, `check` and `anywhere`, see {@link OptionSettings}.
 * @throws TypeError if the name is empty, or if `on` or `merge` is invalid; ConfigError if an option is unknown.
 * @example
 * export const Audit = defineOption<{ action: string }>('Audit')
 *
 * class OrdersController {
 *   @Audit({ action: 'order.pay' })
 *   @Post(':id/payment')
 *   pay(req: Request) { return orders.pay(req.params.id) }
 * }
 *
 * route.option(Audit)?.action // 'order.pay'
 */
export function defineOption<TValue = true, TTarget extends OptionTarget = 'both'>(
  name: string,
  settings: OptionSettings<TValue, TTarget> & { readonly merge: 'list' },
): RouteOption<TValue, readonly TValue[], TTarget>
export function defineOption<TValue = true, TTarget extends OptionTarget = 'both'>(
  name: string,
  settings?: OptionSettings<TValue, TTarget>,
): RouteOption<TValue, TValue, TTarget>
export function defineOption(name: string, settings: OptionSettings<never> = {}): RouteOption {
  if (typeof name !== 'string' || name === '')
    throw new TypeError('defineOption(): the name is missing.')
  refuseUnknown(`defineOption('${name}')`, settings, NAMES)
  const { on = 'both', merge = 'override', check, anywhere: isAnywhere = false } = settings
  if (!['class', 'method', 'both'].includes(on)) {
    throw new TypeError(`defineOption('${name}'): \`on\` must be 'class', 'method' or 'both'.`)
  }
  if (!['override', 'list'].includes(merge)) {
    throw new TypeError(`defineOption('${name}'): \`merge\` must be 'override' or 'list'.`)
  }
  const label = `@${name}`
  function option(...args: readonly unknown[]) {
    const [first, second] = args
    // The value of an option can be a function. But if the argument is a class that the check rejects, the decorator
    // was written without parentheses, and the argument is the decorated class.
    const isValue = typeof first === 'function' && !isStandardContext(second)
    if (!isValue || (isClass(first) && isRefused(first, check))) refuseBare(label, first, second)
    const value = freezeData(args.length === 0 ? true : first)
    const own = option as RouteOption
    const fact: Fact = { kind: 'option', option: own, value, merge, check, isAnywhere }
    return decorator(`${label}()`, {
      ...(on === 'method' ? {} : { class: fact }),
      ...(on === 'class' ? {} : { method: fact }),
    })
  }
  return Object.freeze(Object.assign(option, { optionName: name })) as unknown as RouteOption
}

function isClass(value: object): boolean {
  return /^class\b/.test(Function.prototype.toString.call(value))
}

function isRefused(value: unknown, check: OptionSettings<never>['check']): boolean {
  try {
    const found = check?.(value as never) ?? []
    return found.length > 0
  } catch {
    return true
  }
}

/**
 * Freezes plain objects and arrays, including their contents. Class instances, such as schemas and dates, are not
 * frozen, because their methods may change them.
 */
function freezeData<T>(value: T, seen: Set<unknown> = new Set()): T {
  if (typeof value !== 'object' || value === null || seen.has(value)) return value
  seen.add(value)
  const prototype: unknown = Object.getPrototypeOf(value)
  const isPlain = Array.isArray(value) || prototype === Object.prototype || prototype === null
  if (!isPlain) return value
  Object.freeze(value)
  for (const each of Object.values(value)) freezeData(each, seen)
  return value
}

// biome-ignore lint/suspicious/noExplicitAny: decorators of packages take arguments of any type
type AnyDecorator = (...args: any[]) => unknown

type Composed<TDecorator> = [Exclude<TDecorator, DualClassOrMethodDecorator>] extends [never]
  ? DualClassOrMethodDecorator
  : OfOneKind<Exclude<TDecorator, DualClassOrMethodDecorator>>

/**
 * The type of a combined decorator. A decorator with a more exact type, such as `@Body`, keeps this type, which
 * restricts the request type of the handler.
 */
type OfOneKind<TDecorator> = [TDecorator] extends [DualClassDecorator]
  ? DualClassDecorator
  : [Exclude<TDecorator, DualMethodDecorator>] extends [never]
    ? DualMethodDecorator
    : Exclude<TDecorator, DualMethodDecorator>

/**
 * Combines decorators into one decorator for classes or methods, in both dialects. The result has the same effect as
 * the decorators written one below the other, the first at the top. Use it without parentheses.
 *
 * @param decorators Decorators of the framework or of other packages, and decorators created with `defineOption`.
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
    // A decorator can replace the class or the function. In the legacy dialect, it replaces the method's descriptor.
    const place = args.length === 1 || isStandardContext(args[1]) ? 0 : 2
    const given = args[place]
    for (const decorate of decorators.toReversed()) {
      args[place] = decorate(...args) ?? args[place]
    }
    return args[place] === given ? undefined : args[place]
  }
  return composed as Composed<TDecorators[number]>
}
