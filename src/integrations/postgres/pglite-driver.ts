import type { Connection, Driver } from './driver.js'
import { busy, unavailable } from './failures.js'
import { Lending } from './lending.js'
import { PgliteConnection } from './pglite-connection.js'
import { closePglite, openPglite } from './pglite-engines.js'
import type { Pglite } from './pglite-package.js'
import { type PostgresOptions, timeoutsOf } from './postgres-options.js'

/** A database in this process, by PGlite. It has one connection. */
export class PgliteDriver implements Driver {
  readonly size = 1
  readonly isEmbedded = true
  readonly #place: string
  readonly #acquireMs: number
  readonly #idleMs: number
  readonly #lending = new Lending(1)
  #database: Pglite | undefined

  constructor(place: string, options: PostgresOptions) {
    this.#place = place
    const { acquireMs, idleInTransactionMs } = timeoutsOf(options)
    this.#acquireMs = acquireMs
    this.#idleMs = idleInTransactionMs
  }

  async open(): Promise<void> {
    this.#database = await openPglite(this.#place)
  }

  async connect(): Promise<Connection> {
    const database = this.#database
    if (database === undefined) throw closed()
    await this.#lending.take(this.#acquireMs, busy)
    const loan = { idleMs: this.#idleMs, end: () => this.#lending.give() }
    return new PgliteConnection(database, loan)
  }

  async close(): Promise<void> {
    const database = this.#database
    this.#database = undefined
    this.#lending.refuse(closed())
    await this.#lending.back()
    if (database !== undefined) await closePglite(database)
  }
}

function closed(): Error {
  return unavailable(new Error('The database is not open.'))
}
