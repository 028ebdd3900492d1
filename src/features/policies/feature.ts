import type { ContractOf } from '../../contracts/route-contract.js'
import type { Feature } from '../../step/feature.js'
import { checkPolicies } from './check-policies.js'

/** `@Checks`. */
export const policies: Feature<unknown> = {
  name: 'policies',
  check: checkPolicies,
  contract: () => policiesContract,
  places: ({ checks }) => (checks === null ? [] : ['beforeHandler']),
  load({ model: { routes } }) {
    if (routes.every(({ checks }) => checks === null)) return null
    return import('./policies-plugin.js').then((file) => file.policiesPlugin)
  },
}

/** Adds the refusals of policies to the operations that declare them. An object may always be missing. */
const policiesContract: ContractOf = ({ checks }) => {
  if (checks === null) return null
  return { errors: checks.every(({ policy }) => policy.isHidden) ? [404] : [403, 404] }
}
