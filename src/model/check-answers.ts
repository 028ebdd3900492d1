import type { RouteModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { hidesParameters } from './hides-parameters.js'

/**
 * Documented successes that a handler can never answer with: one that takes no response answers with what it returns,
 * and the status of that is `@HttpCode`'s, else 200, or 204 for nothing.
 */
export function checkAnswers(route: RouteModel): Problem[] {
  const { name, status, redirect, operation } = route
  if (mayAnswerItself(route)) return []
  const possible = [
    ...(status === null ? [200, 204] : [status]),
    ...(redirect ? [redirect.status] : []),
  ]
  return operation.responses
    .map((response) => response.status)
    .filter((documented) => documented >= 200 && documented < 300 && !possible.includes(documented))
    .map((documented) => ({
      code: 'W_STATUS_UNREACHABLE',
      subject: name,
      cause: `@ApiResponseDoc documents ${documented}, but what this handler returns is answered with ${possible.join(' or ')}.`,
      remedy: `Add @HttpCode(${documented}), document ${possible[0]}, or take \`res\` and answer yourself.`,
    }))
}

/** Whether a handler gets hold of the response, as far as its parameters tell. */
function mayAnswerItself({ controller, handler, parameters }: RouteModel): boolean {
  if (parameters !== null) return parameters.some(({ source }) => source === 'res')
  const method: unknown = controller.prototype?.[handler]
  return typeof method !== 'function' || method.length >= 2 || hidesParameters(method as never)
}
