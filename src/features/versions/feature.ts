import type { ContractOf } from '../../contracts/route-contract.js'
import type { Feature } from '../../step/feature.js'

/** `@Version()`. The model has a route for each version, and the router chooses among them: there are no steps. */
export const versions: Feature<unknown> = { name: 'versions', contract: () => versionContract }

/** Clients always name the version, because the default may change. `Accept` is no parameter in OpenAPI. */
const versionContract: ContractOf = ({ version, versionHeader: name }) => {
  if (version === null || name === null || name === 'Accept') return null
  const description = 'The version of the API.'
  const schema = { type: 'string', enum: [version] }
  return { parameters: [{ name, in: 'header', required: true, description, schema }] }
}
