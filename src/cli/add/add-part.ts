import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { CliError } from '../cli-error.js'
import { runDb } from '../db/run-db.js'
import { readInstalled } from '../installed.js'
import { nearestWith } from '../output-path.js'
import type { ProgramContext } from '../program-context.js'
import { type OutputFile, readText } from '../write-files.js'
import { writeNew } from '../write-new.js'
import { capital, type Kind, type PartName, partName } from './part-name.js'
import { importOf, readPart } from './read-part.js'

/** The file of a migration, and the next step. */
interface NewMigration extends OutputFile {
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
async function nextMigration(folder: string, words: string): Promise<NewMigration> {
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

/** A part to add. */
export interface NewPart {
  readonly kind: Kind
  readonly name: string
  /** The folder of its files. */
  readonly dir?: string
}

/** Where the application lists each kind. */
const LISTS = {
  controller: (name: string) => `controllers: [${name}],`,
  module: (name: string) => `modules: [${name}],`,
  plugin: (name: string) => `plugins: [${name}],`,
  guard: (name: string) => `auth: { guard: ${name} },`,
}

/**
 * Adds a part to the project of the current folder: writes its files, and prints the line that lists it in the application.
 *
 * @throws CliError when the name or the folder is wrong, or a file exists. Then nothing was written.
 */
export async function addPart(
  { kind, name: given, dir }: NewPart,
  { cwd, streams }: ProgramContext,
): Promise<void> {
  const name = partName(given, kind)
  const { root, manifest } = projectOf(cwd)
  const place = { root, option: '--dir' }
  const named = dir === undefined ? undefined : resolve(cwd, dir)
  if (kind === 'migration') {
    const { advice, ...file } = await nextMigration(named ?? join(root, 'migrations'), name.snake)
    writeNew([file], place, streams)
    return streams.out(`\n${advice}\n`)
  }
  const sources = join(root, existsSync(join(root, 'src')) ? 'src' : '')
  const folder = named ?? join(sources, kind === 'module' ? name.kebab : '')
  const { dependencies, devDependencies } = manifest
  const files = readPart({
    kind,
    name,
    folder,
    testFolder: join(root, 'test'),
    runner: 'vitest' in { ...dependencies, ...devDependencies } ? 'vitest' : 'node:test',
    hasZod: 'zod' in { ...dependencies },
  })
  writeNew(files, place, streams)
  const exported = exportOf(kind, name)
  const line = importOf(exported, sources, join(folder, `${name.kebab}-${kind}.js`))
  streams.out(`\nAdd to the application:\n  ${line}\n  ${LISTS[kind](exported)}\n`)
}

function exportOf(kind: Kind, { pascal, camel }: PartName): string {
  return `${kind === 'controller' || kind === 'guard' ? pascal : camel}${capital(kind)}`
}

function projectOf(cwd: string) {
  const root = nearestWith('package.json', cwd)
  const project = root === undefined ? null : readInstalled(root)
  if (root !== undefined && project !== null) return { root, manifest: project.manifest }
  throw new CliError({
    status: 2,
    what: `${cwd} is in no project.`,
    cause: 'There is no package.json in it or above it, or the file is not JSON.',
    remedy: 'Run the command in a project. `blazon new` makes one.',
  })
}
