import type { Written } from '../values/write-value.js'
import type { EmbeddedEngine } from './embedded-engine.js'
import { Extensions, explainUnavailable, extensionsIn } from './extensions.js'
import { loadPglite, type Pglite, type PgliteOptions, type PgliteResult } from './pglite-package.js'

/**
 * The memory for buffers is an eighth of the server default, because one process uses the database.
 * PostgreSQL must notice a deep recursion before JavaScript does, whose stack is smaller than
 * PostgreSQL assumes.
 */
const PARAMETERS = ['-c', 'shared_buffers=16MB', '-c', 'max_stack_depth=100kB']

/** A PGlite that notices when it has crashed. */
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
    // Values are read and written by our own code, in the same way for every driver.
    database.parsers = AS_IT_IS
    database.serializers = AS_IT_IS
  }

  /** @throws ConfigError when PGlite cannot be loaded; the error of PGlite when it cannot start. */
  static async start(
    options: PgliteOptions,
    onClosed?: () => Promise<void>,
  ): Promise<PgliteEngine> {
    const { PGlite } = await loadPglite()
    const startParams = [...PGlite.defaultStartParams, ...PARAMETERS]
    const engine = new PgliteEngine(await PGlite.create({ startParams, ...options }), onClosed)
    // The files of extensions are not in the folder of a database.
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

  /** This process is the only user. */
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

  // PostgreSQL handles its own errors by throwing a status. PGlite treats every thrown value as
  // such a status and continues, even after a JavaScript stack overflow in the middle of a
  // statement. The statement would seem to have succeeded, and the state would be undefined. So
  // remember every other error as a crash.
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
