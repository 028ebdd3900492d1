import type { RouteModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { hidesParameters } from './hides-parameters.js'

/**
 * Finds documented success statuses that a handler can never send: a handler without the response object sends the
 * value that it returns, with the status of `@HttpCode`, or else 200, or 204 for nothing.
 */
export function checkResponses(route: RouteModel): Problem[] {
  const { name, status, redirect, operation } = route
  const possible = status === null ? [200, 204] : [status]
  if (redirect !== null) possible.push(redirect.status)
  // A part of a file.
  if (operation.responses.some(({ content }) => content !== undefined)) possible.push(206)
  const others = operation.responses.filter(
    (response) =>
      response.status >= 200 && response.status < 300 && !possible.includes(response.status),
  )
  // Checked last, because it has to read the source of the handler.
  if (others.length === 0 || mayRespondItself(route)) return []
  return others.map((documented) => ({
    code: 'W_STATUS_UNREACHABLE',
    subject: name,
    cause: `@ApiResponseDoc documents ${documented.status}, but the value that this handler returns is sent with ${possible.join(' or ')}.`,
    remedy: `Add @HttpCode(${documented.status}), document ${possible[0]}, or take \`res\` and send the response yourself.`,
  }))
}

/** Whether a handler can get the response object, as far as its parameters show. */
function mayRespondItself({ controller, handler, parameters }: RouteModel): boolean {
  if (parameters !== null) return parameters.some(({ source }) => source === 'res')
  const method: unknown = controller.prototype?.[handler]
  return typeof method !== 'function' || method.length >= 2 || hidesParameters(method as never)
}

/** Finds another description of the success of a route with `returns`, which is the first one. */
export function checkReturned({ name, operation }: RouteModel): Problem[] {
  const [first, ...others] = operation.responses
  const twice = others.some(({ status }) => status === first?.status)
  if (!twice) return []
  return [
    {
      code: 'E_DECORATOR_CONFLICT',
      subject: name,
      cause: `\`returns\` and @ApiResponseDoc describe the status ${first?.status}; only one can.`,
      remedy: 'Remove one of them.',
    },
  ]
}
