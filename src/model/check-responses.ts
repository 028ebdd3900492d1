import type { RouteModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { hidesParameters } from './hides-parameters.js'

/**
 * Finds documented success statuses that a handler can never send. A handler that does not use the response object
 * sends the returned value with the status of `@HttpCode` or `defaultStatus`. Without either, the status is 200, or 204
 * if there is no value.
 */
export function checkResponses(route: RouteModel): Problem[] {
  const { name, status, redirect, operation } = route
  const possible = status === null ? [200, 204] : [status]
  if (redirect !== null) possible.push(redirect.status)
  // A response with a part of a file has the status 206.
  if (operation.responses.some(({ content }) => content !== undefined)) possible.push(206)
  const others = operation.responses.filter(
    (response) =>
      response.status >= 200 && response.status < 300 && !possible.includes(response.status),
  )
  // This condition comes last, because it reads the handler's source text.
  if (others.length === 0 || mayRespondItself(route)) return []
  return others.map((documented) => ({
    code: 'W_STATUS_UNREACHABLE',
    subject: name,
    cause: `@ApiResponseDoc documents ${documented.status}, but the value that this handler returns is sent with ${possible.join(' or ')}.`,
    remedy: `Add @HttpCode(${documented.status}), document ${possible[0]}, or take \`res\` and send the response yourself.`,
  }))
}

/** Whether a handler has access to the response object, according to its parameters. */
function mayRespondItself({ stack, parameters }: RouteModel): boolean {
  if (parameters !== null) return parameters.some(({ source }) => source === 'res')
  const method = stack[0]?.handle
  return typeof method !== 'function' || method.length >= 2 || hidesParameters(method as never)
}

/** Statuses whose responses have no body (RFC 9110, 15.3.5, 15.3.6 and 15.4.5). */
const WITHOUT_BODY = [204, 205, 304]

/**
 * Finds declarations that contradict `returns`: a second description of the same status, or a status without a body.
 * `returns` is always the first description of a route.
 */
export function checkReturned({ name, operation }: RouteModel): Problem[] {
  const [first, ...others] = operation.responses
  const status = first?.status ?? 200
  const causes = [
    ...(others.some((other) => other.status === status)
      ? [
          `\`returns\` and @ApiResponseDoc both describe the status ${status}, but only one of them can.`,
        ]
      : []),
    ...(WITHOUT_BODY.includes(status)
      ? [`\`returns\` describes data, but a response with the status ${status} has no body.`]
      : []),
  ]
  return causes.map((cause) => ({
    code: 'E_DECORATOR_CONFLICT',
    subject: name,
    cause,
    remedy: 'Remove `returns`, or the declaration that contradicts it.',
  }))
}
