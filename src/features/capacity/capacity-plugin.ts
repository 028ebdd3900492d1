import type { Metric } from '../../contracts/metrics.js'
import type { Plugin, RouteSetup } from '../../contracts/plugin.js'
import { Clock } from '../../di/clock.js'
import { readsBody } from '../../model/body-methods.js'
import type { CapacitySettings } from './capacity-options.js'
import { CapacityPlaces, type PlaceDeps } from './capacity-places.js'
import { Gate } from './gate.js'
import { Refusals } from './refusals.js'

/** Dependencies of {@link capacityPlugin} besides its settings. */
export interface CapacitySources {
  /** Returns the list that takes metrics. */
  readonly metricsOf: (get: RouteSetup['get']) => { add(metric: Metric): void }
}

/** The parts of the plugin that exist once its application starts. */
interface CapacityDeps extends PlaceDeps {
  readonly places: CapacityPlaces
}

/**
 * Refuses requests over the capacity of an application with 503, before their body is read. Only routes of controllers
 * count: the pages of the framework, such as `health` and `metrics`, need no place.
 *
 * A place covers the work of the application, and not the time of its clients: no request holds one while its body
 * arrives, or once its response was ended.
 */
export function capacityPlugin(settings: CapacitySettings, { metricsOf }: CapacitySources): Plugin {
  let parts: CapacityDeps | undefined
  const start = ({ get, logger }: Pick<RouteSetup, 'get' | 'logger'>): CapacityDeps => {
    const clock = get(Clock)
    const gate = new Gate(settings, clock)
    const load = () => ({ running: gate.running, queued: gate.queued, receiving: gate.receiving })
    const all = { settings, gate, refusals: new Refusals({ logger, clock }, load) }
    return { ...all, places: new CapacityPlaces(all) }
  }
  return {
    name: 'capacity',
    steps(route, app) {
      parts ??= start(app)
      const { places } = parts
      // Before the guard it is unknown whether a request may act for the tenant that it names.
      const place = settings.perTenant === null ? 'beforeGuard' : 'afterGuard'
      return {
        [place]: places.admit,
        ...(readsBody(route) && {
          beforeBody: places.receive,
          beforeHandler: route.upload === null ? places.resume : places.resumeUpload,
        }),
        onEnd: places.leave,
      }
    },
    setup(app) {
      parts ??= start(app)
      const metrics = metricsOf(app.get)
      for (const metric of capacityMetrics(parts)) metrics.add(metric)
    },
    onClose: () => parts?.refusals.close(),
  }
}

/** The parts of an application that the metrics of the capacity read. */
interface CapacityState {
  readonly settings: CapacitySettings
  readonly gate: Pick<Gate, 'running' | 'queued' | 'receiving'>
  readonly refusals: Pick<Refusals, 'total'>
}

/** The metrics of the capacity of an application. */
function capacityMetrics({ settings, gate, refusals }: CapacityState): Metric[] {
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
