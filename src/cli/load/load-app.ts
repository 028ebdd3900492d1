import { relative } from 'node:path'
import { CliError } from '../cli-error.js'
import { findSourceLine, formatSourceLine } from '../source-line.js'
import { type Entry, findEntry } from './find-entry.js'
import type { Failure, Question, Report } from './protocol.js'
import { type ChildOptions, runChild } from './run-child.js'

/** The application to read, and how to read it. */
export interface LoadOptions extends ChildOptions {
  /** The value of `--entry`. */
  readonly entry?: string | undefined
  /** The names of conventional modules, in order of preference. Default: `app`, `main`, `index`. */
  readonly names?: readonly string[]
}

type ReportOf<K> = Extract<Report, { kind: K }>

/**
 * Runs a query about an application in a child process. Only `replay` starts the application.
 *
 * @throws CliError if there is no application, or if it cannot be read.
 */
export async function loadApp<Q extends Question>(
  question: Q,
  options: LoadOptions,
): Promise<ReportOf<Q['kind']>> {
  const entry = await findEntry(options.entry, {
    cwd: options.cwd,
    loadConfig: (path) => loadConfig(path, options),
    ...(options.names === undefined ? {} : { names: options.names }),
  })
  const report = await runChild({ ...question, module: entry.path }, options)
  if (report.kind === 'failure') throw toCliError(report, entry, options.cwd)
  return report as ReportOf<Q['kind']>
}

/**
 * Loads a configuration module in a child process.
 *
 * @throws CliError if it cannot be loaded.
 */
export async function loadConfig(path: string, options: ChildOptions): Promise<unknown> {
  const report = await runChild({ kind: 'config', module: path }, options)
  if (report.kind === 'config') return report.config
  throw new CliError({
    status: 2,
    what: `${path} cannot be loaded.`,
    cause: (report as Failure).message,
    remedy: "Write a module with `export default { entry: 'src/app.ts' }`.",
    stack: (report as Failure).stack,
  })
}

type Reason = Exclude<Failure['reason'], 'declaration'>

const REMEDIES: Readonly<Record<Reason, string>> = {
  threw:
    'Make sure that the module can be loaded on its own; `--verbose` shows where the error was thrown.',
  'no-app':
    'Export the App, its options, or a function `createApp` that returns one of them; or specify another module with --entry.',
  'several-apps':
    'Export the intended application as `app`, or use --entry to specify a module that creates only one.',
}

function toCliError({ reason, message, stack }: Failure, entry: Entry, cwd: string): CliError {
  // The message already contains the subject, the cause and the remedy of each problem.
  if (reason === 'declaration') return new CliError({ status: 1, what: message, stack })
  const name = relative(cwd, entry.path) || entry.path
  const what: Record<Reason, string> = {
    threw: `${name} failed while it was loaded.`,
    'no-app': `${name} has no application.`,
    'several-apps': `${name} has several applications.`,
  }
  const cause: Record<Reason, string> = {
    threw: `${message}${locationOf(stack, cwd)}`,
    'no-app': `${message}${entry.source === 'convention' ? ' It was found by its name.' : ''}`,
    'several-apps': message,
  }
  const facts = { what: what[reason], cause: cause[reason], remedy: REMEDIES[reason] }
  return new CliError({ status: 1, ...facts, stack })
}

/** Returns the innermost position in the project's own code from a stack. */
function locationOf(stack: string | undefined, cwd: string): string {
  const place = findSourceLine(stack ?? '')
  return place === undefined ? '' : ` (${formatSourceLine(place, cwd)})`
}
