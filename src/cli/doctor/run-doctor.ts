import { CliError } from '../cli-error.js'
import { databaseOf } from '../db/db-options.js'
import { runDb } from '../db/run-db.js'
import type { Streams } from '../streams.js'
import { checkApplication } from './check-application.js'
import { checkPackages } from './check-packages.js'
import { checkPeers } from './check-peers.js'
import type { DoctorOptions } from './doctor-options.js'
import { type Checked, notChecked, sentence } from './finding.js'
import { type Project, readProject } from './project.js'
import { type Group, toJson, toText } from './report.js'
import { findImport } from './sources.js'

/**
 * Examines a project, and prints its mistakes.
 *
 * @throws CliError with status 1 when something is an error, or a warning under `--strict`; with status 2 when `--entry` is
 * wrong.
 */
export async function runDoctor(options: DoctorOptions, streams: Streams): Promise<void> {
  const project = await readProject(options)
  const groups = await check(project, options)
  if (options.json === true) streams.out(`${JSON.stringify(toJson(groups, project), null, 2)}\n`)
  else streams.out(toText(groups, project))
  const all = groups.flatMap(({ findings }) => findings)
  const errors = all.filter(({ severity }) => severity === 'error').length
  const warnings = all.length - errors
  const summary = `${count(errors, 'error')}, ${count(warnings, 'warning')}.`
  if (errors > 0 || (options.strict === true && warnings > 0)) {
    throw new CliError({ status: 1, what: summary })
  }
  streams.note(all.length === 0 ? 'Nothing was found.' : summary)
}

async function check(project: Project, options: DoctorOptions): Promise<Group[]> {
  const app = await checkApplication(project, options)
  return [
    { name: 'packages', ...checkPackages(project) },
    { name: 'optional packages', ...checkPeers(project) },
    { name: 'application', ...app },
    { name: 'database', ...(await checkDatabase(project, app.usesTenants, options)) },
  ]
}

function count(length: number, what: string): string {
  return `${length} ${what}${length === 1 ? '' : 's'}`
}

/** Examines the database as `blazon db doctor` does, if the application keeps tenants in one. */
async function checkDatabase(
  { sources, cwd, env }: Project,
  usesTenants: boolean | null,
  options: DoctorOptions,
): Promise<Checked> {
  if (findImport(sources, 'postgres') === null)
    return notChecked('the code does not use blazon/postgres')
  if (usesTenants !== true) return notChecked(untenanted(usesTenants))
  const url = [options.url, process.env['DATABASE_URL'], env['DATABASE_URL']].find(Boolean)
  if (url === undefined) {
    return notChecked(
      'DATABASE_URL is not set; `blazon db doctor --embedded <folder>` examines an embedded database',
    )
  }
  try {
    const database = databaseOf({ ...options, cwd, url }, true)
    const findings = await runDb(({ doctor }) => doctor(database), database)
    return { findings: findings.map((each) => ({ ...each, place: null })), notChecked: [] }
  } catch (error) {
    if (error instanceof CliError) return notChecked(sentence(error.message))
    throw error
  }
}

function untenanted(usesTenants: false | null): string {
  return usesTenants === null
    ? 'the application could not be read, so it is not known whether it has tenants'
    : 'the application has no tenants that a database would keep apart'
}
