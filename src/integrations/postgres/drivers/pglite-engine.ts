import type { Written } from '../values/write-value.js'
import { loadPglite, type Pglite, type PgliteOptions, type PgliteResult } from './pglite-package.js'

/**
 * A hundredth of what a server takes: it is the database of one process. PostgreSQL has to notice a recursion before JavaScript does, whose stack is
 * smaller than the one that PostgreSQL believes in.
 */
const PARAMETERS = ['-c', 'shared_buffers=16MB', '-c', 'max_stack_depth=100kB']

/** A PGlite that notices when it has crashed. */
export class PgliteEngine {
  readonly #database: Pglite
  readonly #onClosed: (() => Promise<void>) | undefined
  #crash: Error | undefined

  private constructor(database: Pglite, onClosed: (() => Promise<void>) | undefined) {
    this.#database = database
    this.#onClosed = onClosed
    this.#watch()
    // Values are read and written by us, in the same way for every driver.
    database.parsers = AS_IT_IS
    database.serializers = AS_IT_IS
  }

  /** @throws ConfigError when PGlite cannot be loaded; anything when it cannot start. */
  static async start(
    options: PgliteOptions,
    onClosed?: () => Promise<void>,
  ): Promise<PgliteEngine> {
    const { PGlite } = await loadPglite()
    const startParams = [...PGlite.defaultStartParams, ...PARAMETERS]
    return new PgliteEngine(await PGlite.create({ startParams, ...options }), onClosed)
  }

  /** Why it is of no more use. */
  get crash(): Error | undefined {
    return this.#crash
  }

  get isInTransaction(): boolean {
    return this.#database.isInTransaction()
  }

  async query(text: string, values: readonly Written[] = []): Promise<PgliteResult> {
    return await this.#guard(() => this.#database.query(text, values, { rowMode: 'array' }))
  }

  async script(text: string): Promise<void> {
    await this.#guard(() => this.#database.exec(text))
  }

  /** Makes it like a new connection: without a transaction, settings, a role, temporary tables. */
  async reset(): Promise<void> {
    if (this.isInTransaction) await this.script('ROLLBACK')
    await this.script('DISCARD ALL')
  }

  /** Everything it holds, for others to start from. */
  async dump(): Promise<Blob> {
    return await this.#database.dumpDataDir('none')
  }

  async close(): Promise<void> {
    // One that has crashed may wait for itself for ever.
    if (this.#crash === undefined) await this.#database.close()
    await this.#onClosed?.()
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

  // PostgreSQL gets to the handling of an error by throwing a status. PGlite takes whatever is thrown for that, and goes on with a program that was left in the
  // middle: a statement that is nested too deeply for the stack of JavaScript would seem to have worked, and who knows what the next one finds.
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
