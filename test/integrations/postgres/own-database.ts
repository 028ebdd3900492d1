import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Connection, Driver } from '../../../src/integrations/postgres/driver.js'
import type { PostgresOptions } from '../../../src/integrations/postgres/options/postgres-options.js'
import { createDriver } from '../../../src/integrations/postgres/with-driver.js'
import { startPgliteFromTemplate } from '../../pglite-template.js'
import { isServerMissing, Server, SUPERUSER } from './server.js'

export { describeWithServer } from './server.js'

startPgliteFromTemplate()

/** One server for all tests of this process. */
let shared: Promise<Server> | undefined

/** A database of one test, with roles of its own. */
export interface OwnDatabase extends AsyncDisposable {
  readonly driver: Driver
  readonly options: PostgresOptions
  readonly tenantRole: string
  readonly allTenantsRole: string
  /** Runs one statement, or a script, as the superuser. */
  run(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>
  /** Runs statements as a role and a tenant, in a transaction that is rolled back. Returns the rows of the last. */
  as(role: string, tenant: string | null, ...statements: string[]): Promise<unknown[]>
}

/** A unique name of a database or a role. */
export function ownName(what: string): string {
  return `blazon_${what}_${process.pid}_${randomUUID().slice(0, 8)}`
}

/** A new database on the server of this process. */
export async function ownServerDatabase(more: PostgresOptions = {}): Promise<ServerDatabase> {
  shared ??= Server.start({ isKept: true })
  const server = await shared
  const name = ownName('db')
  await server.run(`create database ${name}`)
  return await new ServerDatabase(server, name, more).open()
}

/** A new database in this process. */
export async function ownEmbeddedDatabase(): Promise<OwnDatabase> {
  const driver = createDriver({ embedded: 'memory' })
  await driver.open({ logger: SILENT })
  return new EmbeddedDatabase(driver)
}

/** Both kinds of databases, for `describe.each`. */
export const KINDS: readonly (readonly [kind: string, open: () => Promise<OwnDatabase>])[] = [
  ...(isServerMissing ? [] : [['a server', () => ownServerDatabase()] as const]),
  ['PGlite', ownEmbeddedDatabase],
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

/** A database of a server. */
export class ServerDatabase extends TestDatabase {
  readonly driver: Driver
  readonly options: PostgresOptions & { readonly url: string }
  readonly server: Server
  readonly #name: string

  constructor(server: Server, name: string, more: PostgresOptions) {
    super()
    this.server = server
    this.#name = name
    this.options = { ...more, url: this.urlOf(SUPERUSER) }
    this.driver = createDriver(this.options)
  }

  async open(): Promise<this> {
    await this.driver.open({ logger: SILENT })
    return this
  }

  /** The URL of the database for a login as this role. */
  urlOf(login: string): string {
    return this.server.url(login, { database: this.#name })
  }

  /** Makes a role with a unique name. */
  async role(what: string, attributes: string): Promise<string> {
    const name = ownName(what)
    await this.run(`create role ${name} ${attributes}`)
    return name
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.driver.close()
    await this.server.run(`drop database ${this.#name} with (force)`)
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
