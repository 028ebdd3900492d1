import type { NextFunction, Response } from '../../contracts/handler.js'
import type { Interceptor } from '../../contracts/interceptor.js'
import type { ParameterModel, ParameterSource } from '../../contracts/route-model.js'
import { refuse } from '../../errors/refuse.js'
import type { BlazonRequest, RequestClass } from '../../http/request.js'
import type { RequestScopes } from '../../http/request-scopes.js'
import { kIsExpired, kNext, kTenantScope } from '../../http/symbol-fields.js'
import { hidesParameters } from '../../model/hides-parameters.js'
import { ownValue } from '../../schema/keyed-validator.js'
import { Refusal, throwRefusal } from '../../step/refusal.js'
import {
  isThenable,
  type OnError,
  type Step,
  type StepFactory,
  whenSettled,
} from '../../step/step.js'
import { isNextError } from '../middleware-errors.js'
import type { CompiledStream } from '../streams/compile-stream.js'

/**
 * Runs an interceptor around the handler. The interceptor may await something and then continue in another async
 * context. For this reason, the request enters its scope again before the handler. If the request has ended in the
 * meantime, the handler does not run.
 *
 * @param scopes `null` if requests have no scopes.
 */
export function interceptStage(
  interceptor: Interceptor,
  scopes: RequestScopes | null,
): StepFactory {
  return (next) =>
    function runIntercepted(req, res) {
      const run = () => (req[kIsExpired] ? res : throwRefusal(next(req, res)))
      const proceed = scopes === null ? run : () => scopes.keep(req, run)
      return interceptor.intercept(req, proceed, res)
    }
}

/**
 * Requests the first item of the handler's generator. This step is inside all code that wraps the handler, such as
 * interceptors and the request's transaction, so this code also wraps the first item.
 */
export function streamStage({ isAccepted, open }: CompiledStream): StepFactory {
  return (next) =>
    function stream(req, res) {
      if (!isAccepted(req)) {
        return new Refusal(refuse('NOT_ACCEPTABLE', 'The client accepts no format of this stream'))
      }
      const value = next(req, res)
      if (!isThenable(value)) return open(value, req, res)
      return whenSettled(value, (settled) => open(settled, req, res))
    }
}

type Method = (...args: unknown[]) => unknown

/** The method that handles a route's requests, and the way to call it. */
export interface Invocation {
  readonly instance: object
  readonly method: Method
  /** The decorated parameters; `null` if the handler is called as `(req, res, next)`. */
  readonly parameters: readonly ParameterModel[] | null
  readonly onError: OnError
}

/** Calls the handler with its decorated parameters, or as `(req, res, next)`. This is the last step. */
export function handlerStage(invocation: Invocation): StepFactory {
  return () => invokeStep(invocation)
}

function invokeStep({ instance, method, parameters, onError }: Invocation): Step {
  if (parameters !== null) return invokeWithParameters(instance, method, parameters)
  if (hidesParameters(method)) {
    return function invokeWrapped(req, res) {
      const value = method.call(instance, req, res, nextOf(req, res, onError))
      // The wrapped function may send its response in a callback, so the response may be sent later.
      return value === undefined ? res : value
    }
  }
  if (method.length < 3) {
    return function invoke(req, res) {
      return method.call(instance, req, res)
    }
  }
  return function invokeWithNext(req, res) {
    return method.call(instance, req, res, nextOf(req, res, onError))
  }
}

/**
 * Stops a request that has ended, because of the handler timeout or a late error, while it was waiting for a guard, the
 * body or a schema.
 */
export const unexpiredStage: StepFactory = (next) =>
  function runUnexpired(req, res) {
    return req[kIsExpired] ? res : next(req, res)
  }

/** Whether a handler can send a response itself after it has returned `undefined`. */
export function takesResponse({
  method,
  parameters,
}: Pick<Invocation, 'method' | 'parameters'>): boolean {
  return parameters === null
    ? method.length >= 2
    : parameters.some(({ source }) => source === 'res')
}

function invokeWithParameters(
  instance: object,
  method: Method,
  parameters: readonly ParameterModel[],
): Step {
  const last = parameters.at(-1)?.index ?? -1
  const readers = Array.from({ length: last + 1 }, (_, index) => {
    const parameter = parameters.find((each) => each.index === index)
    return parameter === undefined ? null : readerOf(parameter)
  })
  return function invoke(req, res) {
    return method.apply(
      instance,
      readers.map((read) => read?.(req, res)),
    )
  }
}

type Read = (req: BlazonRequest, res: Response) => unknown

function readerOf({ source, key, definition }: ParameterModel): Read {
  if (definition !== null) return (req) => definition.values.get(req)
  const read = READERS[source]
  if (key !== null && source === 'headers') return (req) => headerOf(req, key)
  return key === null ? read : (req, res) => ownValue(read(req, res), key)
}

/** Reads a header by its lower-case name. In the schema for all headers, the name may contain upper-case letters. */
function headerOf({ validated, headers }: BlazonRequest, key: string): unknown {
  const value = ownValue(validated.headers ?? headers, key)
  if (value !== undefined || validated.headers === undefined) return value
  const name = Object.keys(Object(validated.headers)).find((each) => each.toLowerCase() === key)
  return name === undefined ? undefined : ownValue(validated.headers, name)
}

const READERS: Record<ParameterSource, Read> = {
  body: (req) => req.body,
  params: (req) => req.params,
  query: (req) => req.query,
  headers: (req) => req.validated.headers ?? req.headers,
  cookies: (req) => req.cookies,
  req: (req) => req,
  res: (_req, res) => res,
  user: (req) => req.user,
  tenant: (req) => req[kTenantScope]?.id,
  defined: () => undefined,
}

/** Creates the `next` function for a handler. Calling `next()` without an error results in a 404 response. */
export function nextOf(req: BlazonRequest, res: Response, onError: OnError): NextFunction {
  return (error?: unknown) => {
    onError(isNextError(error) ? error : refuse('NOT_FOUND'), req, res)
  }
}

/**
 * Defines `req.next` for every request. The function is created when it is first used. `res.sendFile`, `res.render` and
 * `res.format` pass their errors to `req.next`. Without it, a route whose file is missing would never respond.
 */
export function defineRequestNext(Request: RequestClass, onError: OnError): void {
  Object.defineProperty(Request.prototype, 'next', {
    configurable: true,
    enumerable: true,
    get(this: BlazonRequest) {
      this[kNext] ??= nextOf(this, this.res, onError)
      return this[kNext]
    },
    set(this: BlazonRequest, next: NextFunction | undefined) {
      this[kNext] = next
    },
  })
}
