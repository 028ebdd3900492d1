import type { Response } from '../../contracts/handler.js'
import type { Plugin } from '../../contracts/plugin.js'
import type { CheckModel } from '../../contracts/policy.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { StepFactory } from '../../contracts/steps.js'
import { holdResponse } from '../../http/send/hold-response.js'
import { isThenable, whenSettled } from '../../step/step.js'
import { checksOf } from './checks.js'
import { uncheckedOf } from './noted-checks.js'

/**
 * Ensures that a `@Checks` route sends a success response only after its policies have decided. The framework loads
 * this plugin if an application has such a route.
 */
export const policiesPlugin: Plugin = {
  name: 'policies',
  steps(route, { fail }) {
    const checks = checksOf(route)
    if (checks.length === 0) return null
    const verify = (req: object, status: number): void => {
      const forgotten = status < 400 ? uncheckedOf(req, checks) : undefined
      if (forgotten !== undefined) throw unchecked(route, forgotten)
    }
    const beforeHandler: StepFactory = (next) =>
      function requireChecks(req, res) {
        holdResponse(res, {
          before: async (status) => verify(req, status),
          refused: (error) => fail(error, req, res),
        })
        const result = next(req, res)
        // A stream's items are created later, so they are not verified here. For any other value, an error at this
        // point still rolls back the transaction.
        if (route.stream !== null) return result
        const verified = (value: unknown) => {
          if (!hasResponded(value, res)) verify(req, res.statusCode)
          return value
        }
        return isThenable(result) ? whenSettled(result, verified) : verified(result)
      }
    return { beforeHandler }
  },
}

/** Whether a handler has sent a response itself, or may still do so in a callback. */
function hasResponded(value: unknown, res: Response): boolean {
  return value === undefined || value === res || res.headersSent
}

function unchecked({ name }: RouteModel, { policy, actions }: CheckModel): Error {
  const action = actions.map((each) => `'${each}'`).join(' or ')
  return new Error(
    `${name} has @Checks(${policy.name}, ${action}) but responded without this check, so the response was not sent. ` +
      `Load the object with the policy: load(req, ${action}, () => …); or remove @Checks.`,
  )
}
