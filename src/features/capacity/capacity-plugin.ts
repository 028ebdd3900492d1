import type { Request, Response } from '../../contracts/handler.js'
import type { Metric } from '../../contracts/metrics.js'
import type { Plugin, RouteSetup } from '../../contracts/plugin.js'
import type { Stage } from '../../contracts/steps.js'
import { Clock } from '../../di/clock.js'
import { noteOf } from '../../http/note-of.js'
import { tenantOf } from '../../http/tenant-of.js'
import { Refusal } from '../../step/refusal.js'
import { capacityMetrics } from './capacity-metrics.js'
import type { CapacitySettings } from './capacity-options.js'
import { Gate } from './gate.js'
import { Refusals } from './refusals.js'
import type { RefusalReason, Ticket, Turn } from './ticket.js'

/** What {@link capacityPlugin} depends on besides its settings. */
export interface CapacitySources {
  /** Returns the list that takes metrics. */
  readonly metricsOf: (get: RouteSetup['get']) => { add(metric: Metric): void }
}

/** The parts of the plugin that exist once its application starts. */
interface Parts {
  readonly gate: Gate
  readonly refusals: Refusals
}

/**
 * Refuses requests over the capacity of an application with 503, before their body is read. Only routes of controllers
 * count: the pages of the framework, such as those of `health` and `metrics`, always answer.
 */
export function capacityPlugin(settings: CapacitySettings, { metricsOf }: CapacitySources): Plugin {
  let parts: Parts | undefined
  const start = ({ get, logger }: Pick<RouteSetup, 'get' | 'logger'>): Parts => {
    const clock = get(Clock)
    const gate = new Gate(settings, clock)
    const load = () => ({ running: gate.running, queued: gate.queued })
    return { gate, refusals: new Refusals({ logger, clock }, load) }
  }
  const tickets = new WeakMap<Request, Ticket>()
  return {
    name: 'capacity',
    steps(_route, app) {
      parts ??= start(app)
      const stage = admit({ ...parts, settings, tickets })
      // Before the guard nobody knows whether a request may act for the tenant that it names.
      const place = settings.perTenant === null ? 'beforeGuard' : 'afterGuard'
      const { gate } = parts
      return { [place]: stage, onEnd: (req) => leave(gate, tickets.get(req)) }
    },
    setup(app) {
      parts ??= start(app)
      const metrics = metricsOf(app.get)
      for (const metric of capacityMetrics({ settings, ...parts })) metrics.add(metric)
    },
    onClose: () => parts?.refusals.close(),
  }
}

function leave(gate: Gate, ticket: Ticket | undefined): void {
  if (ticket !== undefined) gate.leave(ticket)
}

interface Admission extends Parts {
  readonly settings: CapacitySettings
  /** The requests that run or wait. */
  readonly tickets: WeakMap<Request, Ticket>
}

function admit({ gate, refusals, settings, tickets }: Admission): Stage {
  const refuse = (reason: RefusalReason, req: Request): Refusal => {
    refusals.note(reason)
    const { running, queued } = gate
    noteOf(req)?.({ by: 'capacity', verdict: 'refused', reason, facts: { running, queued } })
    return overCapacity(settings.retrySeconds)
  }
  const isTold = settings.perTenant !== null
  return (next) => {
    const goOn = (turn: Turn, req: Request, res: Response) => {
      if (turn === 'run') return next(req, res)
      // The client has left, or the handler timeout has answered: nobody receives this.
      return turn === 'left' ? overCapacity(settings.retrySeconds) : refuse(turn, req)
    }
    return function admitRequest(req, res) {
      // A route that has passed the request on to another one keeps its place.
      if (tickets.get(req)?.state === 'running') return next(req, res)
      const ticket = gate.enter(isTold ? (tenantOf(req) ?? '') : '')
      if (typeof ticket === 'string') return refuse(ticket, req)
      tickets.set(req, ticket)
      if (ticket.state === 'running') return next(req, res)
      return gate.wait(ticket).then((turn) => goOn(turn, req, res))
    }
  }
}

function overCapacity(seconds: number): Refusal {
  const headers = { 'Retry-After': String(seconds) }
  const options = { code: 'OVER_CAPACITY', headers, expose: true, log: false }
  return Refusal.of(503, `Too many requests at once; try again in ${seconds} s`, options)
}
