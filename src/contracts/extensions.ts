import type {
  DualClassDecorator,
  DualClassOrMethodDecorator,
  DualMethodDecorator,
  ValueDecorator,
} from './decorator.js'
import type { Request } from './handler.js'
import type { Schema } from './schema.js'

/** The targets of an option's decorator: controllers, routes, or both. */
export type OptionTarget = 'class' | 'method' | 'both'

/** The decorator of an option with this target, in both dialects. */
export type OptionDecorator<TTarget extends OptionTarget> = TTarget extends 'class'
  ? DualClassDecorator
  : TTarget extends 'method'
    ? DualMethodDecorator
    : DualClassOrMethodDecorator

/**
 * A custom route option, created by `defineOption`: a decorator, and the key by which `route.option` finds its value.
 *
 * @typeParam TValue The argument of the decorator; `true` for a decorator without an argument.
 * @typeParam TFound The type of `route.option(…)`: `TValue`, or a list of `TValue`.
 * @typeParam TTarget The targets that the decorator accepts.
 */
export interface RouteOption<
  TValue = unknown,
  TFound = TValue,
  TTarget extends OptionTarget = OptionTarget,
> {
  /** Creates the decorator. */
  (...value: [TValue] extends [true] ? [] : [value: TValue]): OptionDecorator<TTarget>
  /** The name that was passed to `defineOption`. Several options can have the same name. */
  readonly optionName: string
  /** Never set. The compiler infers the type of `route.option(…)` from this member. */
  readonly found?: TFound
}

/** An error in the value of an option. */
export interface OptionMistake {
  /** The name of the invalid member. If omitted, the error concerns the whole value. */
  readonly subject?: string
  /** A code from `docs/errors.md`; codes of warnings begin with `W_`. Default `'E_OPTION_INVALID'`. */
  readonly code?: string
  /** The cause, as a sentence. */
  readonly cause: string
  /** The remedy, as a sentence. */
  readonly remedy: string
}

/** How `defineOption` handles the decorators of an option. */
export interface OptionSettings<TValue, TTarget extends OptionTarget = OptionTarget> {
  /** The targets that the decorator accepts. Default `'both'`. */
  readonly on?: TTarget
  /**
   * `'override'`: the value on a method replaces the value on its class; the class and the method can each have only
   * one value. `'list'`: a route has the values of its class, then the values of the method. Default `'override'`.
   */
  readonly merge?: 'override' | 'list'
  /**
   * Returns a sentence that describes the error in the value, or a list of errors; `undefined` or an empty list if the
   * value is valid. Boot reports a sentence as `E_OPTION_INVALID`. If omitted, every value is accepted.
   */
  readonly check?: (value: TValue) => string | readonly OptionMistake[] | undefined
  /**
   * Whether the decorator is allowed on all classes in the container and on their methods, and not only on controllers
   * and routes. A plugin finds the decorated classes and methods with `find`. Default `false`.
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
  /** The value of the option. For a method, it is merged with the value of the class. */
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
  /** Whether the value comes only from the controller; `false` if the method has the decorator. */
  readonly isOfClass: boolean
}

/** The location of a parameter in a request, in OpenAPI's terms. */
export type ParameterPlace = 'header' | 'query' | 'path'

/** Describes the source of a `defineParameter` value. */
export interface ParameterSettings<S extends Schema = Schema> {
  /**
   * The part of the request that contains the value. The OpenAPI document then describes the value. Requires `name`.
   * Default: none.
   */
  readonly in?: ParameterPlace
  /** The name of the header, query parameter or path parameter. Default: none. */
  readonly name?: string
  /** Validates and converts the value; an invalid value results in a 400 response. Requires `in`. Default: none. */
  readonly schema?: S
}

/** The data of a parameter, which its decorator stores. */
export interface ParameterDefinition {
  /** The function that returns the value, or a promise of the value. */
  readonly read: (req: Request) => unknown
  /** The location in the request; `null` if the OpenAPI document does not describe the value. */
  readonly place: {
    /** The part of the request. */
    readonly in: ParameterPlace
    /** The name in that part; header names are in lower case. */
    readonly name: string
  } | null
  /** The schema of the value; `null` if there is none. */
  readonly schema: Schema | null
  /** The value for each request. */
  readonly values: WeakMap<object, unknown>
}

/** A custom parameter of handlers, created by `defineParameter`. */
export interface RouteParameter<TValue> {
  /** Creates the decorator: for a handler parameter (legacy dialect), or for a method (both dialects). */
  (): DualMethodDecorator & ValueDecorator<TValue>
  /**
   * Returns the value of a request.
   *
   * @throws TypeError if the route does not have the decorator, or the handler has not started. A synchronous function
   * without `in` never causes this error.
   */
  readonly of: (req: object) => TValue
}
