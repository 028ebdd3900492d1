import { statSync } from 'node:fs'
import Module from 'node:module'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { CliError } from '../cli-error.js'
import type { Streams } from '../program-context.js'
import type { WorkerTimes } from './worker-pool.js'

/** The options of `blazon start`. */
export interface StartOptions extends WorkerTimes {
  readonly cwd: string
  /** The module to run. */
  readonly entry: string
  /** The arguments for the application. */
  readonly args: readonly string[]
  /** The number of workers. `auto` starts one for each processor that is available to this process. */
  readonly workers: number | 'auto'
  /** Whether the processes run jobs. */
  readonly jobs?: true
}

/**
 * Runs a built application in this process or in several workers. With workers, the function resolves when all workers
 * have ended, and sets the exit code of the process.
 *
 * @throws CliError if the entry is not a file, or is TypeScript.
 */
export async function runStart(options: StartOptions, streams: Streams): Promise<void> {
  const entry = resolve(options.cwd, options.entry)
  checkEntry(entry)
  // `blazon/jobs` reads this variable, and workers inherit it.
  if (options.jobs === true) process.env['BLAZON_JOBS'] = 'work'
  const workers = options.workers === 'auto' ? availableParallelism() : options.workers
  if (workers === 1) return runAlone(entry, options.args)
  const { runWorkers } = await import('./run-workers.js')
  process.exitCode = await runWorkers(entry, { ...options, workers }, streams)
}

function checkEntry(entry: string): void {
  const isFile = statSync(entry, { throwIfNoEntry: false })?.isFile() === true
  const isTypeScript = /\.[cm]?tsx?$/.test(entry)
  if (isFile && !isTypeScript) return
  throw new CliError({
    status: 2,
    what: isTypeScript
      ? `${entry} is TypeScript, but \`blazon start\` runs only JavaScript.`
      : `The entry ${entry} is not a file.`,
    remedy:
      'Build the application (`npm run build`), and specify the result with its extension: `blazon start dist/server.js`.',
  })
}

/** Runs the module like `node entry`: as the main module, with this process's signals and exit code. */
function runAlone(entry: string, args: readonly string[]): void {
  process.setSourceMapsEnabled(true)
  process.argv = [process.execPath, entry, ...args]
  // Node does the same with its own argument. The types do not include `runMain`.
  const { runMain } = Module as unknown as { readonly runMain: () => void }
  runMain()
}
