import { tenantTable } from 'blazon/postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { examine } from '../../../src/integrations/postgres/doctor/inspect-database.js'
import { ensureRoles } from '../../../src/integrations/postgres/roles.js'
import { createDriver } from '../../../src/integrations/postgres/with-driver.js'
import { ownServerDatabase, type ServerDatabase } from './own-database.js'
import { describeWithServer, SUPERUSER } from './server.js'

const SILENT = { info() {}, warn() {}, error() {} }

describeWithServer('the doctor, for the login of an application', () => {
  let database: ServerDatabase
  let names: Record<string, string>

  beforeAll(async () => {
    database = await ownServerDatabase()
    const { tenantRole, allTenantsRole } = database
    const login = await database.role('login', 'login noinherit')
    const owner = await database.role('owner', 'nologin')
    names = {
      $one: tenantRole,
      $every: allTenantsRole,
      $login: login,
      $owner: owner,
      $me: SUPERUSER,
    }
    const connection = await database.driver.connect()
    await connection.script('begin')
    await ensureRoles(connection, { tenantRole, allTenantsRole, login })
    await connection.script('commit')
    connection.release()
    const roles = { tenantRole, allTenantsRole }
    await database.run(tenantTable('orders', { ...roles, columns: ['note text'] }))
  })
  afterAll(() => database?.[Symbol.asyncDispose]())

  const entries = () => Object.entries(names)
  const fill = (text: string) =>
    entries().reduce((filled, [name, value]) => filled.replaceAll(name, value), text)
  const shorten = (text: string) =>
    entries().reduce((short, [name, value]) => short.replaceAll(value, name), text)

  /** The findings for the login, with short names of the roles. */
  async function findings(): Promise<string[]> {
    const { tenantRole, allTenantsRole } = database
    const driver = createDriver({ url: database.urlOf(fill('$login')) })
    await driver.open({ logger: SILENT })
    try {
      const found = await examine(driver, { tenantRole, allTenantsRole })
      return found.map(({ code, subject, cause, remedy }) =>
        shorten(`${code} ${subject} | ${cause} | ${remedy}`),
      )
    } finally {
      await driver.close()
    }
  }

  it.each<[what: string, change: string, back: string, findings: string[]]>([
    [
      'a login that is a superuser',
      'alter role $login superuser',
      'alter role $login nosuperuser',
      [
        "E_DATABASE_LOGIN login $login | It is a superuser: a statement without the tenant role, such as injected SQL after RESET ROLE, sees the rows of every tenant. | Log in as another role: create role … login noinherit password '…'; then npx blazon db migrate --login …",
      ],
    ],
    [
      'a login with BYPASSRLS',
      'alter role $login bypassrls',
      'alter role $login nobypassrls',
      [
        "E_DATABASE_LOGIN login $login | It has BYPASSRLS: a statement without the tenant role, such as injected SQL after RESET ROLE, sees the rows of every tenant. | Log in as another role: create role … login noinherit password '…'; then npx blazon db migrate --login …",
      ],
    ],
    [
      'a login that owns tables',
      'create table own (a int); alter table own owner to $login; alter table orders owner to $login',
      'drop table own; alter table orders owner to $me',
      [
        'E_DATABASE_LOGIN login $login | It owns public.orders, so it can remove the policies. | Use another role for the application than for the migrations.',
        'W_DATABASE_LOGIN login $login | It owns public.own: a statement without the tenant role, such as injected SQL after RESET ROLE, has full access to them. | Use another role for the application than for the migrations.',
      ],
    ],
    [
      'a login that can become the owner of a table',
      'alter table orders owner to $owner; grant $owner to $login',
      'alter table orders owner to $me; revoke $owner from $login',
      [
        'W_DATABASE_LOGIN login $login | It can switch to $owner, which owns public.orders. | revoke $owner from $login;',
      ],
    ],
    [
      'privileges of the login itself',
      'create table plain (a int); create sequence numbers; grant select, insert on orders to $login; grant update on plain to $login; grant select on numbers to $login',
      'drop table plain; drop sequence numbers; revoke all on orders from $login',
      [
        'E_DATABASE_LOGIN login $login | It can access public.orders (INSERT, SELECT), public.plain (UPDATE) without SET ROLE. Injected SQL can therefore access them too, after RESET ROLE. | revoke all on public.orders, public.plain from $login;',
      ],
    ],
    [
      'a login that cannot become the roles',
      'revoke $one, $every from $login',
      'grant $one, $every to $login',
      [
        'E_DATABASE_LOGIN login $login | It is not allowed to switch to $one. | Run: npx blazon db migrate --login $login',
        'E_DATABASE_LOGIN login $login | It is not allowed to switch to $every. | Run: npx blazon db migrate --login $login',
      ],
    ],
    [
      'a login that inherits from the role of all tenants',
      'revoke $every from $login; alter role $login inherit; grant $every to $login',
      'revoke $every from $login; alter role $login noinherit; grant $every to $login',
      [
        'E_DATABASE_LOGIN login $login | It inherits from $every: it can read the rows of every tenant without switching to that role. | Before PostgreSQL 16: alter role $login noinherit; from PostgreSQL 16 on: grant $every to $login with inherit false;',
      ],
    ],
    [
      'a login that can read all data, copy the server, or create roles',
      'grant pg_read_all_data to $login; alter role $login replication createrole',
      'revoke pg_read_all_data from $login; alter role $login noreplication nocreaterole',
      [
        'E_DATABASE_LOGIN login $login | It is a member of pg_read_all_data, which can access, or give itself access to, the rows of several tenants. | revoke pg_read_all_data from $login;',
        'E_DATABASE_LOGIN login $login | It has REPLICATION: it can copy all files of the server, which contain the rows of every tenant. | alter role $login noreplication;',
        'W_DATABASE_LOGIN login $login | It has CREATEROLE: before PostgreSQL 16 it can make itself a member of any role, including the owner of tables. | alter role $login nocreaterole;',
      ],
    ],
  ])('reports %s', async (_what, change, back, expected) => {
    await database.run(fill(change))
    try {
      expect(await findings()).toEqual(expected)
    } finally {
      await database.run(fill(back))
    }
    expect(await findings()).toEqual([])
  })

  it('warns about a table that another session has locked, and does not wait for it', async () => {
    const connection = await database.driver.connect()
    try {
      await connection.script('begin; lock table orders in access exclusive mode')
      expect(await findings()).toEqual([
        'W_DATABASE_CANARY table public.orders | It is locked or slow, so the doctor could not test whether it isolates tenants. | Run the doctor again later.',
      ])
    } finally {
      connection.destroy()
    }
    await expect.poll(findings).toEqual([])
  })
})
