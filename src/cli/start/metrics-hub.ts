import type { MetricsSnapshot, WorkerSnapshot } from '../../contracts/worker.js'
import { mergeSnapshots, totalsOf } from '../../features/metrics/merge-snapshots.js'
import { atMost } from '../dev/deadline.js'
import type { WorkerMessage } from './protocol.js'
import type { WorkerProcess } from './worker-process.js'

/** How long a scrape waits for a worker. */
const ANSWER_MS = 1000

const NOTHING: MetricsSnapshot = { metrics: [], histograms: [], registry: null }

/** The part of a worker that the hub uses. */
export type HubWorker = Pick<WorkerProcess, 'id' | 'label' | 'send'>

/** The applications of a worker, by their number, with their latest metrics. */
type Latest = Map<number, MetricsSnapshot>

/**
 * Joins the metrics of all workers. For each worker that runs it keeps the latest metrics, and for those that have ended the
 * sum of what they had counted, so that no counter ever becomes smaller.
 */
export class MetricsHub {
  readonly #latest = new Map<HubWorker, Latest>()
  /** What workers that have ended had counted, by the number of the application. */
  readonly #ended: Latest = new Map()
  readonly #questions = new Map<number, () => void>()
  readonly #own: () => MetricsSnapshot
  #unanswered = 0
  #asked = 0

  /** @param own Reads the metrics of the primary itself. */
  constructor(own: () => MetricsSnapshot) {
    this.#own = own
  }

  /** In how many cases a worker did not answer in time. */
  get unanswered(): number {
    return this.#unanswered
  }

  /** Takes a message of a worker. */
  receive(worker: HubWorker, message: WorkerMessage): void {
    if (message.kind === 'shares') this.#begin(worker, message.app)
    else if (message.kind === 'gather') void this.#gather(worker, message)
    else if (message.kind === 'last') this.#finish(worker, message.app, message.snapshot)
    else if (message.kind === 'snapshot') {
      if (message.snapshot !== null) this.#keep(worker, message.app, message.snapshot)
      this.#answered(message.id)
    } else if (message.kind === 'left') worker.send({ kind: 'left', id: message.id })
  }

  /** A worker has ended. One that has left nothing has crashed, and the metrics of the last scrape count. */
  ended(worker: HubWorker): void {
    for (const [app, snapshot] of this.#latest.get(worker) ?? []) {
      this.#finish(worker, app, snapshot)
    }
    this.#latest.delete(worker)
  }

  async #gather(
    worker: HubWorker,
    { id, app, snapshot }: Extract<WorkerMessage, { kind: 'gather' }>,
  ): Promise<void> {
    this.#keep(worker, app, snapshot)
    const others = [...this.#latest].filter(([other, apps]) => other !== worker && apps.has(app))
    await Promise.all(others.map(([other]) => this.#ask(other, app)))
    worker.send({ kind: 'gathered', id, snapshots: this.#all(app) })
  }

  /** Asks a worker that has not left its last metrics meanwhile. */
  async #ask(worker: HubWorker, app: number): Promise<void> {
    const id = this.#asked++
    const answer = new Promise<void>((resolve) => {
      this.#questions.set(id, resolve)
    })
    worker.send({ kind: 'read', id, app })
    await atMost(ANSWER_MS, answer)
    const isLate = this.#questions.delete(id)
    if (isLate && this.#latest.get(worker)?.has(app) === true) this.#unanswered += 1
  }

  #answered(id: number): void {
    this.#questions.get(id)?.()
    this.#questions.delete(id)
  }

  #begin(worker: HubWorker, app: number): void {
    const latest = this.#latest.get(worker) ?? new Map<number, MetricsSnapshot>()
    this.#latest.set(worker, latest.set(app, NOTHING))
  }

  /** An answer that arrives after the last metrics of an application is older than these. */
  #keep(worker: HubWorker, app: number, snapshot: MetricsSnapshot): void {
    const latest = this.#latest.get(worker)
    if (latest?.has(app) === true) latest.set(app, snapshot)
  }

  /** Each worker is in one of both maps, so nothing is counted twice. */
  #finish(worker: HubWorker, app: number, snapshot: MetricsSnapshot): void {
    this.#latest.get(worker)?.delete(app)
    const before = this.#ended.get(app)
    const all = [snapshot, ...(before === undefined ? [] : [before])]
    const merged = mergeSnapshots(all.map((each) => ({ worker: null, snapshot: totalsOf(each) })))
    this.#ended.set(app, merged)
  }

  /** Newer workers first. */
  #all(app: number): WorkerSnapshot[] {
    const running = [...this.#latest]
      .sort(([one], [other]) => other.id - one.id)
      .flatMap(([{ label }, apps]) => {
        const snapshot = apps.get(app)
        return snapshot === undefined ? [] : [{ worker: label, snapshot }]
      })
    const ended = this.#ended.get(app)
    return [
      ...running,
      { worker: null, snapshot: this.#own() },
      ...(ended === undefined ? [] : [{ worker: null, snapshot: ended }]),
    ]
  }
}
