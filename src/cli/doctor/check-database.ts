import { CliError } from '../cli-error.js'
import { databaseOf } from '../db/db-options.js'
import { runDb } from '../db/run-db.js'
import type { DoctorOptions } from './doctor-options.js'
import { type Checked, notChecked, sentence } from './finding.js'
import type { Project } from './project.js'
import { findImport } from './sources.js'

/** Examines the database as `blazon db doctor` does, if the application keeps tenants in one. */
export async function checkDatabase(
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
