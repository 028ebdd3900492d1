import { dirname, join, relative, resolve } from 'node:path'
import { findEntry } from '../load/find-entry.js'
import { launchFor } from '../load/launch.js'
import { loadConfig } from '../load/load-app.js'
import { nearestWith } from '../output-path.js'
import type { Streams } from '../streams.js'
import { envFile } from './app-process.js'
import type { Dashboard } from './dashboard/dashboard.js'
import type { DevOptions } from './dev-options.js'
import { FileWatch } from './file-watch.js'
import { KeptProcesses } from './kept-processes.js'
import { Supervisor } from './supervisor.js'

/** The module that listens comes first; commands that only read prefer the module that declares. */
const MODULES = ['main', 'app', 'index']
/** How long a configuration file may take to load. */
const CONFIG_SECONDS = 10
/** Files beside the sources that change how the application starts. */
const SETTINGS = ['package.json', 'tsconfig.json']
/** Ctrl-C, `kill`, and the end of the terminal. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs an application, and starts it again whenever one of its files changes. Ends when the command receives a signal.
 *
 * @throws CliError when there is no entry, tsx is missing, or the dashboard cannot have its port.
 */
export async function runDev(options: DevOptions, streams: Streams): Promise<void> {
  const { cwd } = options
  const { path: entry } = await findEntry(options.entry, {
    cwd,
    loadConfig: (path) => loadConfig(path, { cwd, timeout: CONFIG_SECONDS }),
    names: MODULES,
  })
  // It fails now if tsx is missing, not at every start.
  launchFor(entry, cwd)
  const note = (line: string) => streams.note(`blazon dev: ${line}`)
  const dashboard = await openDashboard(options, (line) => streams.note(line))
  const kept = new KeptProcesses(cwd)
  const watch = new FileWatch(
    (paths) => {
      note(`${paths.map((path) => relative(cwd, path)).join(', ')} changed`)
      void supervisor.restart()
    },
    ({ message }) => note(`Changes of some files are not noticed: ${message}`),
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

/** The files that are watched from the beginning. */
function watchedFrom(entry: string, { cwd, watch = [] }: DevOptions): string[] {
  const settings = SETTINGS.flatMap((name) => {
    const folder = nearestWith(name, dirname(entry))
    return folder === undefined ? [] : [join(folder, name)]
  })
  return [entry, envFile(cwd), ...settings, ...watch.map((path) => resolve(cwd, path))]
}

/** Its code is loaded here, because `--no-dashboard` does not need it. */
async function openDashboard(
  { dashboard, dashboardPort: port = 0 }: DevOptions,
  note: (line: string) => void,
): Promise<Dashboard | undefined> {
  if (!dashboard) return undefined
  const { Dashboard } = await import('./dashboard/dashboard.js')
  return await Dashboard.open({ port, note })
}

/** Settles at the first signal. Each later signal calls `kill`, because the person does not want to wait. */
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
