import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import type { Written } from '../values/write-values.js'
import {
  type EmbeddedEngine,
  loadContrib,
  loadPglite,
  type Pglite,
  type PgliteFiles,
  type PgliteOptions,
  type PgliteResult,
} from './pglite-package.js'

/**
 * The buffer memory is an eighth of the server default, because only one process uses the database. PostgreSQL must
 * detect deep recursion before JavaScript does, because JavaScript's stack is smaller than PostgreSQL assumes.
 */
const PARAMETERS = ['-c', 'shared_buffers=16MB', '-c', 'max_stack_depth=100kB']

/** A PGlite database that detects its own crash. */
export class PgliteEngine implements EmbeddedEngine {
  readonly #database: Pglite
  readonly #extensions: Extensions
  readonly #onClosed: (() => Promise<void>) | undefined
  #crash: Error | undefined

  private constructor(database: Pglite, onClosed: (() => Promise<void>) | undefined) {
    this.#database = database
    this.#extensions = new Extensions(database.Module.FS)
    this.#onClosed = onClosed
    this.#watch()
    // Blazon converts the values itself, so that all drivers behave the same.
    database.parsers = AS_IT_IS
    database.serializers = AS_IT_IS
  }

  /**
   * Starts PGlite.
   *
   * @throws ConfigError if PGlite cannot be loaded; PGlite's error if it cannot start.
   */
  static async start(
    options: PgliteOptions,
    onClosed?: () => Promise<void>,
  ): Promise<PgliteEngine> {
    const { PGlite } = await loadPglite()
    const startParams = [...PGlite.defaultStartParams, ...PARAMETERS]
    const engine = new PgliteEngine(await PGlite.create({ startParams, ...options }), onClosed)
    // Extension files are not part of a database folder, so they are loaded at each start.
    const { rows } = await engine.query('select extname::text from pg_extension')
    await engine.#extensions.load(rows.map(([name]) => name ?? ''))
    return engine
  }

  get crash(): Error | undefined {
    return this.#crash
  }

  get isInTransaction(): boolean {
    return this.#database.isInTransaction()
  }

  async query(text: string, values: readonly Written[] = []): Promise<PgliteResult> {
    return await this.#run(text, () => this.#database.query(text, values, { rowMode: 'array' }))
  }

  async script(text: string): Promise<void> {
    await this.#run(text, () => this.#database.exec(text))
  }

  async reset(): Promise<void> {
    if (this.isInTransaction) await this.script('ROLLBACK')
    await this.script('DISCARD ALL')
  }

  /** Has no effect, because this process is the only user. */
  async take(): Promise<void> {}

  giveBack(): void {}

  async close(): Promise<void> {
    // A database that has crashed may never finish closing.
    if (this.#crash === undefined) await this.#database.close()
    await this.#onClosed?.()
  }

  async #run<T>(text: string, run: () => Promise<T>): Promise<T> {
    const named = extensionsIn(text)
    if (named.length === 0) return await this.#guard(run)
    await this.#extensions.load(named)
    try {
      return await this.#guard(run)
    } catch (error) {
      explainUnavailable(error)
      throw error
    }
  }

  async #guard<T>(run: () => Promise<T>): Promise<T> {
    this.#assertAlive()
    try {
      return await run()
    } finally {
      this.#assertAlive()
    }
  }

  #assertAlive(): void {
    if (this.#crash === undefined) return
    throw new Error('PGlite has crashed. Start the application again.', { cause: this.#crash })
  }

  // PostgreSQL handles its own errors by throwing a status. PGlite treats every thrown value as such a status and
  // continues, even after a JavaScript stack overflow in the middle of a statement. The statement would seem to
  // succeed, and the state would be undefined. So every other thrown value is treated as a crash.
  #watch(): void {
    const { Module: program } = this.#database
    const run = program._PostgresMainLoopOnce
    program._PostgresMainLoopOnce = () => {
      try {
        return run()
      } catch (error) {
        if (typeof (error as { status?: unknown }).status !== 'number') this.#crash = error as Error
        throw error
      }
    }
  }
}

const AS_IT_IS = new Proxy({}, { get: () => identity })

function identity<T>(value: T): T {
  return value
}

/** The folder in which PGlite stores PostgreSQL's own files. */
const ROOT = '/pglite'

/** Extensions whose module has a different name. */
const MODULES: Readonly<Record<string, string>> = {
  'uuid-ossp': 'uuid_ossp',
  autoinc: 'moddatetime',
  insert_username: 'moddatetime',
  refint: 'moddatetime',
}

/** Extensions that `create extension … cascade` also creates. */
const REQUIRED: Readonly<Record<string, string>> = { earthdistance: 'cube' }

/** The extensions that PGlite ships. */
const SHIPPED: readonly string[] =
  'amcheck autoinc bloom btree_gin btree_gist citext cube dict_int dict_xsyn earthdistance file_fdw fuzzystrmatch hstore insert_username intarray isn lo ltree moddatetime pageinspect pg_buffercache pg_freespacemap pg_stat_statements pg_surgery pg_trgm pg_visibility pg_walinspect pgcrypto refint seg tablefunc tcn tsm_system_rows tsm_system_time unaccent uuid-ossp'.split(
    ' ',
  )

/** Matches an extension name, even inside a string or a comment. In that case, unused files are written. */
const CREATE =
  /\bcreate\s+extension\s+(?:if\s+not\s+exists\s+)?(?:"(?<quoted>[^"]+)"|(?<plain>[\w$]+))/gi

/** Returns the names of the extensions that a string of SQL could create. */
function extensionsIn(text: string): string[] {
  return [...text.matchAll(CREATE)].map(
    ({ groups }) => groups?.['quoted'] ?? groups?.['plain']?.toLowerCase() ?? '',
  )
}

/** The extensions of one database. This class makes the files of the named extensions available to PostgreSQL. */
class Extensions {
  readonly #files: PgliteFiles
  readonly #loaded = new Set<string>()

  constructor(files: PgliteFiles) {
    this.#files = files
  }

  /** Writes extension files. Extensions that PGlite does not ship are ignored, so that PostgreSQL refuses them. */
  async load(names: readonly string[]): Promise<void> {
    for (const name of names) {
      if (!SHIPPED.includes(name) || this.#loaded.has(name)) continue
      this.#loaded.add(name)
      const { [name]: required } = REQUIRED
      if (required !== undefined) await this.load([required])
      const bundle = await loadContrib(MODULES[name] ?? name)
      for (const [path, data] of untar(gunzipSync(await readFile(bundle)))) {
        this.#files.mkdirTree(path.slice(0, path.lastIndexOf('/')))
        this.#files.writeFile(path, data)
      }
    }
  }
}

const UNAVAILABLE = /^extension "[^"]*" is not available$/

/** Adds the list of available extensions to the error for a missing extension. */
function explainUnavailable(error: unknown): void {
  if (!(error instanceof Error) || !UNAVAILABLE.test(error.message)) return
  const hint = `The embedded PostgreSQL contains: ${SHIPPED.join(', ')}. For another extension, use a server: postgres({ url })`
  Object.assign(error, { hint })
}

const BLOCK = 512
const REGULAR = ['0', '\0']

function* untar(archive: Buffer): Generator<[path: string, data: Uint8Array]> {
  const text = (from: number, length: number) =>
    archive.toString('utf8', from, from + length).replace(/\0.*$/s, '')
  for (let at = 0; archive[at] !== undefined && archive[at] !== 0; ) {
    const size = Number.parseInt(text(at + 124, 12), 8) || 0
    const start = at + BLOCK
    const kind = archive.toString('latin1', at + 156, at + 157)
    if (REGULAR.includes(kind))
      yield [`${ROOT}/${text(at, 100)}`, archive.subarray(start, start + size)]
    at = start + Math.ceil(size / BLOCK) * BLOCK
  }
}
