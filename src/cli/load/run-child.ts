import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, extname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { findOldPeer } from '../../errors/peer-floor.js'
import { CliError } from '../cli-error.js'
import { nearestWith } from '../output-path.js'
import { type Envelope, type Job, type Report, recordsDecorators } from './protocol.js'

/** Options of {@link runChild}. */
export interface ChildOptions {
  readonly cwd: string
  /** The time limit in seconds. */
  readonly timeout: number
  /** Environment variables that differ from this process's variables. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

const CHILD = fileURLToPath(new URL('./child.js', import.meta.url))

/**
 * Runs a job in a child process, so that side effects of the user's code end with that process.
 *
 * @throws CliError if the child takes too long or ends without a report; with status 4 if tsx is missing.
 */
export async function runChild(job: Job, options: ChildOptions): Promise<Report> {
  const launch = launchFor(job.module, options.cwd)
  const child = start(recordsDecorators(job.kind) ? withSourceMaps(launch) : launch, options)
  const stopForwarding = endWithUs(child)
  const timer = { isOver: false }
  const timeout = setTimeout(() => {
    timer.isOver = true
    child.kill('SIGKILL')
  }, options.timeout * 1000)
  try {
    const reported = reportOf(child)
    child.send(job, () => {})
    const report = await reported
    if (report !== undefined) return report
    const name = relative(options.cwd, job.module)
    throw timer.isOver ? timedOut(name, options.timeout) : ended(name, child)
  } finally {
    clearTimeout(timeout)
    stopForwarding()
    child.kill('SIGKILL')
  }
}

/**
 * Enables source maps, so that decorator stacks contain the original TypeScript lines even if the code was compiled
 * beforehand. tsx enables source maps itself.
 */
function withSourceMaps({ nodeOptions, env }: Launch): Launch {
  return { nodeOptions: ['--enable-source-maps', ...nodeOptions], env }
}

function start({ nodeOptions, env }: Launch, { cwd, env: own }: ChildOptions): ChildProcess {
  return spawn(process.execPath, [...nodeOptions, CHILD], {
    cwd,
    // `process.env` comes last, so that the user's own `TSX_TSCONFIG_PATH` takes priority.
    env: { ...env, ...process.env, ...own },
    // The application's output goes to stderr, because stdout contains only the command's result.
    stdio: ['ignore', 2, 2, 'ipc'],
  })
}

/**
 * Returns the child's report; `undefined` if the child ends without a report. The `close` event can occur before the
 * report arrives, so this function waits for both `close` and `disconnect`.
 */
async function reportOf(child: ChildProcess): Promise<Report | undefined> {
  const received = new Promise<Report>((resolve) => {
    child.on('message', (message) => {
      const report = (message as Partial<Envelope> | null)?.blazon
      if (report?.kind !== undefined) resolve(report)
    })
  })
  const isGone = Promise.all([once(child, 'close'), once(child, 'disconnect')])
  return await Promise.race([received, isGone.then(() => undefined)])
}

/**
 * Kills the child when this process receives a signal, because a child in an endless loop cannot detect that its parent
 * has ended.
 */
function endWithUs(child: ChildProcess): () => void {
  const pass = (signal: NodeJS.Signals) => {
    child.kill('SIGKILL')
    process.removeListener(signal, pass)
    process.kill(process.pid, signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, pass)
  return () => {
    for (const signal of signals) process.removeListener(signal, pass)
  }
}

function timedOut(name: string, timeout: number): CliError {
  return new CliError({
    status: 1,
    what: `${name} was not loaded within ${timeout} s.`,
    cause: 'Code in the module, or in a module that it imports, waits for something or never ends.',
    remedy:
      'Look for a top-level `await` (a database connection, a request) and for endless loops; move them into a provider or plugin, which this command does not run. `--timeout` increases the limit.',
  })
}

function ended(name: string, { exitCode, signalCode }: ChildProcess): CliError {
  const how = signalCode === null ? `with status ${exitCode}` : `by ${signalCode}`
  return new CliError({
    status: 1,
    what: `${name} ended the process ${how} while it was loaded.`,
    cause:
      'Code at its top level, or in a module that it imports, calls process.exit() or crashes Node.',
    remedy:
      'The module must only declare the application. End the process in the module that runs the application.',
  })
}

/** The Node options and environment variables for running a module. */
interface Launch {
  readonly nodeOptions: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const TYPESCRIPT = new Set(['.ts', '.mts', '.cts', '.tsx'])

/**
 * Returns how to run a module. Node runs JavaScript itself. TypeScript runs with the project's own tsx.
 *
 * @throws CliError with status 4 if the project has no tsx or its tsx is too old.
 */
export function launchFor(module: string, cwd: string): Launch {
  if (!TYPESCRIPT.has(extname(module))) return { nodeOptions: [], env: {} }
  const places = [dirname(module), cwd]
  const place = places.find((folder) => resolveFrom(folder, 'tsx') !== undefined)
  const tsx = place && resolveFrom(place, 'tsx')
  // The oldest versions have no module for `--import`, so `tsx` cannot be resolved although it is installed.
  for (const folder of place === undefined ? places : [place]) refuseOldTsx(folder)
  if (tsx === undefined) throw missingTsx(module)
  const folder = nearestWith('tsconfig.json', dirname(module))
  // By default, tsx reads the tsconfig in the working directory, which also determines the decorator dialect. The
  // module's own tsconfig is used instead.
  const env = folder === undefined ? {} : { TSX_TSCONFIG_PATH: join(folder, 'tsconfig.json') }
  return { nodeOptions: ['--import', pathToFileURL(tsx).href], env }
}

/** Resolves a package from a folder; `undefined` if it is not installed. */
export function resolveFrom(folder: string, specifier: string): string | undefined {
  try {
    return createRequire(join(folder, 'noop.js')).resolve(specifier)
  } catch {
    return undefined
  }
}

function refuseOldTsx(folder: string): void {
  const old = findOldPeer('tsx', join(folder, 'noop.js'))
  if (old !== null) throw new CliError({ status: 4, what: 'The package tsx is too old.', ...old })
}

function missingTsx(module: string): CliError {
  return new CliError({
    status: 4,
    what: `The package tsx is missing.`,
    cause: `${module} is TypeScript, and Node cannot run TypeScript with decorators.`,
    remedy: 'Run `npm install --save-dev tsx`, or specify a compiled entry: `--entry dist/app.js`.',
  })
}
