import type { WrongReturn } from './decorator.js'
import type { AuthenticatedRequest, NextFunction, Response, RouteRequest } from './handler.js'
import type { NoOthers, RouteOptions } from './route-options.js'
import type { InferOutput, Schema } from './schema.js'

// These are interfaces instead of type literals, because the compiler would instantiate a literal for every route.
interface WithAbilities {
  readonly can: string | readonly string[]
}

interface WithReturns {
  readonly returns: Schema
}

type NoOptions = Record<never, never>

/** The request of a field route, with the parts that its options declare. With `can`, the request always has a user. */
type FieldRequest<I extends RouteOptions> = I extends WithAbilities
  ? RouteRequest<I> & Pick<AuthenticatedRequest, 'user'>
  : RouteRequest<I>

/** The data that a handler returns, except an async iterable, which is streamed. */
type Data<R> = Exclude<Awaited<R>, AsyncIterable<unknown>>

/**
 * The type that a handler returns, if it matches the option `returns`, or if it is the response object, as in a handler
 * that sends its response itself. Any other return type becomes an error message, which the compiler prints at the
 * returned value.
 */
type Returns<I extends RouteOptions, R> = I extends WithReturns
  ? [R] extends [InferOutput<I['returns']>]
    ? R
    : ReturnsData<InferOutput<I['returns']>, R>
  : R

type ReturnsData<S, R> = [Data<R>] extends [S | Response] ? R : WrongReturn<Data<R>, S>

/** The handler of a field route, which a test can call directly. */
export type RouteField<TRequest, TReturned> = (
  req: TRequest,
  res?: Response,
  next?: NextFunction,
) => TReturned

/**
 * The signature of `get`, `post` and the other functions that turn a field into a route: a path relative to the
 * controller's path, optional {@link RouteOptions}, and the handler. The compiler infers the request of the handler
 * from the options, and checks the return type of the handler against `returns`.
 */
export interface FieldVerb {
  <R>(
    path: string,
    handler: (req: RouteRequest<NoOptions>, res: Response, next: NextFunction) => R,
  ): RouteField<RouteRequest<NoOptions>, R>
  <const I extends RouteOptions, R>(
    path: string,
    options: I & NoOthers<I>,
    handler: (req: FieldRequest<I>, res: Response, next: NextFunction) => Returns<I, R>,
  ): RouteField<FieldRequest<I>, R>
}
