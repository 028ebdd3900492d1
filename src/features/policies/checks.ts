import type { DualClassOrMethodDecorator } from '../../contracts/decorator.js'
import type { CheckModel, Policy, PolicyRequest } from '../../contracts/policy.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { routeOf } from '../../http/request-notes.js'
import { defineOption } from '../../metadata/option.js'

const option = defineOption<CheckModel>('Checks', {
  merge: 'list',
  check: ({ policy }) =>
    isPolicy(policy) ? undefined : 'Its first argument is not the result of policy().',
})

function isPolicy(policy: Partial<CheckModel['policy']> | undefined): boolean {
  return typeof policy?.or404 === 'function' && Array.isArray(policy.actions)
}

/**
 * Declares that a route uses a policy. The document then contains the error responses: 404 and, without `or404`, 403. A
 * success response is sent only after the policy has decided about at least one of the actions; otherwise, the client
 * receives a 500 response. A `check` or `load` that refuses does not count. The decorator can be repeated. Every
 * `@Checks` of a route must then be satisfied. A decorator on a class applies to all of its routes.
 *
 * @param policy The result of `policy`, or of its `or404`.
 * @param actions The actions that the handler checks. If there are several actions, one check is enough.
 * @throws TypeError if the first argument is not a policy, or if the policy has no rule for an action.
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
): DualClassOrMethodDecorator
export function Checks(
  ...args: readonly [CheckModel['policy'], ...string[]]
): DualClassOrMethodDecorator {
  const [policy, ...actions] = args
  if (!isPolicy(policy)) {
    // If `@Checks` is written without parentheses, the arguments are the class or the method. This call then throws the
    // error for this mistake.
    option(...(args as unknown as [CheckModel]))
    throw new TypeError('@Checks(): the first argument is not the result of policy().')
  }
  const unknown = actions.find((action) => !policy.actions.includes(action))
  if (actions.length === 0 || unknown !== undefined) {
    const known = policy.actions.map((action) => `'${action}'`).join(', ')
    const given = unknown === undefined ? 'specifies no action' : `specifies '${String(unknown)}'`
    throw new TypeError(`@Checks(${policy.name}) ${given}. The policy has rules for: ${known}.`)
  }
  return option({ policy, actions })
}

const NONE: readonly CheckModel[] = []

/** Returns a route's `@Checks` declarations: first the class's declarations, then the method's. */
export function checksOf(route: Pick<RouteModel, 'option'> | undefined): readonly CheckModel[] {
  return route?.option(option) ?? NONE
}

/**
 * Implements `req.can`. Decides with a policy that the route declares with `@Checks`.
 *
 * @param ability The name of the policy and an action, such as `order:read`.
 * @throws Error if the route declares no policy with this name, or does not declare the policy for this action.
 */
export async function can(this: PolicyRequest, ability: string, object: unknown): Promise<boolean> {
  const text = String(ability)
  const end = text.indexOf(':')
  const [name, action] = [text.slice(0, end), text.slice(end + 1)]
  const route = routeOf(this)
  const found = checksOf(route).find(({ policy }) => policy.name === name)
  if (found !== undefined) return await found.policy.can(this, action, object)
  throw new Error(`req.can('${text}'): ${remedyFor(route)}`)
}

function remedyFor(route: RouteModel | undefined): string {
  if (route === undefined) return 'the request has no route yet. Call can() of the policy itself.'
  const known = new Set(checksOf(route).map(({ policy }) => policy.name))
  const declared = known.size === 0 ? 'no policy' : [...known].join(', ')
  return `${route.name} declares ${declared}. Add @Checks(policy, action) to the handler.`
}
