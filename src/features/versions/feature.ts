import type { ContractOf } from '../../contracts/route-contract.js'
import type { VersionSettings } from '../../contracts/version.js'
import type { Feature } from '../../step/feature.js'

/** `@Version()`. The model has a route for each version, and the router chooses among them: there are no steps. */
export const versions: Feature<{ readonly versions: VersionSettings | null }> = {
  name: 'versions',
  contract: ({ versions }) => (versions?.by === 'header' ? headerContract(versions) : null),
  facts: ({ versions }) => versions,
}

/** Clients always name the version: the default may change. */
function headerContract({ header }: VersionSettings): ContractOf {
  const name = header as string
  return ({ version }) => {
    if (version === null) return null
    const description = 'The version of the API.'
    const schema = { type: 'string', enum: [version] }
    return { parameters: [{ name, in: 'header', required: true, description, schema }] }
  }
}
