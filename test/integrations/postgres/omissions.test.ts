import { mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError } from 'blazon'
import { doctor, migrate, migrationStatus, tenantTable, withDatabaseLink } from 'blazon/postgres'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Driver } from '../../../src/integrations/postgres/driver.js'
import { findOmissions } from '../../../src/integrations/postgres/find-omissions.js'
import { Folder, type OwnDatabase, ownEmbeddedDatabase } from './own-database.js'

let database: OwnDatabase
let folder: Folder
beforeEach(async () => {
  database = await ownEmbeddedDatabase()
  folder = new Folder()
  vi.spyOn(process, 'cwd').mockReturnValue(folder.path)
})
afterEach(async () => {
  vi.mocked(process.cwd).mockRestore()
  folder[Symbol.dispose]()
  await database[Symbol.asyncDispose]()
})

const EXPECTED = { usesTenants: true, migrates: false, tenantRole: 'app_tenant' }
const NO_TABLES =
  'W_DATABASE_TABLES the database: No table of this database has a column tenant_id, so there are no rows of tenants to protect.'

/** The warnings, with their remedies if asked for. */
async function warnings(more: object = {}, driver: Driver = database.driver): Promise<string[]> {
  const found = await findOmissions(driver, { ...EXPECTED, ...more })
  return found.map(({ code, subject, cause }) => `${code} ${subject}: ${cause}`)
}

/** The same database, as one of a server, with the user of its session. */
function asServer(login?: string): Driver {
  const connect = async () => {
    const connection = await database.driver.connect()
    if (login !== undefined) await connection.script(`set session authorization ${login}`)
    return connection
  }
  return { isEmbedded: false, connect } as Driver
}

describe('a database that lacks something during development', () => {
  it('has no tables of tenants, unless the application has no tenants', async () => {
    expect(await warnings()).toEqual([NO_TABLES])
    expect(await warnings({ usesTenants: false })).toEqual([])
    await database.run('create table notes (tenant_id text)')
    expect(await warnings()).toEqual([])
  })

  it('has pending migrations, unless the application or another tool applies them', async () => {
    const inner = resolve(folder.path, 'migrations')
    mkdirSync(inner)
    expect(await warnings({ usesTenants: false })).toEqual([])
    writeFileSync(resolve(inner, '0001_a.sql'), 'select 1')
    const pending = (what: string) =>
      `W_MIGRATION_PENDING migrations/0001_a.sql: ${what} not been applied to this database. Statements that depend on these changes will fail.`
    expect(await warnings()).toEqual([pending('It has')])
    writeFileSync(resolve(inner, '0002_b.sql'), 'select 2')
    writeFileSync(resolve(inner, '0003_c.sql'), 'select 3')
    expect(await warnings({ usesTenants: false })).toEqual([pending('It and 2 more have')])
    expect(await warnings({ migrates: true })).toEqual([NO_TABLES])
    const [embedded] = await findOmissions(database.driver, EXPECTED)
    expect(embedded?.remedy).toContain("postgres({ migrations: 'migrations' })")
    const [server] = await findOmissions(asServer(), { ...EXPECTED, usesTenants: false })
    expect(server?.remedy).toBe('With the login that owns the tables, run: npx blazon db migrate')
    await database.run('create table notes (text text)')
    expect(await warnings({ usesTenants: false })).toEqual([])
    writeFileSync(resolve(inner, 'other.sql'), 'select 4')
    await database.run('drop table notes')
    expect(await warnings({ usesTenants: false })).toEqual([])
  })

  it('has a login of a server that is a superuser, or that cannot become the role', async () => {
    const [superuser, table] = await findOmissions(asServer(), EXPECTED)
    expect(superuser).toMatchObject({
      ...{ code: 'W_DATABASE_LOGIN', subject: 'login postgres' },
      cause: expect.stringMatching(/^It is a superuser: /),
    })
    expect(table).toMatchObject({
      cause:
        'It is not allowed to switch to the role app_tenant, or that role does not exist: every statement for a tenant fails.',
      remedy: 'With the login that owns the tables, run: npx blazon db migrate',
    })
  })

  it.each([
    ['', ['login service']],
    ['grant app_tenant to service', []],
  ])('has a login that may become the role or not: %s', async (grant, subjects) => {
    await database.run(
      `create role app_tenant; create role service login; create table notes (tenant_id text); ${grant}`,
    )
    const found = await findOmissions(asServer('service'), EXPECTED)
    expect(found.map(({ subject }) => subject)).toEqual(subjects)
    const remedy = 'With the login that owns the tables, run: npx blazon db migrate --login service'
    if (subjects.length > 0) expect(found[0]?.remedy).toBe(remedy)
  })
})

describe('functions that open a database by themselves', () => {
  it('use the given folder of migrations, or the default folder and the default roles', async () => {
    folder.write({ '0001_a.sql': tenantTable('notes', { columns: ['text text unique'] }) })
    const place = { embedded: 'memory', migrations: folder.path }
    const applied = await migrate(place, { roles: true })
    expect(applied.map(({ name }) => name)).toEqual(['0001_a.sql'])
    expect(await migrationStatus(place)).toMatchObject([{ name: '0001_a.sql', state: 'pending' }])
    const found = await doctor({ embedded: 'memory' })
    expect(found.map(({ code, subject }) => `${code} ${subject}`)).toEqual([
      ...['E_DATABASE_ROLE role app_tenant', 'E_DATABASE_ROLE role app_all_tenants'],
      'W_DATABASE_TABLES the database',
    ])
    const missing = `The folder ${resolve(folder.path, 'migrations')} cannot be read`
    for (const run of [migrate, migrationStatus])
      await expect(run({ embedded: 'memory' })).rejects.toThrow(missing)
    expect(() => migrate(place, { logins: 'x' } as never)).toThrow(ConfigError)
    for (const [name, run] of Object.entries({ migrate, migrationStatus, doctor }))
      await expect(run({})).rejects.toThrow(`${name}(): url and embedded`)
    const rows = await withDatabaseLink({ embedded: 'memory' }, (link) => link.run('select 1 as n'))
    expect(rows).toEqual([{ n: 1 }])
    await expect(withDatabaseLink({}, async () => 1)).rejects.toThrow('withDatabaseLink(): url')
  })
})
