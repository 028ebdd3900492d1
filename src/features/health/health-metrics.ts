import type { CheckedHealth, HealthReport, Metric, MetricSample } from '../../contracts/reports.js'
import type { Health } from './health.js'

/**
 * Creates the readiness metrics. A scrape does not wait for checks. It returns the results of the last checks, and
 * starts new checks for the next scrape.
 */
export function healthMetrics(health: Pick<Health, 'check'>): readonly Metric[] {
  let last: HealthReport | undefined
  const ask = () => {
    void health.check().then((report) => {
      last = report
    })
  }
  ask()
  return [
    {
      name: 'health_ready',
      help: 'Whether the application was ready at the last check.',
      type: 'gauge',
      read() {
        ask()
        return last === undefined ? [] : [{ value: isReady(last) ? 1 : 0 }]
      },
    },
    {
      name: 'health_check_up',
      help: 'Whether a health check succeeded when it last ran.',
      type: 'gauge',
      read: () =>
        last === undefined ? [] : [...samplesOf(last.plugins), ...samplesOf(last.checks)],
    },
  ]
}

function isReady({ status }: HealthReport): boolean {
  return status === 'up' || status === 'degraded'
}

function samplesOf(checked: Readonly<Record<string, CheckedHealth>>): MetricSample[] {
  return Object.entries(checked).map(([check, { status }]) => ({
    labels: { check },
    value: status === 'up' ? 1 : 0,
  }))
}
