import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  examine,
  inspectDatabase,
} from '../../../src/integrations/postgres/doctor/inspect-database.js'
import type { Connection } from '../../../src/integrations/postgres/driver.js'
import { PostgresError } from '../../../src/integrations/postgres/postgres-error.js'
import { ensureRoles } from '../../../src/integrations/postgres/roles.js'
import { tenantTable } from '../../../src/integrations/postgres/schema/tenant-table.js'
import { createDriver } from '../../../src/integrations/postgres/with-driver.js'
import { until } from '../until.js'
import { ownServerDatabase, type ServerDatabase } from './own-database.js'
import { describeWithServer } from './server.js'

const SILENT = { info() {}, warn() {}, error() {} }

describeWithServer('the doctor on a database server', () => {
  let database: ServerDatabase
  let roles: { tenantRole: string; allTenantsRole: string }

  beforeEach(async () => {
    database = await ownServerDatabase()
    const { tenantRole, allTenantsRole } = database
    roles = { tenantRole, allTenantsRole }
  })
  afterEach(() => database[Symbol.asyncDispose]())

  const prepare = async (login?: string) => {
    const connection = await database.driver.connect()
    await connection.script('begin')
    await ensureRoles(connection, { ...roles, login })
    await connection.script('commit')
    connection.release()
    await database.run(tenantTable('orders', { ...roles, columns: ['note text'] }))
  }
  /** The findings of the doctor for an application that logs in as this role. */
  const findings = async (login: string) => {
    const driver = createDriver({ url: database.urlOf(login) })
    await driver.open({ logger: SILENT })
    try {
      return await examine(driver, roles)
    } finally {
      await driver.close()
    }
  }
  const messages = async (login: string) =>
    (await findings(login)).map(({ code, cause }) => `${code} ${cause}`)

  it('accepts a login that the migrations have prepared', async () => {
    const login = await database.role('login', 'login noinherit')
    await prepare(login)
    expect(await findings(login)).toEqual([])
  })

  it.each([
    ['login superuser', /^E_DATABASE_LOGIN It is a superuser/],
    ['login bypassrls', /^E_DATABASE_LOGIN It has BYPASSRLS/],
  ])('finds a login that was created with: %s', async (attributes, message) => {
    await prepare()
    const login = await database.role('login', attributes)
    await database.run(`grant ${roles.tenantRole}, ${roles.allTenantsRole} to ${login}`)
    expect(await messages(login)).toEqual([expect.stringMatching(message)])
  })

  it('finds a login that owns tables directly or as a member of a role', async () => {
    const login = await database.role('login', 'login noinherit')
    await prepare(login)
    const owner = await database.role('owner', 'nologin')
    await database.run(`alter table orders owner to ${login}`)
    expect(await messages(login)).toEqual([
      expect.stringMatching(/^E_DATABASE_LOGIN It owns public.orders, so/),
    ])
    await database.run(`alter table orders owner to ${owner}; grant ${owner} to ${login}`)
    expect(await messages(login)).toEqual([
      expect.stringMatching(/^W_DATABASE_LOGIN It can switch to \S+, which owns public.orders/),
    ])
    await database.run(`revoke ${roles.allTenantsRole} from ${login}; alter role ${login} inherit`)
    expect(await messages(login)).toEqual([
      expect.stringMatching(/^E_DATABASE_LOGIN It owns public.orders as a member of/),
      expect.stringMatching(/^E_DATABASE_LOGIN It is not allowed to switch to \S+all/),
    ])
  })

  it('finds a login that inherits the rights of the tenant roles', async () => {
    await prepare()
    const login = await database.role('login', 'login inherit')
    await database.run(`grant ${roles.tenantRole}, ${roles.allTenantsRole} to ${login}`)
    const [found, ...others] = await findings(login)
    expect(others).toEqual([])
    expect(found).toMatchObject({
      code: 'E_DATABASE_LOGIN',
      subject: `login ${login}`,
      cause: expect.stringContaining('It inherits from'),
    })
  })

  it('finds a login that can switch to a role with BYPASSRLS or create roles', async () => {
    const login = await database.role('login', 'login noinherit createrole')
    await prepare(login)
    const admin = await database.role('admin', 'nologin bypassrls')
    await database.run(`grant ${admin} to ${login}`)
    expect(await findings(login)).toMatchObject([
      { code: 'E_DATABASE_LOGIN', cause: expect.stringContaining(`member of ${admin}`) },
      { code: 'W_DATABASE_LOGIN', cause: expect.stringContaining('CREATEROLE') },
    ])
    for (const { remedy } of await findings(login)) await database.run(remedy)
    expect(await findings(login)).toEqual([])
  })

  it('finds a login that cannot switch to the tenant roles, and does not test tables with this login', async () => {
    await prepare()
    await database.run('alter table orders disable row level security')
    const login = await database.role('login', 'login noinherit')
    expect(await messages(login)).toEqual([
      expect.stringMatching(/^E_DATABASE_LOGIN It is not allowed to switch to \S+tenant/),
      expect.stringMatching(/^E_DATABASE_LOGIN It is not allowed to switch to \S+all/),
      expect.stringMatching(/^E_DATABASE_RLS/),
    ])
  })

  it('repeats its queries at most twice if a table is locked', async () => {
    const login = await database.role('login', 'login noinherit')
    await prepare(login)
    const connection = await database.driver.connect()
    let refusals = 2
    const locked: Connection = {
      query: (statement) => {
        if (!statement.text.includes('pg_policy') || refusals-- === 0)
          return connection.query(statement)
        return Promise.reject(new PostgresError('canceling statement', { code: '55P03' }))
      },
      isLost: false,
      sendTogether: (statements) => connection.sendTogether(statements),
      script: (text) => connection.script(text),
      release: () => connection.release(),
      destroy: () => connection.destroy(),
    }
    const options = { ...roles, isEmbedded: true }
    expect(await inspectDatabase(locked, options)).toEqual([])
    refusals = 3
    await expect(inspectDatabase(locked, options)).rejects.toMatchObject({ code: '55P03' })
    connection.release()
  })

  it('warns if the database has no tenant table', async () => {
    await using empty = await ownServerDatabase()
    const { tenantRole, allTenantsRole } = empty
    for (const role of [tenantRole, allTenantsRole]) await empty.run(`create role ${role}`)
    const connection = await empty.driver.connect()
    const found = await inspectDatabase(connection, {
      tenantRole,
      allTenantsRole,
      isEmbedded: false,
    })
    connection.release()
    expect(found.map(({ code }) => code)).toContain('W_DATABASE_TABLES')
  })

  it('warns about a locked table and does not wait for it', async () => {
    const login = await database.role('login', 'login noinherit')
    await prepare(login)
    const connection = await database.driver.connect()
    try {
      await connection.script('begin; lock table orders in access exclusive mode')
      expect(await findings(login)).toMatchObject([
        { code: 'W_DATABASE_CANARY', severity: 'warning', subject: 'table public.orders' },
      ])
    } finally {
      connection.destroy()
    }
    await until(async () => (await findings(login)).length === 0)
  })
})
