import type { Feature } from '../../step/feature.js'
import type { HealthSettings } from './health-options.js'
import type { HealthSources } from './health-plugin.js'

export { type HealthSettings, healthGroup } from './health-options.js'

interface Settings {
  readonly health: HealthSettings | null
}

/** The parts of an application that the health check uses. */
export interface HealthParts {
  /** Logs the errors of guards that do not belong to a route. */
  readonly denials: HealthSources
}

/** The `health` option. */
export const health: Feature<Settings, HealthParts> = {
  name: 'health',
  load({ settings: { health }, denials }) {
    if (health === null) return null
    return import('./health-plugin.js').then((file) => file.healthPlugin(health, denials))
  },
}
