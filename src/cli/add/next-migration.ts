import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { CliError } from '../cli-error.js'
import { runDb } from '../db/run-db.js'
import { readText } from '../write-files.js'
import { inFolder, type Project } from './project-files.js'
import type { PartFile } from './read-part.js'

/** The file of a migration. */
export interface MigrationPart extends PartFile {
  /** What to do next; `undefined` for a file that exists. */
  readonly advice?: string
}

const NAME = /^(\d{4,14})_(.+)\.sql$/
/** Numbers of so many digits are dates. */
const DATE_DIGITS = 12
const EMPTY = '-- Write the statements here. A migration without a statement is refused.\n'
const RESTART = 'before you save another file: `blazon dev` applies new migrations when it restarts'
const TO_WRITE = `Write its statements ${RESTART}, and a migration without a statement is refused.`
const TO_COMPLETE = `The table has no columns of its own yet. Add them ${RESTART}, and an applied file may not change.
Where it is applied already, add the columns in another migration, or delete the folder of the embedded database.`

/** The folder and the words of a migration's name: `create_orders`. */
export interface MigrationPlan {
  readonly folder: string
  readonly words: string
}

/**
 * The file of a migration, with the number behind the last one. A migration that exists under these words has its own
 * text. `create_<table>` in a project with tenants is the SQL of `blazon db table`, and any other one is a comment.
 *
 * @throws CliError when there is no number behind the last one, or the table cannot have the name.
 */
export async function nextMigration(
  { folder, words }: MigrationPlan,
  project: Project,
): Promise<MigrationPart> {
  const path = (name: string) => inFolder(folder, name)
  const read = (name: string) => readText(join(project.root, path(name))) ?? ''
  const names = namesIn(join(project.root, folder))
  const existing = names.find((name) => NAME.exec(name)?.[2] === words)
  if (existing !== undefined) return { path: path(existing), text: read(existing) }
  const last = names.findLast((name) => NAME.test(name)) ?? '0000_'
  const file = path(`${numberAfter(last.slice(0, last.indexOf('_')))}_${words}.sql`)
  const [, table] = /^create_(.+)$/.exec(words) ?? []
  const code = project.sources.map(({ mask }) => mask)
  const hasTenants = [...code, ...names.map(read)].some((text) =>
    /@Tenant\b|\btenant\s*:|\btenant_id\b/.test(text),
  )
  if (table === undefined || !hasTenants) return { path: file, text: EMPTY, advice: TO_WRITE }
  const text = await runDb(({ tenantTable }) => tenantTable(table, { columns: [] }))
  return { path: file, text, advice: TO_COMPLETE }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

function numberAfter(last: string): string {
  const date = new Date().toISOString().replace(/\D/g, '').slice(0, last.length)
  const next = String(BigInt(last) + 1n).padStart(last.length, '0')
  const number = last.length >= DATE_DIGITS && date > last ? date : next
  if (number.length === last.length) return number
  throw new CliError({
    status: 2,
    what: `No migration can follow the number ${last}.`,
    cause: `All numbers have ${last.length} digits.`,
    remedy: 'Give all files numbers with more digits, before they are applied anywhere.',
  })
}
