import { fileURLToPath } from 'node:url'
import type { Streams } from '../streams.js'
import { AppProcess } from './app-process.js'
import type { Dashboard } from './dashboard/dashboard.js'
import { stopwatch } from './deadline.js'
import type { DevOptions } from './dev-options.js'
import type { FileWatch } from './file-watch.js'
import type { KeptProcesses } from './kept-processes.js'
import type { ChildMessage } from './protocol.js'

/** How long a process may take to end when another one takes its place, and when the command ends. */
const RESTART_MS = 2000
const END_MS = 5000

/** The input of {@link Supervisor}. */
export interface SupervisorConfig {
  readonly entry: string
  readonly options: DevOptions
  readonly streams: Streams
  readonly kept: KeptProcesses
  /** Shows the reports of the processes; `undefined` without a dashboard. */
  readonly dashboard: Dashboard | undefined
  /** Gets the files that a process has read since its start, in milliseconds since 1970. */
  readonly watch: FileWatch
}

/**
 * Runs the application: at most one process serves, and at most one starts. When the new process is about to listen,
 * the old one ends, and only then the new one may listen. So no port is in use, and a process that does not start
 * replaces nothing.
 */
export class Supervisor {
  readonly #config: SupervisorConfig
  readonly #all = new Set<AppProcess>()
  #serving: AppProcess | undefined
  #starting: AppProcess | undefined
  #isClosed = false
  #elapsed = () => 0
  /** The port of each server, by the number of its `listen`. */
  readonly #ports: Record<number, number> = {}

  constructor(config: SupervisorConfig) {
    this.#config = config
  }

  /** Starts a process. A process that has not started yet is killed. */
  async restart(): Promise<void> {
    const { entry, options, watch, dashboard } = this.#config
    dashboard?.starting()
    this.#elapsed = stopwatch()
    const superseded = this.#starting
    this.#starting = undefined
    await superseded?.kill()
    // The next process needs the port of the debugger.
    if (options.inspect !== undefined) await this.#serving?.end(RESTART_MS)
    if (this.#isClosed || this.#starting !== undefined) return
    watch.seesNewFiles = false
    const app = new AppProcess({
      entry,
      options,
      receive: (app, message) => this.#receive(app, message),
      onEnd: (app, how) => this.#fail(app, how),
    })
    this.#starting = app
    this.#all.add(app)
    void app.ended.then(() => this.#all.delete(app))
  }

  #receive(app: AppProcess, message: ChildMessage): void {
    const { kept, watch, dashboard } = this.#config
    if (message.kind === 'files') {
      for (const path of message.urls.flatMap(ownPath)) watch.add(path, app.startedAt)
    } else if (message.kind === 'folder') watch.add(message.path, app.startedAt)
    else if (message.kind === 'listen') void this.#handOver(app)
    else if (message.kind === 'listening') this.#listens(app, message)
    else if (message.kind === 'request') dashboard?.add(message.request)
    else if (message.kind === 'routes') dashboard?.addRoutes(app, message.routes)
    else if (message.kind === 'keep') {
      const { id } = message
      void kept.find(message).then((result) => app.send({ kind: 'kept', id, result }))
    }
  }

  async #handOver(app: AppProcess): Promise<void> {
    const others = [...this.#all].filter((each) => each !== app)
    if (app === this.#starting) await Promise.all(others.map((each) => each.end(RESTART_MS)))
    app.send({ kind: 'go', first: this.#config.options.port, last: this.#ports })
  }

  #listens(app: AppProcess, { id, port }: { readonly id: number; readonly port: number }): void {
    const { dashboard, streams } = this.#config
    this.#ports[id] = port
    if (app !== this.#starting) return
    this.#serving = app
    this.#starting = undefined
    dashboard?.serves(app, port)
    streams.note(`blazon dev: ready in ${this.#elapsed()} ms`)
  }

  /** A process has ended by itself. */
  #fail(app: AppProcess, how: string): void {
    const { streams, watch, dashboard } = this.#config
    const isStart = app === this.#starting
    if (this.#isClosed || !(isStart || app === this.#serving)) return
    if (isStart) this.#starting = undefined
    else this.#serving = undefined
    const what = isStart ? 'did not start' : 'ended'
    const isServed = this.#serving !== undefined && this.#all.has(this.#serving)
    const rest = isServed ? ' The last process that started keeps serving.' : ''
    const failure = `The application ${what}: its process ended ${how}.${rest}`
    streams.note(`blazon dev: ${failure} It starts again when a file is saved.`)
    dashboard?.failed(failure)
    watch.seesNewFiles = true
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    this.#isClosed = true
    const starting = this.#starting
    await Promise.all(
      [...this.#all].map((app) => (app === starting ? app.kill() : app.end(END_MS))),
    )
  }

  /** Ends all processes now. */
  kill(): void {
    for (const app of this.#all) void app.kill()
  }
}

/** The path of a module that belongs to no package. */
function ownPath(url: string): string[] {
  const isOwn = url.startsWith('file:') && !url.includes('/node_modules/')
  return isOwn ? [fileURLToPath(url.replace(/[?#].*$/, ''))] : []
}
