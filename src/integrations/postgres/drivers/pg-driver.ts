import type { Logger } from '../../../index.js'
import type { Connection, Driver, DriverContext, PoolUsage } from '../driver.js'
import { type PostgresOptions, sizeOf, timeoutsOf } from '../options/postgres-options.js'
import { Allowance, Deadline } from './deadline.js'
import { busy, unavailable } from './failures.js'
import { flightOf } from './flight.js'
import { Lending } from './lending.js'
import { type Loan, PgConnection } from './pg-connection.js'
import { loadPg, type PgClient, type PgPool } from './pg-package.js'
import { clientOf, poolOptions } from './pg-pool-options.js'

/** How long closing waits until the server has closed the connections, in milliseconds. */
const CLOSE_MS = 1000

/** The part of a loan that is the same for every connection. */
type LoanTerms = Pick<Loan, 'Query' | 'Flight' | 'isCleanable'>

/** Connections to a PostgreSQL server, made by `pg`. */
export class PgDriver implements Driver {
  readonly size: number
  readonly isEmbedded = false
  readonly #options: PostgresOptions
  readonly #acquireMs: number
  readonly #limitMs: number
  #pool: PgPool | undefined
  #terms: LoanTerms | undefined
  readonly #clients = new Set<PgClient>()
  readonly #lending: Lending
  /** How many of the lent connections are still connecting. */
  #connecting = 0
  #onRemove: (() => void) | undefined
  #closing: Promise<void> | undefined

  constructor(options: PostgresOptions) {
    const { acquireMs, statementMs } = timeoutsOf(options)
    this.#options = options
    this.#acquireMs = acquireMs
    this.#limitMs = Math.ceil(statementMs * 1.1) + 250
    this.size = sizeOf(options)
    this.#lending = new Lending(this.size)
  }

  usage(): PoolUsage {
    return this.#lending.usage()
  }

  async open({ logger }: DriverContext): Promise<void> {
    const pg = await loadPg()
    const limits = { max: this.size, connectionTimeoutMillis: this.#acquireMs }
    const options = poolOptions(this.#options, limits)
    this.#pool = new pg.Pool({ ...options, Client: clientOf(pg, options) })
    const isCleanable = this.#options.poolOptions?.['onConnect'] === undefined
    this.#terms = { Query: pg.Query, Flight: flightOf(pg), isCleanable }
    this.#watch(this.#pool, logger)
  }

  async connect(): Promise<Connection> {
    const allowance = new Allowance(this.#acquireMs)
    const pool = this.#pool
    if (pool === undefined) throw closed()
    await this.#lending.take(allowance.leftMs, () => this.#timeoutError())
    return await this.#connect(pool, allowance)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close().finally(() => {
      this.#closing = undefined
    })
    return this.#closing
  }

  async #close(): Promise<void> {
    const pool = this.#pool
    this.#pool = undefined
    this.#lending.refuse(closed())
    await this.#lending.whenIdle()
    await pool?.end()
    await this.#closeClients()
  }

  // After the time limit, the pool may still deliver a connection. It is released then.
  #connect(pool: PgPool, allowance: Allowance): Promise<Connection> {
    return new Promise((resolve, reject) => {
      let isLate = false
      const deadline = new Deadline(allowance.leftMs, () => {
        isLate = true
        reject(unavailable(new Error('Connecting took too long.')))
      })
      this.#checkOut(pool)
        .finally(() => deadline.cancel())
        .then((connection) => (isLate ? connection.release() : resolve(connection)), reject)
    })
  }

  async #checkOut(pool: PgPool): Promise<Connection> {
    this.#connecting++
    try {
      const client = await pool.connect()
      return new PgConnection(client, this.#loan())
    } catch (error) {
      this.#lending.release()
      throw unavailable(error)
    } finally {
      this.#connecting--
    }
  }

  #loan(): Loan {
    return {
      ...(this.#terms as LoanTerms),
      limitMs: this.#limitMs,
      end: () => this.#lending.release(),
    }
  }

  // If other callers are still connecting, the server is slow; the pool is not exhausted.
  #timeoutError(): Error {
    if (this.#connecting === 0) return busy()
    return unavailable(new Error('Connecting takes too long.'))
  }

  // If the server is stopped (SIGSTOP), this process would wait without end for its connections to
  // close.
  async #closeClients(): Promise<void> {
    if (this.#clients.size > 0) await new Promise<void>((resolve) => this.#awaitRemoval(resolve))
    for (const { connection } of this.#clients) connection.stream.destroy()
  }

  #awaitRemoval(resolve: () => void): void {
    const deadline = new Deadline(CLOSE_MS, resolve)
    this.#onRemove = () => {
      if (this.#clients.size > 0) return
      deadline.cancel()
      resolve()
    }
  }

  #watch(pool: PgPool, logger: Logger): void {
    // Without a listener, a restart of the server would end the process.
    pool.on('error', ({ message: reason }) => {
      logger.warn({ reason }, 'A connection to the database has ended while it was not in use')
    })
    pool.on('connect', (client) => {
      this.#clients.add(client)
      // Handles errors between two loans, when no `PgConnection` listens.
      client.on('error', () => undefined)
    })
    pool.on('remove', (client) => {
      this.#clients.delete(client)
      this.#onRemove?.()
    })
  }
}

function closed() {
  return unavailable(new Error('The database is not open.'))
}
