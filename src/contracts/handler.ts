import type { Request as ExpressRequest, Response as ExpressResponse, NextFunction } from 'express'
import type { InferOutput, Schema } from './schema.js'

export type { NextFunction }

/** Express 5's response; every method of it works. */
export type Response = ExpressResponse

/** What a guard puts on `req.user`; an application adds its own fields by declaration merging. */
export interface User {
  readonly id?: unknown
  readonly roles?: readonly string[]
  readonly permissions?: readonly string[]
  readonly [field: string]: unknown
}

/** The four parts of a request after validation; a part without a schema is `undefined`. */
export interface Validated<TParams, TBody, TQuery, THeaders> {
  readonly params: TParams
  readonly body: TBody
  readonly query: TQuery
  readonly headers: THeaders
}

/**
 * Express 5's request, plus what the pipeline knows: validated inputs, the matched route and an
 * abort signal. Validated values also replace `req.body`, `req.params` and `req.query`.
 */
export interface Request<
  // biome-ignore-start lint/suspicious/noExplicitAny: Express' own default for parts that nobody typed
  TParams = any,
  TBody = any,
  TQuery = any,
  THeaders = any,
  // biome-ignore-end lint/suspicious/noExplicitAny: as above
> extends ExpressRequest<TParams, unknown, TBody, TQuery> {
  /** Validated, coerced and defaulted inputs. */
  validated: Validated<TParams, TBody, TQuery, THeaders>
  /** Aborted when the client disconnects, and when the handler timeout has passed. */
  readonly signal: AbortSignal
  /** Set by the guard. */
  // biome-ignore lint/suspicious/noExplicitAny: passport and express-session users declare their own
  user?: any
}

/** The schemas of a handler's inputs, as written on its decorators. */
export interface InputSchemas {
  readonly params?: Schema
  readonly body?: Schema
  readonly query?: Schema
  readonly headers?: Schema
}

type OutputOr<S, TDefault> = S extends Schema ? InferOutput<S> : TDefault

/**
 * The request of a handler, typed from the very schemas on its decorators.
 *
 * @example
 * @Post()
 * @Body(CreateUser)
 * create(req: Req<{ body: typeof CreateUser }>, res: Response) {
 *   return this.ok(res, 'User created', req.body, 201)
 * }
 */
export type Req<TInputs extends InputSchemas = Record<never, never>> = Request<
  OutputOr<TInputs['params'], Record<string, string>>,
  // biome-ignore-start lint/suspicious/noExplicitAny: an undeclared part is as untyped as in Express
  OutputOr<TInputs['body'], any>,
  OutputOr<TInputs['query'], any>,
  OutputOr<TInputs['headers'], any>
  // biome-ignore-end lint/suspicious/noExplicitAny: as above
>

/** Any Express middleware: `(req, res, next)`. */
// biome-ignore lint/suspicious/noExplicitAny: packages type `req` and `res` in a dozen ways; all of them run
export type RequestHandler = (req: any, res: any, next: NextFunction) => unknown

/** An Express error middleware, told apart by its four parameters. */
export type ErrorRequestHandler = (
  // biome-ignore-start lint/suspicious/noExplicitAny: as RequestHandler
  error: any,
  req: any,
  res: any,
  // biome-ignore-end lint/suspicious/noExplicitAny: as above
  next: NextFunction,
) => unknown

/**
 * What may stand in `middlewares`: a request handler, an error middleware, an `express.Router()` or a whole
 * `express()` application. One signature, because a union of two gives the parameters of a function that is written
 * in place no type at all, and the compiler rejects it.
 */
// biome-ignore lint/suspicious/noExplicitAny: as RequestHandler
export type Middleware = (...args: any[]) => unknown

/**
 * A controller method as the decorators of its inputs see it. It answers through `res`, or returns a
 * value (or a promise of one) that is put in the envelope.
 */
export type Handler<TRequest extends Request = Request> = (
  req: TRequest,
  res: Response,
  next: NextFunction,
) => unknown
