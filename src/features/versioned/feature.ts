import type { Feature } from '../../step/feature.js'
import { checkVersioned, usesVersions, versionedContract, versionedOf } from './versioned.js'

/** `@Versioned()`. */
export const versioned: Feature<unknown> = {
  name: 'versioned',
  compare: ({ model }) => checkVersioned(model),
  contract: () => versionedContract,
  places: (route) => (versionedOf(route) === null ? [] : ['aroundHandler']),
  load({ model }) {
    if (!usesVersions(model)) return null
    return import('./versioned-plugin.js').then((file) => file.versionedPlugin(model))
  },
}
