import type { DualMethodDecorator, ValueDecorator } from './decorator.js'
import type { Request } from './handler.js'
import type { Schema } from './schema.js'

/** The place of a parameter in a request, as the document names it. */
export type ParameterPlace = 'header' | 'query' | 'path'

/** Where the value of `defineParameter` comes from. */
export interface ParameterSettings<S extends Schema = Schema> {
  /** The place in the request. Routes that use the parameter have it in their document. Needs `name`. Default: none. */
  readonly in?: ParameterPlace
  /** The name of the header, query parameter or path parameter. Default: none. */
  readonly name?: string
  /** Validates and converts the value; a request with a wrong one is refused with 400. Needs `in`. Default: none. */
  readonly schema?: S
}

/** The data of a parameter, which its decorator notes. */
export interface ParameterDefinition {
  /** The function that returns the value, or a promise of it. */
  readonly read: (req: Request) => unknown
  /** `null` if the value is not a part of the document. */
  readonly place: {
    /** The place in the request. */
    readonly in: ParameterPlace
    /** The name there; for a header in lower case. */
    readonly name: string
  } | null
  /** The schema of the value; `null` without one. */
  readonly schema: Schema | null
  /** The value for each request. */
  readonly values: WeakMap<object, unknown>
}

/** A parameter of handlers that is not the framework's own. `defineParameter` creates it. */
export interface RouteParameter<TValue> {
  /** Creates the decorator: for a handler parameter (legacy dialect), or for a method (both dialects). */
  (): DualMethodDecorator & ValueDecorator<TValue>
  /**
   * Returns the value of a request.
   *
   * @throws TypeError if the route does not have the decorator, unless the function is synchronous and has no `in`.
   */
  readonly of: (req: object) => TValue
}
