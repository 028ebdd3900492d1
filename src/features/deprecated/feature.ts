import type { Feature } from '../../step/feature.js'
import { checkDeprecated, deprecatedContract, deprecatedOf } from './deprecated.js'
import type { DeprecatedSources } from './deprecated-plugin.js'

interface Settings {
  readonly metrics: { readonly guard: unknown } | null
}

/** `@Deprecated()`. */
export const deprecated: Feature<Settings, Pick<DeprecatedSources, 'metricsOf'>> = {
  name: 'deprecated',
  check: checkDeprecated,
  contract: () => deprecatedContract,
  places: (route) => (deprecatedOf(route) === null ? [] : ['beforeGuard', 'afterGuard']),
  load({ settings: { metrics }, model: { routes }, metricsOf }) {
    if (!routes.some((route) => deprecatedOf(route) !== null)) return null
    // Without a guard, every client can read the metrics, so they must not contain caller IDs.
    const names = metrics === null ? null : metrics.guard === null ? 'kinds' : 'ids'
    return import('./deprecated-plugin.js').then((file) =>
      file.deprecatedPlugin(routes, { metricsOf, names }),
    )
  },
}
