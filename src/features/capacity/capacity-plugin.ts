import type { Request, Response } from '../../contracts/handler.js'
import type { Plugin, RouteSetup } from '../../contracts/plugin.js'
import type { Metric } from '../../contracts/reports.js'
import type { Step, StepFactory } from '../../contracts/steps.js'
import { Clock } from '../../di/token.js'
import { noteOf } from '../../http/observed-request.js'
import { hasBody } from '../../http/read-body.js'
import { tenantOf } from '../../http/request-state.js'
import { readsBody } from '../../model/bounds.js'
import { Refusal } from '../../step/refusal.js'
import type { CapacitySettings } from './capacity-options.js'
import { Gate } from './gate.js'
import { RefusalLog } from './refusal-log.js'
import type { RefusalReason, Ticket, Turn } from './ticket.js'

/** Dependencies of {@link capacityPlugin} besides its settings. */
export interface CapacitySources {
  /** Returns the metrics registry. */
  readonly metricsOf: (get: RouteSetup['get']) => { add(metric: Metric): void }
}

interface CapacityDeps extends PlaceDeps {
  readonly places: CapacityPlaces
}

/**
 * Refuses requests with a 503 response if they exceed the application's capacity, in most cases before their body is
 * read. Only requests to controller routes are counted. The framework's own pages, such as `health` and `metrics`, do
 * not need a place.
 *
 * A request holds a place only while the application works on it. The place is released while the body is arriving and
 * after the response has ended, because the request then only waits for the client.
 */
export function capacityPlugin(settings: CapacitySettings, { metricsOf }: CapacitySources): Plugin {
  let parts: CapacityDeps | undefined
  const start = ({ get, logger }: Pick<RouteSetup, 'get' | 'logger'>): CapacityDeps => {
    const clock = get(Clock)
    const gate = new Gate(settings, clock)
    const load = () => ({ running: gate.running, queued: gate.queued, receiving: gate.receiving })
    const all = { settings, gate, refusals: new RefusalLog({ logger, clock }, load) }
    return { ...all, places: new CapacityPlaces(all) }
  }
  return {
    name: 'capacity',
    steps(route, app) {
      parts ??= start(app)
      const { places } = parts
      // Before the guard has run, it is not certain that the request is allowed to act for the tenant that it
      // specifies.
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

interface CapacityState {
  readonly settings: CapacitySettings
  readonly gate: Pick<Gate, 'running' | 'queued' | 'receiving'>
  readonly refusals: Pick<RefusalLog, 'total'>
}

function capacityMetrics({ settings, gate, refusals }: CapacityState): Metric[] {
  return [
    gauge(
      'capacity_running_requests',
      'Requests that count against the capacity.',
      () => gate.running,
    ),
    gauge('capacity_queued_requests', 'Requests that are waiting in the queue.', () => gate.queued),
    gauge(
      'capacity_receiving_requests',
      'Requests that are waiting for the rest of their body and do not count against the capacity.',
      () => gate.receiving,
    ),
    gauge(
      'capacity_concurrent_limit',
      'The maximum number of concurrent requests.',
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

interface PlaceDeps {
  readonly gate: Gate
  readonly refusals: RefusalLog
  readonly settings: CapacitySettings
}

/** A settled promise. Its callbacks run after Node has parsed the bytes that arrived together with the request head. */
const HEAD_PARSED = Promise.resolve()

/** The steps of the `capacity` feature. */
class CapacityPlaces {
  readonly #parts: PlaceDeps
  /** The tickets of the admitted requests. */
  readonly #tickets = new WeakMap<Request, Ticket>()

  constructor(parts: PlaceDeps) {
    this.#parts = parts
  }

  /** Waits for a place. */
  readonly admit: StepFactory = (next) => {
    const { gate, settings } = this.#parts
    const isTold = settings.perTenant !== null
    return (req, res) => {
      // A request that was passed on to another route keeps its place.
      if (this.#tickets.get(req)?.state === 'running') return next(req, res)
      const ticket = gate.enter(isTold ? (tenantOf(req) ?? '') : '')
      if (typeof ticket === 'string') return this.#refuse(ticket, req)
      this.#tickets.set(req, ticket)
      this.#leaveOnEnd(ticket, res)
      if (ticket.state === 'running') return next(req, res)
      return gate.wait(ticket).then((turn) => this.#goOn(turn, next, [req, res]))
    }
  }

  /** Releases the place if a part of the body has not arrived yet. */
  readonly receive: StepFactory = (next) => (req, res) => {
    const ticket = this.#tickets.get(req)
    if (ticket?.state !== 'running' || !isArriving(req)) return next(req, res)
    const receive = () => this.#receive(ticket, next, [req, res])
    // A middleware that listens for `data` has started the body stream, so a chunk that is not read now is lost.
    if (req.readableFlowing === true) return receive()
    return HEAD_PARSED.then(() => (isArriving(req) ? receive() : next(req, res)))
  }

  /** Takes a place again when the body has arrived. */
  readonly resume: StepFactory = (next) => (req, res) => {
    const ticket = this.#tickets.get(req)
    if (ticket?.state === 'dropped') return this.#overCapacity()
    if (ticket?.state !== 'receiving') return next(req, res)
    const turn = this.#parts.gate.resume(ticket)
    return turn === 'run'
      ? next(req, res)
      : turn.then((settled) => this.#goOn(settled, next, [req, res]))
  }

  /**
   * Takes a place again at the end of a form with files. Until then, the handler can already be running without a
   * place, and it runs only as fast as the client sends the files.
   */
  readonly resumeUpload: StepFactory = (next) => {
    const resume = this.resume(next)
    return (req, res) => {
      const ticket = this.#tickets.get(req)
      if (ticket?.state !== 'receiving' || req.complete) return resume(req, res)
      req.once('end', () => this.#parts.gate.join(ticket))
      return next(req, res)
    }
  }

  /** Ends an admitted request. */
  readonly leave = (req: Request): void => {
    const ticket = this.#tickets.get(req)
    if (ticket !== undefined) this.#parts.gate.leave(ticket)
  }

  #receive(ticket: Ticket, next: Step, [req, res]: Message): unknown {
    const dropped = this.#parts.gate.receive(ticket).then(() => this.#refuse('bodies', req))
    return ticket.state === 'receiving' ? Promise.race([next(req, res), dropped]) : dropped
  }

  /**
   * Releases the place when the handler has ended the response, because a slow client may take a long time to receive
   * it.
   */
  #leaveOnEnd(ticket: Ticket, res: Response): void {
    const { gate } = this.#parts
    const { end } = res
    res.end = function endAndLeave(this: Response, ...args: unknown[]) {
      const returned = end.apply(this, args as Parameters<Response['end']>)
      if (this.writableEnded) gate.leave(ticket)
      return returned
    } as Response['end']
  }

  #goOn(turn: Turn, next: Step, [req, res]: Message): unknown {
    if (turn === 'run') return next(req, res)
    // If the turn is `left`, the client has disconnected or the handler timeout has already sent a response. The 503
    // response is then not sent.
    return turn === 'left' ? this.#overCapacity() : this.#refuse(turn, req)
  }

  #refuse(reason: RefusalReason, req: Request): Refusal {
    const { refusals, gate } = this.#parts
    refusals.note(reason)
    const { running, queued, receiving } = gate
    noteOf(req)?.({
      by: 'capacity',
      verdict: 'refused',
      reason,
      facts: { running, queued, receiving },
    })
    return this.#overCapacity()
  }

  #overCapacity(): Refusal {
    const { retrySeconds } = this.#parts.settings
    const headers = { 'Retry-After': String(retrySeconds) }
    const options = { code: 'OVER_CAPACITY', headers, expose: true, log: false }
    return Refusal.of(503, `Too many concurrent requests; try again in ${retrySeconds} s`, options)
  }
}

type Message = [req: Request, res: Response]

/** Whether the framework will read a body whose last byte has not arrived yet. */
function isArriving(req: Request): boolean {
  return !req.complete && req.body === undefined && hasBody(req)
}
