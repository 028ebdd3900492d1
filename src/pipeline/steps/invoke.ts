import type { NextFunction, Response } from '../../contracts/handler.js'
import type { ParameterModel, ParameterSource } from '../../contracts/route-model.js'
import { refuse } from '../../errors/refuse.js'
import { kIsExpired, kTenantScope } from '../../http/own-fields.js'
import type { BlazonRequest } from '../../http/request.js'
import { isError, type OnError, type Step } from '../../http/step.js'
import { hidesParameters } from '../../model/hides-parameters.js'

type Method = (...args: unknown[]) => unknown

/** What is called at the end of the walk. */
export interface Invocation {
  readonly instance: object
  readonly method: Method
  readonly parameters: readonly ParameterModel[] | null
  readonly onError: OnError
}

/** Calls the handler: with its decorated parameters, or as `(req, res, next)`. */
export function invokeStep({ instance, method, parameters, onError }: Invocation): Step {
  if (parameters !== null) return invokeWithParameters(instance, method, parameters)
  if (hidesParameters(method)) {
    return function invokeWrapped(req, res) {
      const value = method.call(instance, req, res, nextOf(req, res, onError))
      // What it wraps may have left the answer to a callback: the response is still to come.
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

/** Keeps a handler from running when a guard, a body or a schema came after the handler timeout, or after a late error. */
export function unexpiredStep(next: Step): Step {
  return function runUnexpired(req, res) {
    return req[kIsExpired] ? res : next(req, res)
  }
}

/** Whether a handler can answer by itself after it has returned nothing. */
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
    const source = parameters.find((parameter) => parameter.index === index)?.source
    return source === undefined ? null : READERS[source]
  })
  return function invoke(req, res) {
    return method.apply(
      instance,
      readers.map((read) => read?.(req, res)),
    )
  }
}

const READERS: Record<ParameterSource, (req: BlazonRequest, res: Response) => unknown> = {
  body: (req) => req.body,
  params: (req) => req.params,
  query: (req) => req.query,
  headers: (req) => req.validated.headers ?? req.headers,
  req: (req) => req,
  res: (_req, res) => res,
  user: (req) => req.user,
  tenant: (req) => req[kTenantScope]?.id,
}

/** A handler that passes the request on without an error has found nothing to answer. */
export function nextOf(req: BlazonRequest, res: Response, onError: OnError): NextFunction {
  return (error?: unknown) => {
    onError(isError(error) ? error : refuse('NOT_FOUND'), req, res)
  }
}
