// The preload module of a worker, loaded before the application: `node --import preload.js main.js`.
import type { WorkerApp, WorkerLink } from '../../app/worker-link.js'
import type { WorkerText, WriteMetrics } from '../../features/metrics/join-texts.js'
import { Deadline, every, turn } from '../dev/deadline.js'
import { connect, PLACE_VARIABLE, type WorkerPlace } from './connect.js'

/** The interval at which a worker checks whether its applications are ready, in milliseconds. */
const READY_MS = 200

/** A worker's link to the primary process. */
class PrimaryLink implements WorkerLink {
  readonly workers: number
  readonly isSpeaker: boolean
  isRetired = false
  readonly #writes: WriteMetrics[] = []
  readonly #apps: WorkerApp[] = []
  /** The number of applications that are starting. */
  #starting = 0
  readonly #call = connect(process, {
    end: (signal: NodeJS.Signals, isRetired: boolean) => {
      this.isRetired = isRetired
      // If there is no listener, the signal has its default effect.
      if (!process.emit(signal, signal)) process.kill(process.pid, signal)
    },
    write: (app: number, isOpen: boolean) => this.#writes[app]?.(isOpen),
  })

  constructor({ workers, isSpeaker, beatMs }: WorkerPlace) {
    this.workers = workers
    this.isSpeaker = isSpeaker
    if (beatMs > 0) every(beatMs, () => void this.#call('note', { missed: 0 }))
  }

  async starts<T>(start: () => Promise<T>, app: WorkerApp): Promise<T> {
    this.#starting += 1
    void this.#call('note', { hasApps: true })
    try {
      const address = await start()
      this.#apps.push(app)
      return address
    } finally {
      // The code that awaits this start may begin another start, so the count decreases one turn later.
      void turn().then(() => this.#hasStarted())
    }
  }

  readonly shareMetrics = (write: WriteMetrics) => {
    const app = this.#writes.push(write) - 1
    return (isOpen: boolean) => this.#call('gather', app, isOpen) as Promise<WorkerText[]>
  }

  #hasStarted(): void {
    this.#starting -= 1
    // After an uncaught error, which sets `exitCode`, the applications are closing, so they are not reported.
    if (this.#starting > 0 || this.#apps.length === 0 || Number(process.exitCode ?? 0) > 0) return
    const closeMs = Math.max(...this.#apps.map((app) => app.closeMs()))
    void this.#call('note', { listens: true, closeMs })
    void this.#reportReady()
  }

  /**
   * Reports that the applications are ready, once they all are. If a check throws, its application is not ready yet.
   */
  async #reportReady(): Promise<void> {
    const all = this.#apps.map(({ isReady }) => isReady().catch(() => false))
    const areReady = (await Promise.all(all)).every(Boolean)
    // If another start has begun in the meantime, it will report its own end.
    if (this.#starting > 0) return
    if (areReady) return void this.#call('note', { isReady: true })
    new Deadline(READY_MS, () => void this.#reportReady())
  }
}

const place = process.env[PLACE_VARIABLE]
// Threads and programs that the application starts inherit Node's options, so they also load this file.
if (place !== undefined) {
  delete process.env[PLACE_VARIABLE]
  const value = new PrimaryLink(JSON.parse(place))
  // `app/worker-link.ts` reads this property.
  Object.defineProperty(globalThis, Symbol.for('blazon.worker'), { value })
  // The signal is ignored here: a terminal sends it to all processes, but only the primary restarts workers.
  process.on('SIGHUP', () => {})
}
