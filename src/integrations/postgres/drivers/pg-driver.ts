import type { Logger } from '../../../index.js'
import type { Connection, Driver, DriverContext, PoolUsage } from '../driver.js'
import { type PostgresOptions, sizeOf, timeoutsOf } from '../options/postgres-options.js'
import { Allowance, Deadline } from './deadline.js'
import { busy, unavailable } from './failures.js'
import { flightOf } from './flight.js'
import { KeptSessions } from './kept-sessions.js'
import { Lending } from './lending.js'
import { PgConnection } from './pg-connection.js'
import { loadPg, type PgClient, type PgPool } from './pg-package.js'
import { clientOf, poolOptions } from './pg-pool-options.js'
import { PgSession, type SessionPlace, type SessionTerms } from './pg-session.js'

/** How long closing waits until the server has closed the connections, in milliseconds. */
const CLOSE_MS = 1000

/** With these options, the pool of `pg` must see every loan. */
const COUNTING_OPTIONS = ['maxUses', 'maxLifetimeSeconds', 'allowExitOnIdle']

/** Connections to a PostgreSQL server, made by `pg`. */
export class PgDriver implements Driver {
  readonly size: number
  readonly isEmbedded = false
  readonly #options: PostgresOptions
  readonly #acquireMs: number
  readonly #limitMs: number
  #pool: PgPool | undefined
  #terms: SessionTerms | undefined
  #logger: Logger | undefined
  readonly #sessions = new WeakMap<PgClient, PgSession>()
  readonly #kept = new KeptSessions((session) => this.#giveBack(session))
  readonly #keeps: boolean
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
    this.#keeps = COUNTING_OPTIONS.every((name) => !options.poolOptions?.[name])
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
    this.#terms = {
      Flight: flightOf(pg),
      limitMs: this.#limitMs,
      isCleanable,
      onFree: (session) => this.#free(session),
      onGone: (session, place, reason) => this.#forget(session, place, reason),
    }
    this.#logger = logger
    this.#watch(this.#pool)
  }

  async connect(): Promise<Connection> {
    const pool = this.#pool
    if (pool === undefined) throw closed()
    if (!this.#lending.takeNow()) return this.#connectLater(pool)
    const kept = this.#takeKept()
    return kept ?? (await this.#connect(pool, new Allowance(this.#acquireMs)))
  }

  async #connectLater(pool: PgPool): Promise<Connection> {
    const allowance = new Allowance(this.#acquireMs)
    await this.#lending.take(allowance.leftMs, () => this.#timeoutError())
    return this.#takeKept() ?? (await this.#connect(pool, allowance))
  }

  #takeKept(): Connection | undefined {
    const session = this.#kept.take()
    if (session === undefined) return undefined
    session.place = 'lent'
    return new PgConnection(session)
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
    this.#kept.clear()
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
      return new PgConnection(this.#sessionOf(client))
    } catch (error) {
      this.#lending.release()
      throw unavailable(error)
    } finally {
      this.#connecting--
    }
  }

  #sessionOf(client: PgClient): PgSession {
    const known = this.#sessions.get(client)
    const session = known ?? new PgSession(client, this.#terms as SessionTerms)
    this.#sessions.set(client, session)
    session.place = 'lent'
    return session
  }

  #free(session: PgSession): void {
    if (this.#keeps) this.#kept.put(session)
    else this.#giveBack(session)
    this.#lending.release()
  }

  #giveBack(session: PgSession): void {
    session.place = 'pooled'
    session.client.release()
  }

  #forget(session: PgSession, place: SessionPlace, reason: Error | undefined): void {
    // The pool itself removes what it has, and logs why.
    if (place === 'pooled') return
    session.client.release(true)
    if (place === 'lent') return this.#lending.release()
    this.#kept.remove(session)
    this.#logEnd(reason)
  }

  #logEnd(error: Error | undefined): void {
    const message = 'A connection to the database has ended while it was not in use'
    this.#logger?.warn({ reason: error?.message }, message)
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

  #watch(pool: PgPool): void {
    // Without a listener, a restart of the server would end the process.
    pool.on('error', (error) => this.#logEnd(error))
    pool.on('connect', (client) => {
      this.#clients.add(client)
      // Handles errors before the client is lent for the first time.
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
