import type { Feature } from '../../step/feature.js'
import type { MetricsSettings } from './metrics-options.js'
import type { MetricsSources } from './metrics-plugin.js'

export { type MetricsSettings, metricsGroup } from './metrics-options.js'

interface Settings {
  readonly metrics: MetricsSettings | null
}

/** The parts of an application that its metrics read. */
export interface MetricsParts {
  /** Logs the errors of guards that do not belong to a route. */
  readonly denials: Pick<MetricsSources, 'logDenial'>
  readonly share: MetricsSources['share']
  /** Loads the metrics of other features. */
  readonly featureMetrics: () => Promise<MetricsSources['features']>
}

/** The `metrics` option. */
export const metrics: Feature<Settings, MetricsParts> = {
  name: 'metrics',
  load({ settings: { metrics }, denials: { logDenial }, share, featureMetrics }) {
    if (metrics === null) return null
    return Promise.all([import('./metrics-plugin.js'), featureMetrics()]).then(
      ([{ metricsPlugin }, features]) => metricsPlugin(metrics, { features, logDenial, share }),
    )
  },
}
