import type { PolicyRequest } from '../contracts/policy.js'
import type { RouteModel } from '../contracts/route-model.js'
import { routeOf } from './own-route.js'

/**
 * Decides by a policy that the route declares with `@Checks`.
 *
 * @param ability The name of the policy and an action: `order:read`.
 * @throws Error if the route declares no policy of this name.
 */
export async function can(this: PolicyRequest, ability: string, object: unknown): Promise<boolean> {
  const text = String(ability)
  const end = text.indexOf(':')
  const [name, action] = [text.slice(0, end), text.slice(end + 1)]
  const route = routeOf(this)
  const found = route?.checks?.find(({ policy }) => policy.name === name)
  if (found !== undefined) return await found.policy.can(this, action, object)
  throw new Error(`req.can('${text}'): ${remedyFor(route)}`)
}

function remedyFor(route: RouteModel | undefined): string {
  if (route === undefined) return 'the request has no route yet. Call can() of the policy itself.'
  const known = new Set(route.checks?.map(({ policy }) => policy.name) ?? [])
  const declared = known.size === 0 ? 'no policy' : [...known].join(', ')
  return `${route.name} declares ${declared}. Add @Checks(policy, action) to the handler.`
}
