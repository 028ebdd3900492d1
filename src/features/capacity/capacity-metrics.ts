import type { Metric } from '../../contracts/metrics.js'
import type { CapacitySettings } from './capacity-options.js'
import type { Gate } from './gate.js'
import type { Refusals } from './refusals.js'

/** The parts of an application that the metrics of the capacity read. */
export interface CapacityState {
  readonly settings: CapacitySettings
  readonly gate: Pick<Gate, 'running' | 'queued' | 'receiving'>
  readonly refusals: Pick<Refusals, 'total'>
}

/** The metrics of the capacity of an application. */
export function capacityMetrics({ settings, gate, refusals }: CapacityState): Metric[] {
  return [
    gauge(
      'capacity_running_requests',
      'Requests that hold a place of the capacity.',
      () => gate.running,
    ),
    gauge('capacity_queued_requests', 'Requests that wait for their turn.', () => gate.queued),
    gauge(
      'capacity_receiving_requests',
      'Requests that wait for the rest of their body, and hold no place.',
      () => gate.receiving,
    ),
    gauge(
      'capacity_concurrent_limit',
      'The most requests that run at once.',
      () => settings.concurrent,
    ),
    {
      name: 'capacity_refused_requests_total',
      help: 'Requests that were refused because of the capacity, by reason.',
      type: 'counter',
      read: () =>
        Object.entries(refusals.total).map(([reason, value]) => ({ labels: { reason }, value })),
    },
  ]
}

function gauge(name: string, help: string, read: () => number): Metric {
  return { name, help, type: 'gauge', read }
}
