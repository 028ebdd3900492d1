import type { Feature } from '../../step/feature.js'
import { checkPolicies } from './check-policies.js'
import { policiesContract } from './policies-contract.js'

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
