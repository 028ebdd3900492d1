import { findEntry } from '../load/find-entry.js'
import { launchFor } from '../load/launch.js'
import { loadConfig } from '../load/load-app.js'
import type { Streams } from '../streams.js'
import type { DevOptions } from './dev-options.js'
import { DevSession } from './dev-session.js'
import { untilSignal } from './until-signal.js'

/** The module that listens comes first; commands that only read prefer the one that declares. */
const MODULES = ['main', 'app', 'index']

/**
 * Runs an application, and starts it again whenever one of its files changes. Ends when the command receives a signal.
 *
 * @throws CliError when there is no entry, tsx is missing, or the dashboard cannot have its port.
 */
export async function runDev(options: DevOptions, streams: Streams): Promise<void> {
  const { path: entry } = await findEntry(options.entry, {
    cwd: options.cwd,
    loadConfig: (path) => loadConfig(path, options),
    names: MODULES,
  })
  // It fails now if tsx is missing, not at every start.
  launchFor(entry, options.cwd)
  const session = new DevSession(entry, options, streams)
  const signals = untilSignal(() => session.kill())
  try {
    await session.start()
    await signals.first
  } finally {
    await session.close()
    signals.stop()
  }
}
