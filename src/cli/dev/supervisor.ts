import type { Streams } from '../streams.js'
import { type AppEvents, type AppLaunch, AppProcess, type Ending } from './app-process.js'
import type { Dashboard } from './dashboard/dashboard.js'
import { stopwatch } from './deadline.js'
import { type Doors, keyOf } from './doors.js'
import { type Failure, failureOf } from './failure.js'
import type { FolderFiles } from './globs.js'
import type { KeptProcesses } from './kept-processes.js'
import type { ChildMessage, Place, PlainError } from './protocol.js'

/** The input of {@link Supervisor}. */
export interface SupervisorConfig {
  readonly doors: Doors
  readonly kept: KeptProcesses
  readonly streams: Streams
  readonly cwd: string
  /** The port of `--port`: that of the first server. */
  readonly port: number | undefined
  /** Reads the files of the environment again for each process. */
  readonly launch: () => AppLaunch
  /** Shows what the processes report; `undefined` without a dashboard. */
  readonly dashboard: () => Dashboard | undefined
  /** A process that started at `since` (milliseconds since 1970) has loaded files, or looked for them. */
  readonly loaded: (paths: readonly string[], since: number) => void
  /** A process that started at `since` reads the files of a folder that have this ending. */
  readonly reads: (files: FolderFiles, since: number) => void
  /** A process has started, or failed to. */
  readonly settled: (hasFailed: boolean) => void
  readonly hasInspector: boolean
}

/**
 * Runs the application: at most one process serves, and at most one starts. The process that serves is replaced when the
 * other one listens.
 */
export class Supervisor {
  readonly #config: SupervisorConfig
  #current: AppProcess | undefined
  #starting: AppProcess | undefined
  readonly #all = new Set<AppProcess>()
  #failure: Failure | undefined
  #isClosed = false
  #elapsed = () => 0

  constructor(config: SupervisorConfig) {
    this.#config = config
  }

  /** Why no process starts; `undefined` after a process has started. */
  get failure(): Failure | undefined {
    return this.#failure
  }

  /** Replaces the process. One that has not started yet is killed. */
  async restart(): Promise<void> {
    this.#config.doors.hold()
    this.#config.dashboard()?.starting()
    this.#elapsed = stopwatch()
    const superseded = this.#starting
    this.#starting = undefined
    await superseded?.kill()
    if (this.#config.hasInspector) await this.#current?.closeInspector()
    if (this.#isClosed || this.#starting !== undefined) return
    this.#starting = this.#start()
  }

  /** Nothing has changed: goes on as before. */
  keep(): void {
    if (this.#starting === undefined) this.#config.doors.serve(this.#current)
  }

  #start(): AppProcess {
    const events: AppEvents = {
      message: (app, message) => this.#receive(app, message),
      ended: (app, ending) => this.#ended(app, ending),
    }
    const app = new AppProcess(this.#config.launch(), events)
    this.#all.add(app)
    return app
  }

  #receive(app: AppProcess, message: ChildMessage): void {
    const { kept, loaded, reads, dashboard } = this.#config
    if (message.kind === 'files') loaded(message.paths, app.startedAt)
    else if (message.kind === 'folder') reads(message, app.startedAt)
    else if (message.kind === 'listen') void this.#open(app, message)
    else if (message.kind === 'listening') this.#promote(app)
    else if (message.kind === 'request') dashboard()?.add(message.request)
    else if (message.kind === 'routes') dashboard()?.addRoutes(app, message.routes)
    else if (message.kind === 'warnings') dashboard()?.addWarnings(app, message.warnings)
    else if (message.kind === 'keep') {
      const { id } = message
      void kept.find(message).then((result) => app.send({ kind: 'kept', id, result }))
    }
  }

  async #open(
    app: AppProcess,
    { id, place }: { readonly id: number; readonly place: Place },
  ): Promise<void> {
    const { port } = this.#config
    const wanted = id === 1 && port !== undefined ? { ...place, port } : place
    const key = keyOf(wanted, id)
    try {
      const address = await this.#config.doors.open(key, wanted)
      this.#config.doors.attach(key, app, id)
      app.send({ kind: 'door', id, address })
    } catch (error) {
      app.send({ kind: 'no-door', id, error: plain(error as NodeJS.ErrnoException) })
    }
  }

  #promote(app: AppProcess): void {
    const { doors, streams } = this.#config
    if (app !== this.#starting) return
    const old = this.#current
    this.#current = app
    this.#starting = undefined
    this.#failure = undefined
    this.#config.settled(false)
    doors.serve(app)
    doors.closeUnused([app, old])
    this.#config.dashboard()?.serves(app)
    streams.note(`blazon dev: ready in ${this.#elapsed()} ms`)
    void old?.retire()
  }

  #ended(app: AppProcess, ending: Ending): void {
    const { doors, streams, cwd } = this.#config
    this.#all.delete(app)
    const wasStarting = app === this.#starting
    const wasCurrent = app === this.#current
    if (wasStarting) this.#starting = undefined
    if (wasCurrent) this.#current = undefined
    doors.detach(app)
    if (this.#isClosed || !(wasStarting || wasCurrent)) return
    this.#failure = failureOf(ending, { cwd, hasListened: wasCurrent })
    this.#config.settled(true)
    streams.note(this.#failure.text)
    this.#config.dashboard()?.failed(this.#failure, this.#current !== undefined)
    if (wasStarting && this.#current !== undefined) {
      streams.note('blazon dev: the last process that started keeps serving.')
    }
    if (wasStarting || this.#starting === undefined) doors.serve(this.#current)
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    this.#isClosed = true
    const starting = this.#starting
    await Promise.all([...this.#all].map((app) => (app === starting ? app.kill() : app.retire())))
  }

  /** Ends all processes now. */
  kill(): void {
    for (const app of this.#all) void app.kill()
  }
}

function plain({ message, code, syscall }: NodeJS.ErrnoException): PlainError {
  return { message, code, syscall }
}
