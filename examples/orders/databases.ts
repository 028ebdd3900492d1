import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Places } from './stores.js'

/** A database for the tests of one file. */
export interface TestDatabase {
  readonly name: string
  /** The reason why the database is not available. */
  readonly reason?: string
  /** Creates an empty database. Returns its place, and a function that deletes it. */
  readonly make: () => Promise<{ places: Places; drop: () => Promise<void> }>
}

/** A database in the memory of this process. Every application has a new database. */
const embedded: TestDatabase = {
  name: 'in this process',
  make: async () => ({ places: { DATABASE_FOLDER: 'memory' }, drop: async () => undefined }),
}

/** The URL of a PostgreSQL server, with a login that can create databases. Default: a server on this machine. */
export const serverUrl: URL = new URL(
  process.env['DATABASE_URL'] || 'postgres://postgres@127.0.0.1:5432/postgres',
)

async function onServer(): Promise<TestDatabase> {
  const run = (text: string) => ask(serverUrl.href, text)
  const make = async () => {
    const name = `orders_test_${process.pid}_${randomUUID().slice(0, 8)}`
    await run(`create database ${name}`)
    const DATABASE_URL = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href
    return { places: { DATABASE_URL }, drop: () => run(`drop database ${name} with (force)`) }
  }
  try {
    await run('select 1')
    return { name: `on the server ${serverUrl.host}`, make }
  } catch (error) {
    return { name: 'on a server', make, reason: `${serverUrl.host}: ${(error as Error).message}` }
  }
}

/** Runs a statement on a separate connection. */
async function ask(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

export const server: TestDatabase = await onServer()
if (server.reason !== undefined) console.warn(`No PostgreSQL server at ${server.reason}`)

/** Whether the tests that require a server are skipped. In CI, they fail if there is no server. */
export const isServerMissing: boolean = server.reason !== undefined && !process.env['CI']

export const databases: readonly TestDatabase[] = isServerMissing ? [embedded] : [embedded, server]
console.info(`The tests use a database ${databases.map(({ name }) => name).join(' and ')}.`)
