import type { Connection, Driver } from '../driver.js'
import { type PostgresOptions, timeoutsOf } from '../options/postgres-options.js'
import { busy, unavailable } from './failures.js'
import { Lending } from './lending.js'
import { openPglite } from './open-pglite.js'
import { PgliteConnection } from './pglite-connection.js'
import type { PgliteEngine } from './pglite-engine.js'

/** A database in this process, run by PGlite. It has one connection. */
export class PgliteDriver implements Driver {
  readonly size = 1
  readonly isEmbedded = true
  readonly #place: string
  readonly #acquireMs: number
  readonly #idleMs: number
  readonly #lending = new Lending(1)
  #engine: PgliteEngine | undefined
  #closing: Promise<void> | undefined

  constructor(place: string, options: PostgresOptions) {
    this.#place = place
    const { acquireMs, idleInTransactionMs } = timeoutsOf(options)
    this.#acquireMs = acquireMs
    this.#idleMs = idleInTransactionMs
  }

  async open(): Promise<void> {
    this.#engine = await openPglite(this.#place)
  }

  async connect(): Promise<Connection> {
    const engine = this.#engine
    if (engine === undefined) throw closed()
    await this.#lending.take(this.#acquireMs, busy)
    const loan = { idleMs: this.#idleMs, end: () => this.#lending.release() }
    if (engine.crash === undefined) return new PgliteConnection(engine, loan)
    this.#lending.release()
    throw unavailable(engine.crash)
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
    this.#lending.refuse(closed())
    await this.#lending.whenIdle()
    await engine?.close()
  }
}

function closed(): Error {
  return unavailable(new Error('The database is not open.'))
}
