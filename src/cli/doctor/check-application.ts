import { relative } from 'node:path'
import type { ProductionProblem } from '../../app/doctor/production-options.js'
import type { Problem } from '../../errors/config-error.js'
import { CliError } from '../cli-error.js'
import type { Entry } from '../load/find-entry.js'
import type { Failure, Report } from '../load/protocol.js'
import { runChild } from '../load/run-child.js'
import { findOwnLine } from '../own-line.js'
import type { DoctorOptions } from './doctor-options.js'
import { type Checked, type Finding, finding, notChecked, type Place, sentence } from './finding.js'
import { escaped } from './json-text.js'
import { hasNoEntry, type Project } from './project.js'
import { findIn } from './sources.js'

/** The result of reading the application. */
export interface CheckedApp extends Checked {
  /** `null` if the application could not be read. */
  readonly usesTenants: boolean | null
}

/** Reads the application as it is in production, in a process of its own, and without starting it. */
export async function checkApplication(
  project: Project,
  options: DoctorOptions,
): Promise<CheckedApp> {
  const { entry } = project
  if (entry instanceof CliError) {
    if (hasNoEntry(project)) return unread(notChecked('no module of an application was found'))
    return unread({ findings: [failed(project, null, entry.message)], notChecked: [] })
  }
  const read = await readInProduction(project, entry, options)
  return 'report' in read ? toChecked(project, entry, read) : unread(read)
}

function unread(checked: Checked): CheckedApp {
  return { ...checked, usesTenants: null }
}

/** A report, and what could not be found out. */
interface Read {
  readonly report: Report
  readonly notChecked: readonly string[]
}

/**
 * Reads the application with `NODE_ENV=production`. Variables that are only set in production may be missing here: then as it
 * is here.
 */
async function readInProduction(
  { env }: Project,
  { path: module }: Entry,
  options: DoctorOptions,
): Promise<Read | Checked> {
  // `.env` is not read in production. Here it stands for the variables that are set there.
  const variables = { ...env, ...process.env }
  const run = (nodeEnv: Readonly<Record<string, string>>) =>
    runChild({ kind: 'doctor', module }, { ...options, env: { ...variables, ...nodeEnv } })
  try {
    const report = await run({ NODE_ENV: 'production' })
    const missing = missingVariables(report)
    if (missing === null) return { report, notChecked: [] }
    const reason = `what is different in production, where these are needed: ${missing.join(', ')}`
    return { report: await run({}), notChecked: [reason] }
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    // A package of the command is missing; it says which one.
    if (error.status === 4) return notChecked(sentence(error.message))
    const place = { file: module, line: null }
    return { findings: [failedWith(place, error.message)], notChecked: [] }
  }
}

/** The variables that a failure is about; `null` if it is about something else, too. */
function missingVariables(report: Report): string[] | null {
  const { problems = [] } = report as Partial<Failure>
  const isOnly = problems.length > 0 && problems.every(({ code }) => code === 'E_ENV_INVALID')
  return isOnly ? problems.map(({ subject }) => subject) : null
}

function toChecked(project: Project, entry: Entry, { report, notChecked }: Read): CheckedApp {
  const twice = 'instances' in report ? checkInstances(report.instances ?? [], entry) : []
  const placed = (problem: Problem | ProductionProblem) => place(project, entry, problem)
  if (report.kind === 'doctor') {
    const findings = [...twice, ...report.problems.map(placed)]
    return { findings, notChecked, usesTenants: report.usesTenants }
  }
  const { problems, ...failure } = report as Failure
  // Warnings are among them only if the option `strict` makes them errors.
  const errors = problems?.map((each) => ({ ...placed(each), severity: 'error' as const }))
  if (errors === undefined && isWithoutApp(failure, entry)) {
    const name = relative(project.cwd, entry.path)
    return unread({ findings: [], notChecked: [...notChecked, `${name} has no application`] })
  }
  const findings = [
    ...twice,
    ...(errors ?? [failed(project, entry, failure.message, failure.stack)]),
  ]
  return unread({ findings, notChecked })
}

/** A module with a conventional name need not be an application. */
function isWithoutApp({ reason }: Pick<Failure, 'reason'>, { source }: Entry): boolean {
  return reason === 'no-app' && source === 'convention'
}

function failed({ cwd }: Project, entry: Entry | null, message: string, stack?: string): Finding {
  const line = findOwnLine(stack ?? '')
  const isOwn = line !== undefined && !relative(cwd, line.path).startsWith('..')
  const whole = entry === null ? null : { file: entry.path, line: null }
  return failedWith(isOwn ? { file: line.path, line: line.line } : whole, message)
}

function failedWith(place: Place | null, message: string): Finding {
  const [what = '', ...rest] = message.trim().split(/\n+/)
  const remedy = rest.at(-1)?.trim() ?? 'Correct it: the module must be loadable alone.'
  const cause = sentence([what, ...rest.slice(0, -1)].join('\n'))
  return finding('E_APP_FAILED', { subject: 'the application', place, cause, remedy })
}

/** Two instances in one process: what decorators of one write, the other cannot read. */
function checkInstances(instances: readonly string[], entry: Entry): Finding[] {
  if (instances.length < 2) return []
  return [
    finding('E_PACKAGE_INSTANCES', {
      subject: 'blazon',
      place: { file: entry.path, line: null },
      cause: `One process has loaded it ${instances.length} times: ${instances.join(', ')}. Decorators, tokens and errors of one instance mean nothing to another.`,
      remedy:
        'Import it everywhere from the same copy and in the same way: by `import`, or by `require`. If another package loads it, see E_PACKAGE_TWICE.',
    }),
  ]
}

/** The finding of a problem, with the place of its subject in the sources. */
function place(project: Project, entry: Entry, problem: Problem | ProductionProblem): Finding {
  const { code, subject, cause, remedy } = problem
  const found = placeOf(project, subject) ?? { file: entry.path, line: null }
  return finding(code, { subject, place: found, cause, remedy })
}

/**
 * Finds a subject in the text of the sources: `UsersController.getById`, `security.cors`, `middlewares[0]`. The application need
 * not be readable for that.
 */
function placeOf({ sources }: Project, subject: string): Place | null {
  const [, name = '', member] = /^([\w$]+)(?:\.([\w$]+))?/.exec(subject) ?? []
  if (name === '') return null
  const atClass = findIn(sources, new RegExp(`\\bclass\\s+${escaped(name)}\\b`))
  if (atClass === null)
    return (
      findIn(sources, new RegExp(`^\\s*(?:${escaped(member ?? name)})\\s*[:,]`, 'm')) ??
      findIn(sources, new RegExp(`\\b${escaped(member ?? name)}\\s*:`))
    )
  const method = member === undefined ? null : methodIn(sources, atClass, member)
  return method ?? atClass
}

function methodIn(sources: Project['sources'], { file, line }: Place, name: string): Place | null {
  const text = sources.find((source) => source.file === file)?.text ?? ''
  const before = (line ?? 1) - 1
  const rest = text.split('\n').slice(before).join('\n')
  const pattern = new RegExp(
    `^\\s*(?:(?:public|protected|override|async)\\s+|\\*\\s*)*${escaped(name)}\\s*[(<=]`,
    'm',
  )
  const found = findIn([{ file, text: rest }], pattern)
  if (found?.line == null) return null
  // The pattern may begin with empty lines.
  const blank =
    /^\s*\n/.exec(
      rest
        .split('\n')
        .slice(found.line - 1)
        .join('\n'),
    )?.[0] ?? ''
  return { file, line: found.line + before + blank.split('\n').length - 1 }
}
