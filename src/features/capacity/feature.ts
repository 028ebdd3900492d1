import type { Feature } from '../../step/feature.js'
import { type CapacitySettings, checkPerTenant } from './capacity-options.js'
import type { CapacitySources } from './capacity-plugin.js'

export { type CapacitySettings, capacityGroup } from './capacity-options.js'
export type { CapacitySources } from './capacity-plugin.js'

interface Settings {
  readonly capacity: CapacitySettings | null
}

/**
 * The `capacity` option. At each place in a route, its steps run first, so that no other step at that place runs for a
 * refused request.
 */
export const capacity: Feature<Settings, CapacitySources> = {
  name: 'capacity',
  isOutermost: true,
  compare: ({ settings, usesTenants }) => checkPerTenant(settings.capacity, usesTenants),
  keptByWorker({ settings: { capacity } }, workers) {
    if (capacity === null) return null
    return {
      subject: 'capacity',
      effect: `together they run ${workers * capacity.concurrent} requests concurrently.`,
      remedy: `Divide concurrent, queue, bodies and perTenant by ${workers}, unless each worker can handle that many.`,
    }
  },
  contract: ({ capacity }) => (capacity === null ? null : () => ({ errors: [503] })),
  facts: ({ capacity }) => capacity !== null,
  load({ settings: { capacity }, metricsOf }) {
    if (capacity === null) return null
    return import('./capacity-plugin.js').then((file) =>
      file.capacityPlugin(capacity, { metricsOf }),
    )
  },
}
