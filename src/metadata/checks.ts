import type { DualClassOrMethodDecorator } from '../contracts/decorator.js'
import type { Policy } from '../contracts/policy.js'
import { decorator, refuseBare } from './write.js'

/**
 * Declares that a route uses a policy. Its document then has the refusals (403 and 404), and a success is sent only
 * after the policy has decided about at least one of the actions: otherwise the response is 500. Repeatable: each
 * decorator must be met. A decorator on a class applies to all its routes.
 *
 * @param policy The result of `policy`, or of its `or404`.
 * @param actions The actions that the handler checks. Several: one of them is enough.
 * @throws TypeError if the first argument is not a policy, or the policy has no rule for an action.
 *
 * @example
 * class OrdersController {
 *   @Auth()
 *   @Checks(OrderPolicy, 'read')
 *   @Get(':id')
 *   show(req: Request) {
 *     return OrderPolicy.load(req, 'read', () => orders.find(req.params.id))
 *   }
 * }
 */
export function Checks<TObject, TAction extends string>(
  policy: Policy<TObject, TAction>,
  ...actions: readonly [NoInfer<TAction>, ...NoInfer<TAction>[]]
): DualClassOrMethodDecorator {
  if (typeof policy?.or404 !== 'function' || !Array.isArray(policy.actions)) {
    refuseBare('@Checks', policy, actions[0])
    throw new TypeError('@Checks() needs the result of policy().')
  }
  const unknown = actions.find((action) => !policy.actions.includes(action))
  if (actions.length === 0 || unknown !== undefined) {
    const known = policy.actions.map((action) => `'${action}'`).join(', ')
    const given = unknown === undefined ? 'names no action' : `names '${String(unknown)}'`
    throw new TypeError(`@Checks(${policy.name}) ${given}. The policy has rules for: ${known}.`)
  }
  const fact = { kind: 'checks', check: Object.freeze({ policy, actions }) } as const
  return decorator('@Checks()', { class: fact, method: fact }) as DualClassOrMethodDecorator
}
