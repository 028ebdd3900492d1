import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { Connection, Driver, DriverContext, PoolUsage } from '../driver.js'
import { findKeeper } from '../keeper/find-keeper.js'
import { type PostgresOptions, timeoutsOf } from '../options/postgres-options.js'
import { busy, unavailable } from './failures.js'
import { Lending } from './lending.js'
import { type FolderNode, MemoryFiles, type Node, Pages } from './memory-files.js'
import { openFolder } from './open-folder.js'
import { PgliteConnection, type PgliteLoan } from './pglite-connection.js'
import { PgliteEngine } from './pglite-engine.js'
import {
  type EmbeddedEngine,
  loadFilesystem,
  loadPglite,
  type PgliteFiles,
} from './pglite-package.js'

/**
 * The driver for a database that PGlite runs in this process, or in a process of `blazon dev`. It has one connection.
 */
export class PgliteDriver implements Driver {
  readonly size = 1
  readonly isEmbedded = true
  readonly #place: string
  readonly #acquireMs: number
  readonly #idleMs: number
  readonly #lending = new Lending(1)
  #engine: EmbeddedEngine | undefined
  /** The files of an in-memory database. */
  #files: MemoryFiles | undefined
  #closing: Promise<void> | undefined

  constructor(place: string, options: PostgresOptions) {
    this.#place = place
    const { acquireMs, idleInTransactionMs } = timeoutsOf(options)
    this.#acquireMs = acquireMs
    this.#idleMs = idleInTransactionMs
  }

  usage(): PoolUsage {
    return this.#lending.usage()
  }

  async open({ state }: DriverContext): Promise<void> {
    if (this.#place !== 'memory') {
      this.#engine = await (findKeeper() ?? openFolder)(this.#place)
      return
    }
    const { engine, files } = await openInMemory(recallFiles(state))
    this.#engine = engine
    this.#files = files
  }

  async remember(state: string): Promise<void> {
    if (this.#files === undefined || recallFiles(state) !== undefined) return
    const connection = await this.connect()
    try {
      // Without a checkpoint, every database that starts from these files would replay the migrations.
      await connection.script('CHECKPOINT')
      rememberFiles(state, this.#files.snapshot())
    } finally {
      connection.release()
    }
  }

  async connect(): Promise<Connection> {
    const engine = this.#engine
    if (engine === undefined) throw closed()
    await this.#lending.take(this.#acquireMs, () => busy())
    if (engine.crash === undefined) await engine.take().catch(() => undefined)
    if (engine.crash === undefined) return new PgliteConnection(engine, this.#loan(engine))
    this.#lending.release()
    throw unavailable(engine.crash)
  }

  #loan(engine: EmbeddedEngine): PgliteLoan {
    const end = () => {
      engine.giveBack()
      this.#lending.release()
    }
    return { idleMs: this.#idleMs, end }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close().finally(() => {
      this.#closing = undefined
    })
    return this.#closing
  }

  async #close(): Promise<void> {
    const engine = this.#engine
    this.#engine = undefined
    this.#files = undefined
    this.#lending.refuse(closed())
    await this.#lending.whenIdle()
    await engine?.close()
  }
}

function closed(): Error {
  return unavailable(new Error('The database is not open.'))
}

interface InMemory {
  readonly engine: PgliteEngine
  readonly files: MemoryFiles
}

/**
 * Opens a separate in-memory database.
 *
 * @param snapshot The files with which the database starts. Default: the files of an empty database.
 * @throws ConfigError if PGlite is missing.
 */
async function openInMemory(snapshot?: FolderNode): Promise<InMemory> {
  const files = new MemoryFiles(snapshot ?? (await initialFiles()))
  return { files, engine: await PgliteEngine.start({ fs: await loadFilesystem(files) }) }
}

/**
 * The maximum number of stored states. A test file usually has one database state, rarely two. Each state takes a few
 * megabytes.
 */
const MOST = 4

const remembered = new Map<string, FolderNode>()

/** Returns the files of a database in this state, if this process has created one. */
function recallFiles(state: string | undefined): FolderNode | undefined {
  return state === undefined ? undefined : remembered.get(state)
}

function rememberFiles(state: string, files: FolderNode): void {
  const [oldest] = remembered.keys()
  if (oldest !== undefined && remembered.size >= MOST) remembered.delete(oldest)
  remembered.set(state, files)
}

const NAME = '@electric-sql/pglite'
/** The folder in which PGlite expects the database files. */
const DATA = '/pglite/data'
/** The version of the cache file's format. */
const FORM = 1

interface CacheFile {
  readonly key: string
  readonly root: FolderNode
}

let initial: Promise<FolderNode> | undefined

/**
 * Returns the files of an empty database. Creating them with `initdb` takes seconds, so they are cached in this
 * process, and in `node_modules/.cache/blazon` for other processes.
 *
 * @throws ConfigError if PGlite cannot be loaded.
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
  // Without a checkpoint, every database that starts from these files would replay the changes of `initdb`.
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

interface Home {
  /** The cache key. A published version never changes, so the cache is never out of date. */
  readonly key: string
  readonly file: string
}

/** Finds the package; `null` if there is no `node_modules` folder, as in a bundle or with Plug'n'Play. */
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
    // A bundle in CommonJS format has no module URL.
    return []
  }
}

async function read({ key, file }: Home): Promise<FolderNode | null> {
  try {
    const kept = deserialize(await readFile(file)) as CacheFile
    return kept.key === key ? kept.root : null
  } catch {
    // The file does not exist, or is damaged.
    return null
  }
}

/**
 * Stores the files in the cache. Processes that do this at the same time overwrite each other's file, which has the
 * same content.
 */
async function keep({ key, file }: Home, root: FolderNode): Promise<void> {
  const whole = `${file}.${process.pid}`
  try {
    await mkdir(join(file, '..'), { recursive: true })
    await writeFile(whole, serialize({ key, root } satisfies CacheFile))
    await rename(whole, file)
  } catch {
    // The cache is optional, and its folder may be read-only.
  }
}
