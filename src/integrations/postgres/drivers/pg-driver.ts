import type { Logger } from '../../../index.js'
import type { Connection, Driver, DriverContext, PoolUsage } from '../driver.js'
import { type PostgresOptions, sizeOf, timeoutsOf } from '../options/postgres-options.js'
import { Allowance, Deadline } from './deadline.js'
import { busy, isFull, unavailable } from './failures.js'
import { flightOf } from './flight.js'
import { Lending } from './lending.js'
import { PgConnection } from './pg-connection.js'
import { clientOf, loadPg, type PgClient, type PgPool, poolOptions } from './pg-package.js'
import { PgSession, type SessionTerms } from './pg-session.js'
import { Servers } from './servers.js'

/** How long `close` waits for the server to close the connections, in milliseconds. */
const CLOSE_MS = 1000

/** The driver for a PostgreSQL server, which uses `pg`. */
export class PgDriver implements Driver {
  readonly size: number
  readonly isEmbedded = false
  readonly #options: PostgresOptions
  readonly #acquireMs: number
  readonly #statementMs: number
  readonly #servers: Servers
  #pool: PgPool | undefined
  #terms: SessionTerms | undefined
  #logger: Logger | undefined
  readonly #sessions = new WeakMap<PgClient, PgSession>()
  readonly #clients = new Set<PgClient>()
  readonly #lending: Lending
  /** The number of callers that are waiting for the pool to open or return a connection. */
  #connecting = 0
  #onRemove: (() => void) | undefined
  #closing: Promise<void> | undefined

  constructor(options: PostgresOptions) {
    const { acquireMs, statementMs } = timeoutsOf(options)
    this.#options = options
    this.#acquireMs = acquireMs
    this.#statementMs = statementMs
    this.#servers = new Servers(String(options.url))
    this.size = sizeOf(options)
    this.#lending = new Lending(this.size)
  }

  usage(): PoolUsage {
    return this.#lending.usage()
  }

  async open({ logger, onReadOnly }: DriverContext): Promise<void> {
    const pg = await loadPg()
    const perServerMs = Math.ceil(this.#acquireMs / this.#servers.count)
    const limits = { max: this.size, connectionTimeoutMillis: perServerMs }
    const options = poolOptions(this.#options, limits)
    this.#pool = new pg.Pool({ ...options, Client: clientOf(pg, options, this.#servers) })
    const isCleanable = this.#options.poolOptions?.['onConnect'] === undefined
    this.#terms = {
      Flight: flightOf(pg),
      limitMs: Math.ceil(this.#statementMs * 1.1) + 250,
      statementMs: this.#statementMs,
      isCleanable,
      onEnd: ({ client, isRetired }) => {
        client.release(isRetired)
        this.#lending.release()
      },
      onReadOnly: () => {
        this.#retireAll()
        onReadOnly?.()
      },
    }
    this.#logger = logger
    this.#watch(this.#pool)
  }

  async connect(): Promise<Connection> {
    const pool = this.#pool
    if (pool === undefined) throw closed()
    if (this.#lending.takeNow()) {
      return await this.#connectNow(pool, new Allowance(this.#acquireMs))
    }
    return await this.#connectLater(pool, new Allowance(this.#acquireMs), this.#timeoutError)
  }

  async #connectLater(pool: PgPool, allowance: Allowance, late: () => Error): Promise<Connection> {
    await this.#lending.take(allowance.leftMs, late)
    return await this.#connectNow(pool, allowance)
  }

  /** Opens a connection. If the server accepts no more connections, waits until an existing connection is free. */
  async #connectNow(pool: PgPool, allowance: Allowance): Promise<Connection> {
    try {
      return await this.#connect(pool, allowance)
    } catch (error) {
      const { cause } = error as Error
      if (!isFull(cause) || this.#clients.size === 0) throw error
      return await this.#connectLater(pool, allowance, () => busy(cause))
    }
  }

  #retireAll(): void {
    for (const client of this.#clients) this.#sessions.get(client)?.retire()
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

  // Even after the time limit, the pool may still deliver a connection, which is then released.
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
      return await this.#connectToOne(pool)
    } catch (error) {
      // The limit is lowered first, so that no waiting caller makes the same attempt in vain.
      if (isFull(error) && this.#clients.size > 0) this.#lending.narrow(this.#clients.size)
      this.#lending.release()
      throw unavailable(error)
    } finally {
      this.#connecting--
    }
  }

  /** Tries each server once. */
  async #connectToOne(pool: PgPool): Promise<Connection> {
    const reasons: unknown[] = []
    while (reasons.length < this.#servers.count) {
      const { url } = this.#servers
      try {
        return await this.#connectOnce(pool)
      } catch (error) {
        reasons.push(error)
        this.#servers.leave(url)
      }
    }
    throw reasons.length === 1 ? reasons[0] : new AggregateError(reasons, '')
  }

  async #connectOnce(pool: PgPool): Promise<Connection> {
    let client = await pool.connect()
    for (; this.#sessions.get(client)?.isRetired; client = await pool.connect())
      client.release(true)
    const isNew = !this.#sessions.has(client)
    const session = this.#sessionOf(client)
    if (isNew) await this.#check(session)
    session.isLent = true
    return new PgConnection(session)
  }

  async #check(session: PgSession): Promise<void> {
    try {
      await this.#servers.check(new PgConnection(session))
    } catch (error) {
      session.client.release(true)
      throw error
    }
  }

  #sessionOf(client: PgClient): PgSession {
    const known = this.#sessions.get(client)
    const session = known ?? new PgSession(client, this.#terms as SessionTerms)
    this.#sessions.set(client, session)
    return session
  }

  #logEnd(error: Error | undefined): void {
    const message = 'A connection to the database has ended while it was not in use'
    this.#logger?.warn({ reason: error?.message }, message)
  }

  // If other callers are still connecting, the server is slow, but the pool is not exhausted.
  readonly #timeoutError = (): Error => {
    if (this.#connecting === 0) return busy()
    return unavailable(new Error('Connecting is taking too long.'))
  }

  // If the server process is suspended (SIGSTOP), this process would wait forever for its connections to close.
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

  #watch(pool: PgPool): void {
    // Without an `error` listener, a restart of the server would end this process.
    pool.on('error', (error) => this.#logEnd(error))
    pool.on('connect', (client) => {
      this.#clients.add(client)
      // Handles errors before the client is checked out for the first time.
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
