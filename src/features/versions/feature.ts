import type { ContractOf } from '../../contracts/route-contract.js'
import type { VersionSettings } from '../../contracts/version.js'
import type { Feature } from '../../step/feature.js'

export type { VersionSettings } from '../../contracts/version.js'
export { versionGroup } from './version-options.js'

/**
 * `@Version()`. The model has a separate route for each version, and the router selects the route, so there are no
 * steps.
 */
export const versions: Feature<{ readonly versions: VersionSettings | null }> = {
  name: 'versions',
  contract: ({ versions }) => (versions?.by === 'header' ? headerContract(versions) : null),
  facts: ({ versions }) => versions,
}

/**
 * Adds the version header to operations. Versions in `Accept` have no parameter, because OpenAPI does not allow a
 * parameter with the name `Accept`.
 */
function headerContract({ default: byDefault }: VersionSettings): ContractOf {
  return ({ version, versionHeader: name }) => {
    if (version === null || name === null) return null
    const description = 'The version of the API.'
    const schema = { type: 'string', enum: [version] }
    const required = version !== byDefault
    return { parameters: [{ name, in: 'header', required, description, schema }] }
  }
}
