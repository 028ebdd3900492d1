import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { describe } from 'vitest'
import { createDriver } from '../../../src/integrations/postgres/create-driver.js'
import type { Connection, Driver } from '../../../src/integrations/postgres/driver.js'
import type { PostgresOptions } from '../../../src/integrations/postgres/postgres-options.js'

/** The PostgreSQL that happens to run, with a superuser's login: nothing but this test's own databases and roles may be touched on it. */
const SERVER = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'

const isThere = await answers(new URL(SERVER))
if (!isThere) console.warn('Skipped: no PostgreSQL answers. DATABASE_URL says where it is.')

/** `describe` of what needs a server: skipped on a machine where none runs, but not by CI. */
export const describeWithServer = describe.skipIf(!isThere && !process.env['CI'])

/** A database that is a test's own, with roles of its own. */
export interface OwnDatabase extends AsyncDisposable {
  readonly driver: Driver
  readonly options: PostgresOptions
  readonly tenantRole: string
  readonly allTenantsRole: string
  /** Runs one statement, or a script, as the superuser. */
  run(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>
  /** Runs statements in one transaction that is rolled back, as somebody else; answers with the rows of the last. */
  as(role: string, tenant: string | null, ...statements: string[]): Promise<unknown[]>
}

/** A name of a database or a role that nobody else has. */
export function ownName(what: string): string {
  return `blazon_${what}_${process.pid}_${randomUUID().slice(0, 8)}`
}

/** A new database on the server. */
export async function ownServerDatabase(more: PostgresOptions = {}): Promise<ServerDatabase> {
  const database = ownName('db')
  await administer(`create database ${database}`)
  return await new ServerDatabase(database, more).open()
}

/** A new database in this process. */
export async function ownEmbeddedDatabase(): Promise<OwnDatabase> {
  const driver = createDriver({ embedded: 'memory' })
  await driver.open({ logger: SILENT })
  return new EmbeddedDatabase(driver)
}

/** Both kinds, for `describe.each`. */
export const KINDS = [
  ...(isThere || process.env['CI'] ? [['a server', ownServerDatabase] as const] : []),
  ['PGlite', ownEmbeddedDatabase] as const,
]

const SILENT = { info() {}, warn() {}, error() {} }

abstract class TestDatabase implements OwnDatabase {
  abstract readonly driver: Driver
  abstract readonly options: PostgresOptions
  readonly tenantRole: string = ownName('tenant')
  readonly allTenantsRole: string = ownName('all')

  abstract [Symbol.asyncDispose](): Promise<void>

  async run(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]> {
    return await this.lend(async (connection) => {
      if (values === undefined && /;\s*\S/.test(sql)) {
        await connection.script(sql)
        return []
      }
      return (await connection.query({ text: sql, values: values ?? [] })).rows
    })
  }

  async as(role: string, tenant: string | null, ...statements: string[]): Promise<unknown[]> {
    return await this.lend(async (connection) => {
      await connection.script('begin')
      const set = "select set_config('role', $1, true), set_config('app.tenant_id', $2, true)"
      await connection.query({ text: set, values: [role, tenant ?? ''] })
      let rows: unknown[] = []
      for (const text of statements) rows = (await connection.query({ text })).rows
      await connection.script('rollback')
      return rows
    })
  }

  private async lend<T>(use: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.driver.connect()
    try {
      return await use(connection)
    } finally {
      connection.release()
    }
  }
}

class EmbeddedDatabase extends TestDatabase {
  readonly driver: Driver
  readonly options = { embedded: 'memory' }

  constructor(driver: Driver) {
    super()
    this.driver = driver
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.driver.close()
  }
}

/** A database of the server. */
export class ServerDatabase extends TestDatabase {
  readonly driver: Driver
  readonly options: PostgresOptions & { readonly url: string }
  readonly #database: string
  readonly #roles = new Set<string>()

  constructor(database: string, more: PostgresOptions) {
    super()
    this.#database = database
    this.options = { ...more, url: this.urlOf(new URL(SERVER).username || 'postgres') }
    this.driver = createDriver(this.options)
  }

  async open(): Promise<this> {
    await this.driver.open({ logger: SILENT })
    return this
  }

  /** Where it is, for who logs in as this role. */
  urlOf(login: string): string {
    const url = new URL(SERVER)
    url.username = login
    url.pathname = `/${this.#database}`
    return url.href
  }

  /** Makes a role that is dropped in the end. */
  async role(what: string, attributes: string): Promise<string> {
    const name = ownName(what)
    this.#roles.add(name)
    await this.run(`create role ${name} ${attributes}`)
    return name
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.driver.close()
    await administer(`drop database ${this.#database} with (force)`)
    for (const role of [this.tenantRole, this.allTenantsRole, ...this.#roles]) {
      await administer(`drop role if exists ${role}`)
    }
  }
}

/** A folder of migrations. */
export class Folder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'blazon-migrations-'))

  constructor(files: Readonly<Record<string, string | Uint8Array>> = {}) {
    this.write(files)
  }

  write(files: Readonly<Record<string, string | Uint8Array>>): this {
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(join(this.path, name), content)
    }
    return this
  }

  remove(name: string): void {
    rmSync(join(this.path, name))
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

/** Waits until something holds; the test's own limit ends what never does. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
}

async function administer(sql: string): Promise<void> {
  const client = new pg.Client(SERVER)
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

function answers({ hostname, port }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(port || 5432), hostname)
    const end = (isUp: boolean) => {
      socket.destroy()
      resolve(isUp)
    }
    socket.setTimeout(2000, () => end(false))
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })
}
