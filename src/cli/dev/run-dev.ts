import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findEntry } from '../load/find-entry.js'
import { loadConfig } from '../load/load-app.js'
import { launchFor } from '../load/run-child.js'
import { nearestWith } from '../output-path.js'
import type { Streams } from '../program-context.js'
import { AppProcess, envFile } from './app-process.js'
import type { Dashboard } from './dashboard/dashboard.js'
import { stopwatch } from './deadline.js'
import type { DevOptions } from './dev-options.js'
import { FileWatch } from './file-watch.js'
import { KeptProcesses } from './kept-processes.js'
import type { ChildMessage } from './protocol.js'

/**
 * The names of conventional modules. The module that listens comes first. Most other commands only read the
 * application, so they prefer the module that declares it.
 */
const MODULES = ['main', 'app', 'index']
/** The time limit for loading a configuration file, in seconds. */
const CONFIG_SECONDS = 10
/** Files, besides the sources, that affect how the application starts. */
const SETTINGS = ['package.json', 'tsconfig.json']
/** The signals from Ctrl-C, from `kill`, and from a closed terminal. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs an application, and restarts it whenever one of its files changes. Ends when the command receives a signal.
 *
 * @throws CliError if there is no entry, tsx is missing, or the dashboard's port is in use.
 */
export async function runDev(options: DevOptions, streams: Streams): Promise<void> {
  const { cwd } = options
  const { path: entry } = await findEntry(options.entry, {
    cwd,
    loadConfig: (path) => loadConfig(path, { cwd, timeout: CONFIG_SECONDS }),
    names: MODULES,
  })
  // `launchFor` is called here so that a missing tsx is reported immediately, not at every start.
  launchFor(entry, cwd)
  const note = (line: string) => streams.note(`blazon dev: ${line}`)
  const dashboard = await openDashboard(options, (line) => streams.note(line))
  const kept = new KeptProcesses(cwd)
  const watch = new FileWatch(
    (paths) => {
      note(`${paths.map((path) => relative(cwd, path)).join(', ')} changed`)
      void supervisor.restart()
    },
    ({ message }) => note(`Changes to some files are not detected: ${message}`),
  )
  const supervisor = new Supervisor({ entry, options, streams, kept, dashboard, watch })
  for (const path of watchedFrom(entry, options)) watch.add(path)
  note(relative(cwd, entry))
  if (dashboard !== undefined) note(`dashboard ${dashboard.url}`)
  const end = endOf(() => supervisor.kill())
  await supervisor.restart()
  await end
  watch.close()
  dashboard?.close()
  await supervisor.close()
  await kept.close()
}

/** Returns the files that are watched from the beginning. */
function watchedFrom(entry: string, { cwd, watch = [] }: DevOptions): string[] {
  const settings = SETTINGS.flatMap((name) => {
    const folder = nearestWith(name, dirname(entry))
    return folder === undefined ? [] : [join(folder, name)]
  })
  return [entry, envFile(cwd), ...settings, ...watch.map((path) => resolve(cwd, path))]
}

/** Opens the dashboard. Its code is loaded here, because it is not needed with `--no-dashboard`. */
async function openDashboard(
  { dashboard, dashboardPort: port = 0 }: DevOptions,
  note: (line: string) => void,
): Promise<Dashboard | undefined> {
  if (!dashboard) return undefined
  const { Dashboard } = await import('./dashboard/dashboard.js')
  return await Dashboard.open({ port, note })
}

/** Settles at the first signal. Each later signal calls `kill`, so that the user need not wait. */
function endOf(kill: () => void): Promise<void> {
  let isOver = false
  return new Promise((resolve) => {
    const receive = () => {
      if (isOver) kill()
      isOver = true
      resolve()
    }
    for (const signal of SIGNALS) process.on(signal, receive)
  })
}

/** How long a process can take to end, in milliseconds: when it is replaced, and when the command ends. */
const RESTART_MS = 2000
const END_MS = 5000

/** The configuration of {@link Supervisor}. */
interface SupervisorConfig {
  readonly entry: string
  readonly options: DevOptions
  readonly streams: Streams
  readonly kept: KeptProcesses
  /** Shows the processes' reports; `undefined` if there is no dashboard. */
  readonly dashboard: Dashboard | undefined
  /** Receives the files that a process has read, and the process's start time in milliseconds since 1970. */
  readonly watch: FileWatch
}

/**
 * Runs the application: at most one process is serving, and at most one is starting. When the new process is about to
 * listen, the old process is ended, and only then is the new one allowed to listen. So the port is free, and a process
 * that fails to start does not replace the old one.
 */
class Supervisor {
  readonly #config: SupervisorConfig
  readonly #all = new Set<AppProcess>()
  #serving: AppProcess | undefined
  #starting: AppProcess | undefined
  #isClosed = false
  #elapsed = () => 0
  /** The port of each server, keyed by the number of its `listen` call. */
  readonly #ports: Record<number, number> = {}

  constructor(config: SupervisorConfig) {
    this.#config = config
  }

  /** Starts a process. Kills a process that is still starting. */
  async restart(): Promise<void> {
    const { entry, options, watch, dashboard } = this.#config
    dashboard?.starting()
    this.#elapsed = stopwatch()
    const superseded = this.#starting
    this.#starting = undefined
    await superseded?.kill()
    // The next process needs the debugger's port.
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

  /** Handles a process that has ended by itself. */
  #fail(app: AppProcess, how: string): void {
    const { streams, watch, dashboard } = this.#config
    const isStart = app === this.#starting
    if (this.#isClosed || !(isStart || app === this.#serving)) return
    if (isStart) this.#starting = undefined
    else this.#serving = undefined
    const what = isStart ? 'did not start' : 'ended'
    const isServed = this.#serving !== undefined && this.#all.has(this.#serving)
    const rest = isServed ? ' The last process that started is still running.' : ''
    const failure = `The application ${what}: its process ended ${how}.${rest}`
    streams.note(`blazon dev: ${failure} It restarts when a file is saved.`)
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

  /** Kills all processes immediately. */
  kill(): void {
    for (const app of this.#all) void app.kill()
  }
}

/** Returns the path of a module that is not part of a package. */
function ownPath(url: string): string[] {
  const isOwn = url.startsWith('file:') && !url.includes('/node_modules/')
  return isOwn ? [fileURLToPath(url.replace(/[?#].*$/, ''))] : []
}
