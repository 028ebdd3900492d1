import { afterEach, beforeEach, expect, it } from 'vitest'
import { ConfigError } from '../../../src/errors/config-error.js'
import { applyMigrations } from '../../../src/integrations/postgres/migrations/apply-migrations.js'
import { tenantTable } from '../../../src/integrations/postgres/schema/tenant-table.js'
import { createDriver } from '../../../src/integrations/postgres/with-driver.js'
import { Folder, ownServerDatabase, type ServerDatabase } from './own-database.js'
import { describeWithServer, SUPERUSER } from './server.js'

const SILENT = { info() {}, warn() {}, error() {} }

describeWithServer('the user that runs migrations', () => {
  let database: ServerDatabase
  let folder: Folder

  beforeEach(async () => {
    database = await ownServerDatabase()
    folder = new Folder()
  })
  afterEach(async () => {
    folder[Symbol.dispose]()
    await database[Symbol.asyncDispose]()
  })

  const rolesOf = ({ tenantRole, allTenantsRole }: ServerDatabase) => ({
    tenantRole,
    allTenantsRole,
  })

  const migrateAs = async (user: string, login?: string) => {
    const driver = createDriver({ url: database.urlOf(user) })
    await driver.open({ logger: SILENT })
    try {
      const roles = { ...rolesOf(database), login }
      return await applyMigrations(driver, { folder: folder.path, roles })
    } finally {
      await driver.close()
    }
  }
  const problemOf = async (run: Promise<unknown>) => {
    const error = await run.catch((reason: unknown) => reason)
    if (!(error instanceof ConfigError)) throw error
    expect(error.problems).toHaveLength(1)
    return error.problems[0] as ConfigError['problems'][number]
  }
  /** A new login that owns the database and nothing else. */
  const newOwner = async (attributes: string) => {
    const owner = await database.role('owner', `login ${attributes}`)
    await database.run(
      `alter database ${new URL(database.options.url).pathname.slice(1)} owner to ${owner}`,
    )
    return owner
  }
  /** Runs the SQL of a remedy as an administrator. */
  const administer = (remedy: string) => database.run(remedy.slice(remedy.indexOf(': ') + 2))

  it('needs no superuser rights to create tables that isolate tenants', async () => {
    const owner = await newOwner('createrole')
    const login = await database.role('login', 'login noinherit')
    const roles = rolesOf(database)
    folder.write({
      '0001_orders.sql': tenantTable('orders', { ...roles, columns: ['note text not null'] }),
      // Changes the rows of all tenants as the owner. While row-level security is forced, the owner sees no rows.
      '0002_fill.sql': `alter table orders no force row level security;
        insert into orders (tenant_id, note) values ('acme', 'a'), ('zeta', 'z'); update orders set note = upper(note);
        alter table orders force row level security;`,
    })
    expect(await migrateAs(owner, login)).toHaveLength(2)
    const seen = (role: string, tenant: string | null) =>
      database.as(role, tenant, 'select note from orders order by note')
    expect(await seen(roles.tenantRole, 'acme')).toEqual([{ note: 'A' }])
    expect(await seen(roles.tenantRole, null)).toEqual([])
    expect(await seen(roles.allTenantsRole, null)).toEqual([{ note: 'A' }, { note: 'Z' }])
    expect(await seen(owner, 'acme')).toEqual([])
  })

  it('gets an error with SQL for an administrator if it may not create roles', async () => {
    const owner = await newOwner('nocreaterole')
    const login = await database.role('login', 'login noinherit')
    const { code, subject, remedy } = await problemOf(migrateAs(owner, login))
    expect({ code, subject }).toEqual({
      code: 'E_DATABASE_ROLE',
      subject: `role ${database.tenantRole}`,
    })
    await administer(remedy)
    expect(await migrateAs(owner, login)).toEqual([])
  })

  it('gets an error with SQL for an administrator if it may not grant the roles', async () => {
    const owner = await newOwner('nocreaterole')
    await applyMigrations(database.driver, { folder: folder.path, roles: rolesOf(database) })
    await database.run(
      'grant usage on schema blazon to public; grant select on blazon.migrations to public',
    )
    const login = await database.role('login', 'login noinherit')
    for (let missing = 2; missing > 0; missing--) {
      const { code, subject, remedy } = await problemOf(migrateAs(owner, login))
      expect({ code, subject }).toEqual({ code: 'E_DATABASE_LOGIN', subject: `login ${login}` })
      await administer(remedy)
    }
    expect(await migrateAs(owner, login)).toEqual([])
  })

  it('gets an error if it may not use the table blazon.migrations', async () => {
    const owner = await database.role('owner', 'login')
    await applyMigrations(database.driver, { folder: folder.path, roles: rolesOf(database) })
    expect(await problemOf(migrateAs(owner))).toMatchObject({
      code: 'E_DATABASE_LOGIN',
      subject: 'blazon.migrations',
    })
  })

  it.each([
    ['superuser', 'It is a superuser'],
    ['bypassrls', 'It has BYPASSRLS'],
    ['inherit', 'It inherits the privileges of'],
  ])(
    'gets an error if the login of the application has the attribute %s',
    async (attribute, cause) => {
      const login = await database.role('login', `login ${attribute}`)
      const problem = await problemOf(migrateAs(SUPERUSER, login))
      expect(problem).toMatchObject({ code: 'E_DATABASE_LOGIN', subject: `login ${login}` })
      expect(problem.cause).toContain(cause)
      await administer(problem.remedy)
      const roles = { ...rolesOf(database), login }
      await applyMigrations(database.driver, { folder: folder.path, roles })
    },
  )

  it('gets an error that contains CREATE ROLE if the login of the application does not exist', async () => {
    const roles = { ...rolesOf(database), login: 'nobody at all' }
    const problem = await problemOf(
      applyMigrations(database.driver, { folder: folder.path, roles }),
    )
    expect(problem).toMatchObject({ code: 'E_DATABASE_LOGIN', subject: 'login nobody at all' })
    expect(problem.remedy).toContain('create role "nobody at all" login noinherit')
  })

  it('can migrate four databases of a server concurrently', async () => {
    const others = await Promise.all([1, 2, 3].map(() => ownServerDatabase()))
    const login = await database.role('login', 'login noinherit')
    const roles = { ...rolesOf(database), login }
    const all = [database, ...others]
    await Promise.all(
      all.map(({ driver }) => applyMigrations(driver, { folder: folder.path, roles })),
    )
    const members = await database.run(
      'select from pg_auth_members where member = (select oid from pg_roles where rolname = $1)',
      [login],
    )
    expect(members).toHaveLength(2)
    for (const other of others) await other[Symbol.asyncDispose]()
  })
})
