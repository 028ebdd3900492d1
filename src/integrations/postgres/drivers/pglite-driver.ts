import type { Connection, Driver, DriverContext, PoolUsage } from '../driver.js'
import { findKeeper } from '../keeper/find-keeper.js'
import { type PostgresOptions, timeoutsOf } from '../options/postgres-options.js'
import type { EmbeddedEngine } from './embedded-engine.js'
import { busy, unavailable } from './failures.js'
import { initialFiles } from './initial-files.js'
import { Lending } from './lending.js'
import { type FolderNode, MemoryFiles } from './memory-files.js'
import { openFolder } from './open-folder.js'
import { PgliteConnection, type PgliteLoan } from './pglite-connection.js'
import { PgliteEngine } from './pglite-engine.js'
import { loadFilesystem } from './pglite-package.js'

/** A file of tests has one state of its database, seldom two. Each takes a few megabytes. */
const MOST = 4

const remembered = new Map<string, FolderNode>()

/** Returns the files of a database in this state, if an application of this process has made one. */
function recallFiles(state: string | undefined): FolderNode | undefined {
  return state === undefined ? undefined : remembered.get(state)
}

function rememberFiles(state: string, files: FolderNode): void {
  const [oldest] = remembered.keys()
  if (oldest !== undefined && remembered.size >= MOST) remembered.delete(oldest)
  remembered.set(state, files)
}

/** A database in this process, or in a process that `blazon dev` keeps, run by PGlite. It has one connection. */
export class PgliteDriver implements Driver {
  readonly size = 1
  readonly isEmbedded = true
  readonly #place: string
  readonly #acquireMs: number
  readonly #idleMs: number
  readonly #lending = new Lending(1)
  #engine: EmbeddedEngine | undefined
  /** The files of a database in memory. */
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
      // Otherwise every database that starts from these files would replay the migrations.
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

/** An open database in memory. */
interface InMemory {
  readonly engine: PgliteEngine
  readonly files: MemoryFiles
}

/**
 * Opens a separate database in memory.
 *
 * @param snapshot The files with which it starts. Default: the files of an empty database.
 * @throws ConfigError when PGlite is missing.
 */
async function openInMemory(snapshot?: FolderNode): Promise<InMemory> {
  const files = new MemoryFiles(snapshot ?? (await initialFiles()))
  return { files, engine: await PgliteEngine.start({ fs: await loadFilesystem(files) }) }
}
