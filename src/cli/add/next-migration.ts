import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { runDb } from '../db/run-db.js'
import { type OutputFile, readText } from '../write-files.js'

/** The file of a migration, and the next step. */
export interface NewMigration extends OutputFile {
  readonly advice: string
}

const NAME = /^(\d{4,14})_(.+)\.sql$/
const EMPTY = '-- Write the statements here. A migration without a statement is refused.\n'
const RESTART = 'before you save another file: `blazon dev` applies new migrations when it restarts'
const TO_WRITE = `Write its statements ${RESTART}, and a migration without a statement is refused.`
const TO_COMPLETE = `The table has no columns of its own yet. Add them ${RESTART}, and an applied file may not change.`

/**
 * The file of a migration, with the number behind the last one. `create_<table>`, where another migration has tables of
 * tenants, is the SQL of `blazon db table`, and any other one is a comment.
 *
 * @param words The words of its name: `create_orders`. If a migration has them, its path is returned.
 */
export async function nextMigration(folder: string, words: string): Promise<NewMigration> {
  const names = existsSync(folder) ? readdirSync(folder).sort() : []
  const last = names.findLast((name) => NAME.test(name)) ?? '0000_'
  const digits = last.indexOf('_')
  const number = String(Number(last.slice(0, digits)) + 1).padStart(digits, '0')
  const existing = names.find((name) => NAME.exec(name)?.[2] === words)
  const path = join(folder, existing ?? `${number}_${words}.sql`)
  const [, table] = /^create_(.+)$/.exec(words) ?? []
  const hasTenants = names.some((name) => readText(join(folder, name))?.includes('tenant_id'))
  if (table === undefined || !hasTenants) return { path, text: EMPTY, advice: TO_WRITE }
  const text = await runDb(({ tenantTable }) => tenantTable(table, { columns: [] }))
  return { path, text, advice: TO_COMPLETE }
}
