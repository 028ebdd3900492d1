import { relative } from 'node:path'
import { CliError } from '../cli-error.js'
import { type Entry, NoEntryError } from '../load/find-entry.js'
import type { Failure, PlacedProblem, Report } from '../load/protocol.js'
import { runChild } from '../load/run-child.js'
import { findSourceLine } from '../source-line.js'
import {
  type Checked,
  type Finding,
  finding,
  notChecked,
  type SourcePlace,
  sentence,
} from './finding.js'
import type { DoctorOptions, Project } from './project.js'

/** The result of reading the application. */
export interface CheckedApp extends Checked {
  /** `null` if the application could not be read. */
  readonly usesTenants: boolean | null
}

/** Reads the application with production settings in a separate process, without starting it. */
export async function checkApplication(
  project: Project,
  options: DoctorOptions,
): Promise<CheckedApp> {
  const { entry } = project
  if (entry instanceof NoEntryError)
    return unread(notChecked('no module of an application was found'))
  if (entry instanceof CliError) return unread(only(failed(null, entry.message)))
  const read = await readInProduction(project, entry, options)
  return 'report' in read ? toChecked(project, entry, read) : unread(read)
}

function unread(checked: Checked): CheckedApp {
  return { ...checked, usesTenants: null }
}

function only(...findings: readonly Finding[]): Checked {
  return { findings, notChecked: [] }
}

/** A report, and the checks that could not run. */
interface Read {
  readonly report: Report
  readonly notChecked: readonly string[]
}

/**
 * Reads the application with `NODE_ENV=production`. Variables that are set only in production may be missing on this
 * machine. In that case, the application is read again with this machine's settings.
 */
async function readInProduction(
  { env }: Project,
  { path: module }: Entry,
  options: DoctorOptions,
): Promise<Read | Checked> {
  // In production, the environment provides the variables, and `.env` is not read. Here, `.env` provides them.
  const variables = { ...env, ...process.env }
  const run = (nodeEnv: Readonly<Record<string, string>>) =>
    runChild({ kind: 'doctor', module }, { ...options, env: { ...variables, ...nodeEnv } })
  try {
    const report = await run({ NODE_ENV: 'production' })
    const missing = missingVariables(report)
    if (missing === null) return { report, notChecked: [] }
    const reason = `the differences in production, because the application requires these variables there: ${missing.join(', ')}`
    return { report: await run({}), notChecked: [reason] }
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    // A package that the command needs is missing. The message names it.
    if (error.status === 4) return notChecked(sentence(error.message))
    return only(failed({ file: module, line: null }, error.message))
  }
}

/** Returns the variables that caused a failure; `null` if there is no failure, or it has other causes. */
function missingVariables(report: Report): string[] | null {
  const { problems = [] } = report as Partial<Failure>
  const isOnly = problems.length > 0 && problems.every(({ code }) => code === 'E_ENV_INVALID')
  return isOnly ? problems.map(({ subject }) => subject) : null
}

function toChecked({ cwd }: Project, entry: Entry, { report, notChecked }: Read): CheckedApp {
  const whole: SourcePlace = { file: entry.path, line: null }
  const twice = 'instances' in report ? checkInstances(report.instances ?? [], whole) : []
  const placed = ({ code, place, ...facts }: PlacedProblem) =>
    finding(code, { ...facts, place: place ?? whole })
  if (report.kind === 'doctor') {
    const findings = [...twice, ...report.problems.map(placed)]
    return { findings, notChecked, usesTenants: report.usesTenants }
  }
  const { problems, message, reason, stack = '' } = report as Failure
  // A module with a conventional name is not necessarily an application.
  if (reason === 'no-app' && entry.source === 'convention') {
    const name = relative(cwd, entry.path)
    return unread({ findings: [], notChecked: [...notChecked, `${name} has no application`] })
  }
  // The failure contains warnings only if the option `strict` turns them into errors.
  const errors = problems?.map((each) => ({ ...placed(each), severity: 'error' as const }))
  const line = findSourceLine(stack)
  const isOwn = line !== undefined && !relative(cwd, line.path).startsWith('..')
  const place = isOwn ? { file: line.path, line: line.line } : whole
  return unread({ findings: [...twice, ...(errors ?? [failed(place, message)])], notChecked })
}

function failed(place: SourcePlace | null, message: string): Finding {
  const [what = '', ...rest] = message.trim().split(/\n+/)
  const remedy = rest.at(-1)?.trim() ?? 'Correct the module, so that it can be loaded on its own.'
  const cause = sentence([what, ...rest.slice(0, -1)].join('\n'))
  return finding('E_APP_FAILED', { subject: 'the application', place, cause, remedy })
}

/** Reports several instances of this package in one process, because each reads only its own decorators' metadata. */
function checkInstances(instances: readonly string[], place: SourcePlace): Finding[] {
  if (instances.length < 2) return []
  return [
    finding('E_PACKAGE_INSTANCES', {
      subject: 'blazon',
      place,
      cause: `One process has loaded it ${instances.length} times: ${instances.join(', ')}. Decorators, tokens and errors of one instance are not recognized by another.`,
      remedy:
        'Import it everywhere from the same copy and in the same way: with `import`, or with `require`. If another package loads it, see E_PACKAGE_TWICE.',
    }),
  ]
}
