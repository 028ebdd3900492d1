import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'

/** Ignored by git. */
const TEMPLATES = fileURLToPath(new URL('../.cache/pglite', import.meta.url))

const create = PGlite.create as (options: PGliteOptions) => Promise<PGlite>
let template: Promise<Blob> | undefined
/** PGlite calls `create` again while `create` runs `initdb`. */
let isMakingTemplate = false

/**
 * From now on, each database of this process that does not exist yet starts as a copy of an empty one, because `initdb`
 * takes four seconds of the processor. Processes of the command line still run `initdb`, unless their project has the stand-in of
 * `test/cli/pglite-stand-in.ts`.
 */
export function startPgliteFromTemplate(): void {
  PGlite.create = (async (options: PGliteOptions) => {
    const hasFiles = options.fs !== undefined || options.loadDataDir !== undefined
    if (isMakingTemplate || hasFiles || exists(options.dataDir)) return await create(options)
    template ??= templateFile().then((file) => new Blob([readFileSync(file)]))
    return await create({ ...options, loadDataDir: await template })
  }) as typeof PGlite.create
}

function exists(folder: string | undefined): boolean {
  return folder !== undefined && existsSync(join(folder, 'PG_VERSION'))
}

/**
 * The files of an empty database, kept for each version of PGlite. Several processes may make them at the same time:
 * each writes its own file, and the last to finish gives it its name.
 */
export async function templateFile(): Promise<string> {
  const file = join(TEMPLATES, `${versionOfPglite()}.tar`)
  if (!existsSync(file)) {
    mkdirSync(TEMPLATES, { recursive: true })
    isMakingTemplate = true
    writeFileSync(`${file}.${process.pid}`, await dumpEmptyDatabase())
    isMakingTemplate = false
    renameSync(`${file}.${process.pid}`, file)
  }
  return file
}

async function dumpEmptyDatabase(): Promise<Uint8Array> {
  const database = await create({})
  // Otherwise every copy would replay the changes of `initdb`.
  await database.exec('CHECKPOINT')
  const dump = await database.dumpDataDir('none')
  await database.close()
  return new Uint8Array(await dump.arrayBuffer())
}

function versionOfPglite(): string {
  const main = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  return createHash('sha256').update(readFileSync(main)).digest('hex').slice(0, 16)
}
