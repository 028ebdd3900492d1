import type { CacheDecoratorOptions } from './cache.js'
import type { WrongReturn } from './decorator.js'
import type {
  AuthenticatedRequest,
  InputSchemas,
  NextFunction,
  Response,
  RouteRequest,
} from './handler.js'
import type { ApiResponseOptions } from './operation.js'
import type { Pages } from './pages.js'
import type { RateLimitPolicy } from './rate-limit.js'
import type { InferOutput, Schema } from './schema.js'

/**
 * The second argument of `@Get`, `@Post` and the other route decorators: the schemas of the request, and what else a
 * decorator of the method could state. An option means the same as its decorator; each may be stated once.
 *
 * @example
 * @Get(':id', { params: NoteId, returns: Note, errors: { 404: 'No such note' } })
 * get({ params }: { params: NoteId }) { return notes.find(params.id) }
 */
export interface RouteOptions extends InputSchemas {
  /**
   * The schema of the data that a success carries, as in `@ApiResponseDoc` with the status of the route. The type that
   * the handler returns must fit it, or it does not compile. A handler that takes `res` is not compared.
   */
  readonly returns?: Schema
  /** The pages of a list, as in `@Paged`: the result of `cursor` or of `page`. */
  // biome-ignore lint/suspicious/noExplicitAny: pages of any list
  readonly paged?: Pages<any>
  /** The status of a success, 200 to 399, as in `@HttpCode`. Default: 200, or 204 for nothing, unless `defaultStatus` has another one. */
  readonly status?: number
  /** The errors of the document by status, 400 to 599: a description, or the options of `@ApiResponseDoc`. */
  readonly errors?: Readonly<Record<number, string | Omit<ApiResponseOptions, 'status'>>>
  /** Headers of the response by name, as in `@Header`. `headers` is the schema of the request's headers. */
  readonly responseHeaders?: Readonly<Record<string, string>>
  /** The summary of the operation, as in `@ApiOperation`. Default: the method's name in Title Case. */
  readonly summary?: string
  /** The abilities that the user must have, all of them, as in `@Can`. */
  readonly can?: string | readonly string[]
  /** How long successes are cached, as in `@Cache`. */
  readonly cache?: CacheDecoratorOptions
  /** Limits of the route, as in `@RateLimit`; `false` for none. */
  readonly rateLimit?: RateLimitPolicy | readonly RateLimitPolicy[] | false
}

/** Makes an unknown option a compile error. Known ones are `unknown`, because their types would be looked up for every route. */
export type NoOthers<I> = {
  readonly [K in keyof I]: K extends keyof RouteOptions ? unknown : never
}

// Interfaces and not literals, which the compiler would instantiate for every route.
interface WithAbilities {
  readonly can: string | readonly string[]
}

type NoOptions = Record<never, never>

/** The request of a field route: the parts that its options declare. With `can`, there is always a user. */
type FieldRequest<I extends RouteOptions> = I extends WithAbilities
  ? RouteRequest<I> & Pick<AuthenticatedRequest, 'user'>
  : RouteRequest<I>

/** The data that a handler sends by returning it. */
type Data<R> = Exclude<Awaited<R>, AsyncIterable<unknown>>

/**
 * The type that a handler returns, if it fits the option `returns`. A handler that sends its response itself returns the
 * response object. Otherwise a text, which the compiler prints at the returned value.
 */
type Returns<I extends RouteOptions, R> = I extends { readonly returns: infer S }
  ? [Data<R>] extends [InferOutput<S> | Response]
    ? R
    : WrongReturn<Data<R>, InferOutput<S>>
  : R

/** The handler of a field route, with which a test can call it. */
export type RouteField<TRequest, TReturned> = (
  req: TRequest,
  res?: Response,
  next?: NextFunction,
) => TReturned

/**
 * The signature of `get`, `post` and the other functions that make a field a route: a path relative to the controller's
 * path, {@link RouteOptions}, which may be left out, and the handler. The compiler infers the request of the handler from
 * the options, and compares the type that the handler returns with `returns`.
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
