import Module from 'node:module'
import { availableParallelism } from 'node:os'
import type { Streams } from '../streams.js'
import { findBuiltEntry } from './built-entry.js'
import type { StartOptions } from './start-options.js'

/**
 * Runs a built application: alone in this process, or in several workers. With workers it ends when they have ended, and sets
 * the exit code of the process.
 *
 * @throws CliError when there is no entry, or it is TypeScript.
 */
export async function runStart(options: StartOptions, streams: Streams): Promise<void> {
  const entry = findBuiltEntry(options.entry, options.cwd)
  const workers = options.workers === 'auto' ? availableParallelism() : options.workers
  if (workers === 1) return runAlone(entry, options.args)
  const { runWorkers } = await import('./run-workers.js')
  process.exitCode = await runWorkers(entry, { ...options, workers }, streams)
}

/** Runs the module as `node entry` does: it is the main module, and its signals and exit code are those of this process. */
function runAlone(entry: string, args: readonly string[]): void {
  process.setSourceMapsEnabled(true)
  process.argv = [process.execPath, entry, ...args]
  // Node does the same with its own argument. The types do not describe it.
  const { runMain } = Module as unknown as { readonly runMain: () => void }
  runMain()
}
