import type { ContractOf } from '../../contracts/route-contract.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { Problem } from '../../errors/config-error.js'
import type { Feature } from '../../step/feature.js'
import { checksOf } from './checks.js'

/** `@Checks`. */
export const policies: Feature<unknown> = {
  name: 'policies',
  check: checkPolicies,
  contract: () => policiesContract,
  places: (route) => (checksOf(route).length === 0 ? [] : ['beforeHandler']),
  load({ model: { routes } }) {
    if (routes.every((route) => checksOf(route).length === 0)) return null
    return import('./policies-plugin.js').then((file) => file.policiesPlugin)
  },
}

/**
 * Adds the error responses of policies to the operations that use policies. The responses always include 404, because
 * an object can always be missing.
 */
const policiesContract: ContractOf = (route) => {
  const checks = checksOf(route)
  if (checks.length === 0) return null
  return { errors: checks.every(({ policy }) => policy.isHidden) ? [404] : [403, 404] }
}

function checkPolicies(route: RouteModel): Problem[] {
  if (checksOf(route).length === 0) return []
  return [...checkNames(route), ...checkUser(route)]
}

/** Reports policies with the same name, because `req.can('order:read', order)` finds a policy by its name. */
function checkNames(route: RouteModel): Problem[] {
  const known = new Map<string, unknown>()
  for (const { policy } of checksOf(route)) {
    const same = known.get(policy.name) ?? policy.or404()
    known.set(policy.name, same)
    if (same === policy.or404()) continue
    return [
      {
        code: 'E_POLICY_NAME',
        subject: route.name,
        cause: `Its @Checks have two policies with the name '${policy.name}'.`,
        remedy: "Rename one of them: policy('draftOrder', { … }).",
      },
    ]
  }
  return []
}

function checkUser(route: RouteModel): Problem[] {
  if (route.isProtected || route.isAuthOptional) return []
  return checksOf(route)
    .filter(({ policy }) => !policy.allowsAnonymous)
    .map(({ policy }) => ({
      code: 'W_POLICY_WITHOUT_USER',
      subject: route.name,
      cause: `It is public, and the policy '${policy.name}' allows nothing without a user, so every request is refused.`,
      remedy: 'Add @Auth(); or set the policy option { anonymous: true }.',
    }))
}
