import type { DevReport } from '../../../app/dev/dev-report.js'
import type { RecordSink, WholeRecord } from '../../../app/dev/record-sink.js'
import { REPORT_VARIABLE } from '../protocol.js'
import type { Channel } from './channel.js'
import { ownPlaceIn } from './own-place.js'

/** `app/dev/dev-report.ts` explains it. */
const REPORT = Symbol.for('blazon.report')
/** `app/dev/record-sink.ts` explains it. */
const SINK = Symbol.for('blazon.records')

/** Whether the command has a dashboard. Programs that the application starts do not report to it. */
export function isAskedToReport(): boolean {
  const isAsked = process.env[REPORT_VARIABLE] !== undefined
  delete process.env[REPORT_VARIABLE]
  return isAsked
}

/** Has the applications of this process report to the command what its dashboard shows. */
export function reportRequests(channel: Pick<Channel, 'send'>): void {
  const reports = new Reports(channel)
  Object.defineProperty(globalThis, REPORT, { value: reports })
  Object.defineProperty(globalThis, SINK, { value: reports })
}

/** What the applications of a process report. Requests follow the routes, so that the dashboard knows the route of each. */
export class Reports implements DevReport, RecordSink {
  readonly placeIn: RecordSink['placeIn'] = ownPlaceIn
  readonly #channel: Pick<Channel, 'send'>
  /** How many applications are being explained. */
  #explaining = 0
  /** The requests that ended meanwhile. */
  #waiting: WholeRecord[] = []

  constructor(channel: Pick<Channel, 'send'>) {
    this.#channel = channel
  }

  readonly warned: DevReport['warned'] = (warnings) =>
    this.#channel.send({ kind: 'warnings', warnings })

  readonly started: DevReport['started'] = (explain) => {
    this.#explaining++
    void explain()
      .then((routes) => this.#channel.send({ kind: 'routes', routes }))
      // A mistake in the explanation must not end the application, which does not need it.
      .catch(() => undefined)
      .then(() => this.#explained())
  }

  #explained(): void {
    if (--this.#explaining > 0) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const request of waiting) this.#send(request)
  }

  /** Log lines leave at the end of the turn. The request follows its own, because the command may write a line about it. */
  readonly take: RecordSink['take'] = (request) => void setImmediate(() => this.#send(request))

  #send(request: WholeRecord): void {
    if (this.#explaining > 0) this.#waiting.push(request)
    else this.#channel.send({ kind: 'request', request })
  }
}
