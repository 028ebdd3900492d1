import { dirname, join, relative } from 'node:path'
import { nearestWith } from '../output-path.js'
import type { Streams } from '../streams.js'
import { appLaunch, envFile, likelyPort } from './app-launch.js'
import type { Dashboard } from './dashboard/dashboard.js'
import type { DevOptions } from './dev-options.js'
import { Doors, keyOf } from './doors.js'
import { FileWatch } from './file-watch.js'
import { readGlobs } from './globs.js'
import { KeptProcesses } from './kept-processes.js'
import { statusResponder } from './status-server.js'
import { Supervisor } from './supervisor.js'
import { TypeCheck } from './type-check.js'

/** Files beside the sources that change how the application starts. */
const SETTINGS = ['package.json', 'tsconfig.json']

/** A run of `blazon dev`: the ports, the processes, the watched files and the compiler. */
export class DevSession {
  readonly #entry: string
  readonly #options: DevOptions
  readonly #streams: Streams
  readonly #doors: Doors
  readonly #kept: KeptProcesses
  readonly #watch: FileWatch
  readonly #supervisor: Supervisor
  #types: TypeCheck | undefined
  #dashboard: Dashboard | undefined

  constructor(entry: string, options: DevOptions, streams: Streams) {
    const { cwd } = options
    this.#entry = entry
    this.#options = options
    this.#streams = streams
    this.#kept = new KeptProcesses(cwd)
    this.#doors = new Doors({
      waitMs: options.timeout * 1000,
      respond: statusResponder(() => this.#supervisor.failure),
    })
    this.#watch = new FileWatch({
      touched: () => this.#doors.hold(),
      settled: (paths) => this.#onSettled(paths),
    })
    this.#supervisor = new Supervisor({
      doors: this.#doors,
      kept: this.#kept,
      streams,
      cwd,
      port: options.port,
      hasInspector: options.inspect !== undefined,
      launch: () => appLaunch(entry, options),
      dashboard: () => this.#dashboard,
      loaded: (paths, since) => {
        for (const path of paths) this.#watch.add(path, since)
      },
      reads: (files, since) => this.#watch.addFolder(files, since),
      settled: (hasFailed) => {
        this.#watch.seesNewFiles = hasFailed
      },
    })
  }

  async start(): Promise<void> {
    const { cwd, typecheck } = this.#options
    await this.#openDashboard()
    this.#watchSettings()
    await this.#openEarly()
    this.#streams.note(`blazon dev: ${relative(cwd, this.#entry)}`)
    if (this.#dashboard !== undefined) {
      this.#streams.note(`blazon dev: dashboard ${this.#dashboard.url}`)
    }
    await this.#supervisor.restart()
    if (typecheck) this.#types = TypeCheck.start(this.#entry, this.#streams)
  }

  #watchSettings(): void {
    const { cwd, watch } = this.#options
    if (watch !== undefined) this.#watch.addGlobs(readGlobs(watch, cwd))
    this.#watch.add(this.#entry)
    this.#watch.add(envFile(cwd))
    for (const name of SETTINGS) {
      const folder = nearestWith(name, dirname(this.#entry))
      if (folder !== undefined) this.#watch.add(join(folder, name))
    }
  }

  /** Its code is loaded here, because `--no-dashboard` needs none of it. */
  async #openDashboard(): Promise<void> {
    const { dashboard, dashboardPort: port = 0, cwd } = this.#options
    if (!dashboard) return
    const { Dashboard } = await import('./dashboard/dashboard.js')
    this.#dashboard = await Dashboard.open({
      port,
      address: () => this.#doors.firstAddress,
      cwd,
      note: (line) => this.#streams.note(line),
    })
  }

  /** A browser shows why the application does not start, even if no process has named its port yet. */
  async #openEarly(): Promise<void> {
    const place = { port: likelyPort(this.#options) }
    // If another program has the port, the application will report it, if it wants that port at all.
    await this.#doors.open(keyOf(place, 1), place).catch(() => undefined)
  }

  #onSettled(paths: readonly string[]): void {
    if (paths.length === 0) return this.#supervisor.keep()
    const names = paths.map((path) => relative(this.#options.cwd, path))
    this.#streams.note(`blazon dev: ${names.join(', ')} changed`)
    void this.#supervisor.restart()
  }

  /** Ends everything that it has started. */
  async close(): Promise<void> {
    this.#watch.close()
    this.#types?.close()
    this.#dashboard?.close()
    await this.#supervisor.close()
    await this.#kept.close()
    this.#doors.closeAll()
  }

  /** Ends the processes of the application now. */
  kill(): void {
    this.#supervisor.kill()
  }
}
