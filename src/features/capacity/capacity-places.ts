import type { Request, Response } from '../../contracts/handler.js'
import type { Step, StepFactory } from '../../contracts/steps.js'
import { noteOf } from '../../http/note-of.js'
import { hasBody } from '../../http/read-body.js'
import { tenantOf } from '../../http/tenant-of.js'
import { Refusal } from '../../step/refusal.js'
import type { CapacitySettings } from './capacity-options.js'
import type { Gate } from './gate.js'
import type { Refusals } from './refusals.js'
import type { RefusalReason, Ticket, Turn } from './ticket.js'

/** The input of {@link CapacityPlaces}. */
export interface PlaceDeps {
  readonly gate: Gate
  readonly refusals: Refusals
  readonly settings: CapacitySettings
}

/** Settles once Node has parsed the bytes that arrived together with the head. */
const HEAD_PARSED = Promise.resolve()

/** The steps of the capacity. */
export class CapacityPlaces {
  readonly #parts: PlaceDeps
  /** The requests that the gate has let in. */
  readonly #tickets = new WeakMap<Request, Ticket>()

  constructor(parts: PlaceDeps) {
    this.#parts = parts
  }

  /** Waits for a place. */
  readonly admit: StepFactory = (next) => {
    const { gate, settings } = this.#parts
    const isTold = settings.perTenant !== null
    return (req, res) => {
      // A route that has passed the request on to another one keeps its place.
      if (this.#tickets.get(req)?.state === 'running') return next(req, res)
      const ticket = gate.enter(isTold ? (tenantOf(req) ?? '') : '')
      if (typeof ticket === 'string') return this.#refuse(ticket, req)
      this.#tickets.set(req, ticket)
      this.#leaveOnEnd(ticket, res)
      if (ticket.state === 'running') return next(req, res)
      return gate.wait(ticket).then((turn) => this.#goOn(turn, next, [req, res]))
    }
  }

  /** Gives the place back if a part of the body is still to come. */
  readonly receive: StepFactory = (next) => (req, res) => {
    const ticket = this.#tickets.get(req)
    if (ticket?.state !== 'running' || !isArriving(req)) return next(req, res)
    const receive = () => this.#receive(ticket, next, [req, res])
    // A middleware that listens for `data` has made the body flow: a piece that is not read now is lost.
    if (req.readableFlowing === true) return receive()
    return HEAD_PARSED.then(() => (isArriving(req) ? receive() : next(req, res)))
  }

  /** Takes a place again once the body has arrived. */
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
   * Does the same for forms with files. The handler may begin while a file arrives: until the end of the form, it runs as fast as
   * its client sends.
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

  /** Ends a request that the gate has let in. */
  readonly leave = (req: Request): void => {
    const ticket = this.#tickets.get(req)
    if (ticket !== undefined) this.#parts.gate.leave(ticket)
  }

  #receive(ticket: Ticket, next: Step, [req, res]: Message): unknown {
    const dropped = this.#parts.gate.receive(ticket).then(() => this.#refuse('bodies', req))
    return ticket.state === 'receiving' ? Promise.race([next(req, res), dropped]) : dropped
  }

  /** Gives the place back when the response is ended. A slow client may take any time to receive the rest of it. */
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
    // The client has left, or the handler timeout has sent a response, so this one is not sent.
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
    return Refusal.of(503, `Too many requests at once; try again in ${retrySeconds} s`, options)
  }
}

type Message = [req: Request, res: Response]

/** Whether the framework will read a body whose last byte has not arrived. */
function isArriving(req: Request): boolean {
  return !req.complete && req.body === undefined && hasBody(req)
}
