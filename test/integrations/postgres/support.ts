import type { Client } from 'pg'
import { vi } from 'vitest'
import type { HeldCommits, Leftover, TenantDatabase } from '../../conformance/tenant-database.js'
import { HELD_COMMITS, SCHEMA } from '../../conformance/tenant-schema.js'
import { until } from '../until.js'
import { LEFTOVER, startOn } from './embedded.js'
import { PgBouncer } from './pgbouncer.js'
import { PASSWORD, pg, runAt, Server } from './server.js'

/** The role as which applications log in. It owns nothing, and may become the two roles, which own nothing either. */
export const LOGIN = 'service'
const DATABASE = 'shop'

const CREATE_LOGIN = `create role ${LOGIN} login nosuperuser nobypassrls noinherit password 'tell nobody';
  grant app_tenant, app_all_tenants to ${LOGIN};`

/** Makes the database of the suite on a server. */
export async function createShop(server: Server): Promise<void> {
  await server.run(`create database ${DATABASE}`)
  await runAt(shopUrl(server), `${SCHEMA}\n${CREATE_LOGIN}`)
}

/** The URL of the database for a login; by default for the superuser. */
export function shopUrl(server: Server, user?: string): string {
  return server.url(user, { database: DATABASE, password: user === undefined ? PASSWORD : '' })
}

/** Records every connection that applications of this file make from now on. Returns those that are open. */
export function watchClients(): () => Client[] {
  const connect = vi.spyOn(pg.Client.prototype, 'connect')
  return () => {
    const clients = new Set(connect.mock.contexts as Client[])
    return [...clients].filter((client) => client.user === LOGIN && !hasEnded(client))
  }
}

// Only these private fields of `pg` show that a client has ended.
const hasEnded = (client: Client): boolean =>
  (client as unknown as { _ended: boolean; _ending: boolean })._ending ||
  (client as unknown as { _ended: boolean })._ended

/** A new PostgreSQL server. */
export async function openServer(): Promise<TenantDatabase> {
  const server = await Server.start()
  await createShop(server)
  const clients = watchClients()
  const leftovers = () => Promise.all(clients().map(leftoverOf))
  return onServer(server, shopUrl(server, LOGIN), leftovers)
}

/** A new PostgreSQL server behind a PgBouncer, which gives each transaction one of four connections. */
export async function openPgBouncer(): Promise<TenantDatabase> {
  const server = await Server.start()
  await createShop(server)
  const how = { serverPort: server.port, users: [LOGIN], connections: 4 }
  const bouncer = await PgBouncer.start(how)
  const url = bouncer.url(LOGIN, DATABASE)
  const leftovers = () => leftoversBehind(url, how.connections)
  const database = onServer(server, url, leftovers)
  const dispose = async () => {
    await bouncer[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  }
  return { ...database, isPooled: true, [Symbol.asyncDispose]: dispose }
}

function onServer(
  server: Server,
  url: string,
  leftovers: TenantDatabase['leftovers'],
): TenantDatabase {
  const owner = new pg.Pool({ connectionString: shopUrl(server), max: 2 })
  owner.on('error', () => {})
  return {
    isEmbedded: false,
    isPooled: false,
    start: (options, how) => startOn({ url, ...how }, options),
    look: async (text, values) => (await owner.query(text, values as unknown[])).rows,
    asOwner: async (text) => void (await owner.query(text)),
    holdCommits: () => holdCommits(server),
    leftovers: async () => {
      // Connections that were destroyed may still be open on the server.
      await until(async () => (await owner.query(OPEN_TRANSACTIONS)).rows.length === 0)
      return await leftovers()
    },
    async [Symbol.asyncDispose]() {
      await owner.end()
      await server[Symbol.asyncDispose]()
    },
  }
}

const OPEN_TRANSACTIONS = `select pid from pg_stat_activity
  where usename = '${LOGIN}' and state <> 'idle'`

/** The state of a connection. */
export async function leftoverOf(client: Client): Promise<Leftover> {
  const [row] = (await client.query(LEFTOVER)).rows
  const isInTransaction = await client.query('savepoint probe').then(
    () => true,
    () => false,
  )
  return { ...row, isInTransaction }
}

/** The state of every connection behind a PgBouncer. Opens a transaction on each of them at the same time. */
async function leftoversBehind(url: string, count: number): Promise<Leftover[]> {
  const clients = Array.from({ length: count }, () => new pg.Client({ connectionString: url }))
  try {
    return await Promise.all(
      clients.map(async (client) => {
        await client.connect()
        // If a transaction were already open, `begin` would only warn.
        const begun = await client.query('begin; select now() = statement_timestamp() as fresh')
        const results = begun as unknown as { rows: { fresh: boolean }[] }[]
        const [row] = (await client.query(LEFTOVER)).rows
        return { ...row, isInTransaction: results[1]?.rows[0]?.fresh !== true }
      }),
    )
  } finally {
    await Promise.all(clients.map((client) => client.query('rollback').catch(() => {})))
    await Promise.all(clients.map((client) => client.end()))
  }
}

async function holdCommits(server: Server): Promise<HeldCommits> {
  const holder = new pg.Client({ connectionString: shopUrl(server) })
  await holder.connect()
  await holder.query('select pg_advisory_lock($1)', [HELD_COMMITS])
  const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted
    and objid = ${HELD_COMMITS}`
  return {
    reached: () => until(async () => ((await holder.query(waiting)).rowCount ?? 0) > 0),
    release: () => holder.end(),
  }
}
