import type { Request as ExpressRequest, Response as ExpressResponse, NextFunction } from 'express'
import type {
  BodyDescription,
  BodyOutput,
  CookiesDescription,
  UploadOutput,
  UploadParts,
} from './inputs.js'
import type { PagedRequest, Pages } from './pages.js'
import type { InferOutput, Schema } from './schema.js'

export type { NextFunction }

/** The response of Express 5, with all its methods. */
export type Response = ExpressResponse

/**
 * A user, which a guard sets as `req.user`. `@Can` reads roles and permissions; an application declares its own fields
 * by declaration merging. Fields without a declaration are `any`.
 *
 * @example
 * declare module 'blazon' {
 *   interface User {
 *     readonly id: number
 *   }
 * }
 */
export interface User {
  /** Roles of the user. `@Can` accepts an ability that is in the list. */
  readonly roles?: readonly string[]
  /** Permissions of the user. `@Can` accepts an ability that is in the list. */
  readonly permissions?: readonly string[]
  // A guard may set an ID and other fields that are not declared. If their type were `unknown`, a class instance would
  // not be assignable.
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly [field: string]: any
}

/** The type that the application, or a package such as passport, declares for `user` in Express' request. */
type DeclaredUser = ExpressRequest extends { user?: infer U } ? U : object | undefined

type WithUserFields<U> = U extends object ? User & U : U

/**
 * The type of `req.user`: `User | undefined`. If the application, or a package such as passport, declares
 * `Express.Request.user`, the fields of that declaration are added. If that declaration is `any`, the type is `any`.
 *
 * @example
 * declare global {
 *   namespace Express {
 *     interface Request {
 *       user?: { readonly email: string }
 *     }
 *   }
 * }
 */
export type RequestUser = WithUserFields<DeclaredUser>

interface WithId<I> {
  /** The ID that another package declares. */
  readonly id?: I
}

/**
 * The type of `req.id`: `string`. If a package declares `id` in Express' request with a type that does not include
 * `string`, that type applies.
 */
export type RequestId = 'id' extends keyof ExpressRequest
  ? ExpressRequest extends WithId<infer I>
    ? string extends I
      ? string
      : I
    : string
  : string

interface WithCan<C> {
  /** The member that another package declares. */
  readonly can?: C
}

/** The type of `req.can`: if a package declares `can` in Express' request, the package's type, otherwise a function. */
export type RequestCan = 'can' extends keyof ExpressRequest
  ? ExpressRequest extends WithCan<infer C>
    ? C
    : never
  : (ability: string, object: unknown) => Promise<boolean>

/** The parts of a request after validation; a part without a schema is `undefined`. */
// biome-ignore lint/suspicious/noExplicitAny: most code does not specify the type of the cookies
export interface Validated<TParams, TBody, TQuery, THeaders, TCookies = any> {
  /** The path's parameters. */
  readonly params: TParams
  /** The body. */
  readonly body: TBody
  /** The query. */
  readonly query: TQuery
  /** The headers that the schema describes; their names are in lower case. */
  readonly headers: THeaders
  /** The cookies that the schema describes. */
  readonly cookies: TCookies
}

/** The common part of {@link Request} and {@link Req}, which differ only in the type of `validated`. */
export interface ValidatedRequest<TParams, TBody, TQuery, TValidated>
  extends ExpressRequest<TParams, unknown, TBody, TQuery> {
  /** The validated inputs, after coercion and defaults. */
  validated: TValidated
  /**
   * The ID of the request, for logs and for the client. It is determined when it is first read: with `trustRequestId`,
   * it is the client's valid `X-Request-Id`; otherwise, it is a random UUID. A middleware can assign another ID.
   */
  id: RequestId
  /**
   * The framework aborts this signal when the client disconnects, or when the handler timeout or the `maxAge` of a
   * stream has passed. When the application closes, the framework aborts it with an `AppClosingError`: immediately if
   * the response has begun, otherwise shortly before `timeouts.close` has passed.
   */
  readonly signal: AbortSignal
  /**
   * Resolves to `true` if the user is allowed to perform an action on an object. `order:read` is the action `read` of
   * the policy `order`, which `@Checks` declares on the route. The policy's own method `can` does the same, and the
   * compiler checks the action.
   *
   * @throws Error (500) if the policy throws, or the route does not declare it.
   */
  can: RequestCan
  /**
   * The user, set by the guard. `undefined` on a public route, and on a route with optional auth for a request
   * without credentials. `Req<{ auth: true }>` has a user that is never `undefined`.
   */
  user?: RequestUser
}

/**
 * The request of a handler that a guard protects: the type of {@link Req} with `auth: true`. Without type arguments,
 * its inputs are `any`, as in {@link Request}.
 */
export interface AuthenticatedRequest<
  // biome-ignore-start lint/suspicious/noExplicitAny: as Request
  TParams = any,
  TBody = any,
  TQuery = any,
  TValidated = Validated<any, any, any, any>,
  // biome-ignore-end lint/suspicious/noExplicitAny: as above
> extends ValidatedRequest<TParams, TBody, TQuery, TValidated> {
  /** The user, set by the guard. */
  user: NonNullable<RequestUser>
}

/**
 * The request of a handler that is protected by a guard with a user type: the type of {@link Req} with `auth: typeof
 * guard`.
 */
export interface GuardedRequest<TUser, TParams, TBody, TQuery, TValidated>
  extends Omit<ValidatedRequest<TParams, TBody, TQuery, TValidated>, 'user'> {
  /** The user, set by the guard. */
  user: TUser
}

/** A guard that can describe the type of its user. */
export interface TypedGuard {
  // biome-ignore lint/suspicious/noExplicitAny: any guard, whatever its request
  canActivate(req: any, route?: any): boolean | Promise<boolean>
  /** The type of `req.user` on routes that the guard protects. */
  readonly '~user'?: unknown
}

/**
 * The user type of a guard, or the union of the user types of several guards. For a guard without a user type, the
 * result is the user type of `auth: true`.
 */
export type UserOf<TGuard> = TGuard extends { readonly '~user'?: infer TUser }
  ? unknown extends TUser
    ? NonNullable<RequestUser>
    : NonNullable<TUser>
  : NonNullable<RequestUser>

/**
 * The Express 5 request with the framework's additions: validated inputs, the matched route and an abort signal.
 * Validated values also replace `req.body`, `req.params`, `req.query` and `req.cookies`.
 */
export type Request<
  // biome-ignore-start lint/suspicious/noExplicitAny: Express' own default for parts without a type
  TParams = any,
  TBody = any,
  TQuery = any,
  THeaders = any,
  TCookies = any,
  // biome-ignore-end lint/suspicious/noExplicitAny: as above
> = ValidatedRequest<TParams, TBody, TQuery, Validated<TParams, TBody, TQuery, THeaders, TCookies>>

/** The schemas of a handler's inputs, as its decorators or the route options declare them. */
export interface InputSchemas {
  /** The schema of the path's parameters. */
  readonly params?: Schema
  /** The schema of a JSON body, or the description of one or several bodies of other types. */
  readonly body?: Schema | BodyDescription | readonly BodyDescription[]
  /** The schema of the query. */
  readonly query?: Schema
  /** The schema of the headers; names are in lower case. */
  readonly headers?: Schema
  /** The schema of the cookies, or a description in which some cookies are signed. */
  readonly cookies?: Schema | CookiesDescription
  /** The parts of a form with files, as in `@Upload`. Set this field instead of `body`. */
  readonly upload?: UploadParts
}

/** The inputs of {@link Req}: the schemas of a handler's inputs, and whether there is always a user. */
export interface RequestInputs extends InputSchemas {
  /**
   * `true`: a guard that sets `req.user` always runs before the handler, so `req.user` is never `undefined`. The field
   * affects only the type; `@Auth()`, `@Can()` or `auth.default` protects the route. `typeof guard`: the user has the
   * type that this guard describes; `typeof user | typeof partner` for a route that accepts several guards.
   */
  readonly auth?: true | TypedGuard
}

type OutputOr<S, TDefault> = S extends Schema ? InferOutput<S> : TDefault

/** The body type of a form with files; otherwise `TBody`. */
type FormOr<TInputs, TBody> = TInputs extends { readonly upload: infer P extends UploadParts }
  ? UploadOutput<P>
  : TBody

type ParamsOf<TInputs extends InputSchemas> = OutputOr<TInputs['params'], Record<string, string>>

// biome-ignore-start lint/suspicious/noExplicitAny: an undeclared part is as untyped as in Express
type BodyOf<TInputs extends InputSchemas> = FormOr<TInputs, BodyOutput<TInputs['body'], any>>

type QueryOf<TInputs extends InputSchemas> = OutputOr<TInputs['query'], any>
// biome-ignore-end lint/suspicious/noExplicitAny: as above

type ValidatedOf<TInputs extends InputSchemas> = Validated<
  OutputOr<TInputs['params'], undefined>,
  FormOr<TInputs, BodyOutput<TInputs['body'], undefined>>,
  OutputOr<TInputs['query'], undefined>,
  OutputOr<TInputs['headers'], undefined>,
  BodyOutput<TInputs['cookies'], undefined>
>

/**
 * The request of a handler, typed from the schemas on its decorators. If the type lacks a part that a decorator
 * declares, or names it differently, a compile error occurs. With `auth: true`, for handlers of protected routes,
 * `req.user` is never `undefined`. With `auth: typeof guard`, the user has the type that this guard describes. The
 * compiler does not check whether the route is protected, or by which guard.
 *
 * @example
 * @Auth()
 * @Post()
 * @Body(CreateNote)
 * create(req: Req<{ auth: true; body: typeof CreateNote }>, res: Response) {
 *   return this.ok(res, 'Note created', notes.add(req.user.id, req.body), 201)
 * }
 */
export type Req<TInputs extends RequestInputs = Record<never, never>> = TInputs extends {
  readonly auth: true
}
  ? AuthenticatedRequest<ParamsOf<TInputs>, BodyOf<TInputs>, QueryOf<TInputs>, ValidatedOf<TInputs>>
  : TInputs extends { readonly auth: infer TGuard extends TypedGuard }
    ? GuardedRequest<
        UserOf<TGuard>,
        ParamsOf<TInputs>,
        BodyOf<TInputs>,
        QueryOf<TInputs>,
        ValidatedOf<TInputs>
      >
    : ValidatedRequest<ParamsOf<TInputs>, BodyOf<TInputs>, QueryOf<TInputs>, ValidatedOf<TInputs>>

// This is an interface instead of a type literal, because the compiler would instantiate a literal for every route.
interface WithPages {
  // biome-ignore lint/suspicious/noExplicitAny: pages of any list
  readonly paged: Pages<any>
}

/**
 * The request of a handler whose route declares `TInputs` in its options. A part that is not declared has the type
 * `unknown`, not `any` as in {@link Req}: because all schemas are in one place, a part without a schema is certainly
 * not validated.
 */
export type RouteRequest<TInputs extends InputSchemas> = TInputs extends WithPages
  ? PartsRequest<TInputs & Pick<TInputs['paged'], 'query'>> & PagedRequest<TInputs['paged']>
  : PartsRequest<TInputs>

type PartsRequest<TInputs extends InputSchemas> = ValidatedRequest<
  ParamsOf<TInputs>,
  FormOr<TInputs, BodyOutput<TInputs['body'], unknown>>,
  // biome-ignore lint/suspicious/noExplicitAny: the type must be assignable to the query type of Express' own request
  OutputOr<TInputs['query'], Record<string, any>>,
  ValidatedOf<TInputs>
>

/**
 * A function that receives the request of a route. It is declared as a method, so that the compiler accepts a narrower
 * parameter type, such as {@link Req} with a user: only the route determines whether there is a user.
 */
export type OfRequest<T> = { read(req: Request): T }['read']

/** Any Express middleware: `(req, res, next)`. */
// biome-ignore lint/suspicious/noExplicitAny: packages declare many types for `req` and `res`, and all of them work
export type RequestHandler = (req: any, res: any, next: NextFunction) => unknown

/** An Express error middleware. Express recognizes it by its four parameters. */
export type ErrorRequestHandler = (
  // biome-ignore-start lint/suspicious/noExplicitAny: as RequestHandler
  error: any,
  req: any,
  res: any,
  // biome-ignore-end lint/suspicious/noExplicitAny: as above
  next: NextFunction,
) => unknown

/**
 * An entry of `middlewares`: a {@link RequestHandler}, an {@link ErrorRequestHandler}, an `express.Router()`, or a
 * whole `express()` application. It is a single signature, because TypeScript does not infer the parameter types of an
 * inline function from a union of signatures.
 */
// biome-ignore lint/suspicious/noExplicitAny: as RequestHandler
export type Middleware = (first: any, second: any, third: any, fourth: any) => unknown

/** Middlewares, and nested lists of middlewares. Lists are flattened to any depth, as `app.use` of Express does. */
export type MiddlewareList = readonly (Middleware | MiddlewareList)[]

/**
 * A controller method. The decorators of its inputs determine the type of its request. The method responds through
 * `res`, or returns a value (or a promise of a value), which is sent in the envelope.
 */
export type Handler<TRequest extends Request = Request> = (
  req: TRequest,
  res: Response,
  next: NextFunction,
) => unknown
