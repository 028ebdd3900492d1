import type {
  DualClassDecorator,
  DualClassOrMethodDecorator,
  DualMethodDecorator,
} from './decorator.js'

/** Where the decorator of an option may be: on a controller, on one of its routes, or on both. */
export type OptionTarget = 'class' | 'method' | 'both'

/** The decorator of an option with this target, in both dialects. */
export type OptionDecorator<TTarget extends OptionTarget> = TTarget extends 'class'
  ? DualClassDecorator
  : TTarget extends 'method'
    ? DualMethodDecorator
    : DualClassOrMethodDecorator

/**
 * An option of routes that is not the framework's own: a decorator, and the key by which `route.option` finds its
 * value. `defineOption` creates it.
 *
 * @typeParam TValue The argument of the decorator; `true` for a decorator without an argument.
 * @typeParam TFound The type of `route.option(…)`: `TValue`, or a list of it.
 * @typeParam TTarget Where the decorator may be.
 */
export interface RouteOption<
  TValue = unknown,
  TFound = TValue,
  TTarget extends OptionTarget = OptionTarget,
> {
  /** Creates the decorator. */
  (...value: [TValue] extends [true] ? [] : [value: TValue]): OptionDecorator<TTarget>
  /** The name that `defineOption` was given. It does not identify the option. */
  readonly optionName: string
  /** Never set. The compiler infers the type of `route.option(…)` from it. */
  readonly found?: TFound
}

/** How `defineOption` treats the decorators of an option. */
export interface OptionSettings<TValue, TTarget extends OptionTarget = OptionTarget> {
  /** Where the decorator may be. Default `'both'`. */
  readonly on?: TTarget
  /**
   * `'override'`: the value on a method replaces the value on its class, and each may have one. `'list'`: a route has
   * the values of its class, then the values of the method. Default `'override'`.
   */
  readonly merge?: 'override' | 'list'
  /**
   * Returns the mistake of a value as a sentence, or `undefined`. Boot reports the sentence as `E_OPTION_INVALID`.
   * Default: every value is accepted.
   */
  readonly check?: (value: TValue) => string | undefined
  /**
   * Whether the decorator may be on any class of the container and on any of its methods, and not only on controllers
   * and routes. A plugin finds such places by `find`. Default `false`.
   */
  readonly anywhere?: boolean
}

/** A class of the container, or one of its methods, that has an option. */
export interface Decorated<TFound = unknown> {
  /** The constructed instance of the class. */
  readonly instance: object
  /** The name of the module that lists the class; `null` without a module, or if the module has no name. */
  readonly module: string | null
  /** The decorated method; `null` if the class itself has the option. */
  readonly method: PropertyKey | null
  /** The value of the option; merged with the value of the class for a method. */
  readonly value: TFound
  /** Calls the method on its instance. Throws a `TypeError` for a class. */
  readonly call: (...args: readonly unknown[]) => unknown
}

/** The value of an option, as data for tools. */
export interface OptionValue {
  /** The name of the option. */
  readonly name: string
  /** The value, frozen; a list of values if the option is a list. */
  readonly value: unknown
}
