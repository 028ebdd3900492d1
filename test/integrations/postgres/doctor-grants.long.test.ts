import { afterEach, beforeEach, expect, it } from 'vitest'
import { examine } from '../../../src/integrations/postgres/doctor/inspect-database.js'
import { tenantTable } from '../../../src/integrations/postgres/schema/tenant-table.js'
import { createDriver } from '../../../src/integrations/postgres/with-driver.js'
import { Patient } from './doctor-patient.js'
import { ownServerDatabase, type ServerDatabase } from './own-database.js'
import { describeWithServer } from './server.js'

const SILENT = { info() {}, warn() {}, error() {} }

describeWithServer('the doctor for the rights of the login', () => {
  let patient: Patient
  let database: ServerDatabase
  let login: string

  beforeEach(async () => {
    const own = await ownServerDatabase()
    database = own
    login = await own.role('login', 'login noinherit')
    patient = await Patient.open(async () => own, login)
    await patient.run(
      `${tenantTable('sound', { ...patient.roles, columns: ['note text'] })}; insert into sound (tenant_id, note) values ('zeta', 'secret')`,
    )
  })
  afterEach(() => patient[Symbol.asyncDispose]())

  /** Runs a function with connections of the login. */
  const asLogin = async <T>(use: (driver: ReturnType<typeof createDriver>) => Promise<T>) => {
    const driver = createDriver({ url: database.urlOf(login) })
    await driver.open({ logger: SILENT })
    try {
      return await use(driver)
    } finally {
      await driver.close()
    }
  }
  const findings = async () => await asLogin((driver) => examine(driver, patient.roles))
  const lines = async () => (await findings()).map(({ code, subject }) => `${code} ${subject}`)
  /** The rows that a statement of a tenant sees after RESET ROLE. */
  const seenOutside = async (text: string) =>
    await asLogin(async (driver) => {
      const connection = await driver.connect()
      const { tenantRole } = patient.roles
      try {
        await connection.script(
          `begin; set local role ${tenantRole}; set local app.tenant_id = 'acme'; reset role`,
        )
        return (await connection.query({ text })).rows
      } finally {
        connection.destroy()
      }
    })
  const fill = (sql: string) => sql.replaceAll('$login', login)

  it.each([
    [
      'a table',
      'create table copy as select note from sound; grant select on copy to $login',
      'select note from copy',
      'public.copy (SELECT)',
    ],
    [
      'a column of a table',
      'create table copy as select note from sound; grant select (note), insert on copy to $login',
      'select note from copy',
      'public.copy (INSERT, SELECT)',
    ],
    [
      'a tenant table with a policy for the login',
      'grant select on sound to $login; create policy own on sound to $login using (true) with check (false)',
      'select note from sound',
      'public.sound (SELECT)',
    ],
    [
      'a table to a role from which the login inherits',
      'create role $login_r; alter role $login inherit; grant $login_r to $login; revoke $all from $login; create table copy as select note from sound; grant select on copy to $login_r',
      'select note from copy',
      'public.copy (SELECT)',
    ],
    [
      'a view',
      'create view copy as select note from sound; grant select on copy to $login',
      'select note from copy',
      'public.copy (SELECT)',
    ],
  ])('finds a grant on %s', async (_, plant, see, granted) => {
    expect(await lines()).toEqual([])
    await patient.run(fill(plant))
    expect(await seenOutside(see)).toEqual([{ note: 'secret' }])
    const [found] = await findings()
    expect(found).toMatchObject({ code: 'E_DATABASE_LOGIN', subject: `login ${login}` })
    expect(found?.cause).toContain(granted)
    await patient.run(String(found?.remedy))
    await expect(seenOutside(see)).rejects.toMatchObject({ code: '42501' })
  })

  it('names all grants in one finding with a remedy that revokes them', async () => {
    await patient.run(
      fill('create table one (a int); create table two (a int); grant all on one, two to $login'),
    )
    const [found, ...others] = await findings()
    expect(others).toEqual([])
    expect(found?.cause).toMatch(/public\.one \(.*SELECT.*\), public\.two \(/)
    await patient.run(String(found?.remedy))
    expect(await lines()).toEqual([])
  })

  it('accepts grants on shared tables and on sequences', async () => {
    await patient.run(
      fill(`
      create table plans (name text); comment on table plans is 'blazon: shared';
      grant select on plans to $login, $one; create table bare (id serial); grant usage on bare_id_seq to $login`),
    )
    expect(await lines()).toEqual([])
  })

  it('warns about tables without tenants that the login owns', async () => {
    await patient.run(fill('create table jobs (a int); alter table jobs owner to $login'))
    expect(await lines()).toEqual([`W_DATABASE_LOGIN login ${login}`])
  })

  it('finds the REPLICATION attribute, and the right to create tables in a schema', async () => {
    await patient.run(fill('create schema own; grant create on schema own to $login'))
    await patient.run(fill('alter role $login replication'))
    expect(await lines()).toEqual([
      `E_DATABASE_LOGIN login ${login}`,
      'W_DATABASE_SCHEMA schema own',
    ])
    for (const { remedy } of await findings()) await patient.run(remedy)
    expect(await lines()).toEqual([])
  })

  it('finds default privileges that give the login access to future tables', async () => {
    await patient.run(fill('alter default privileges grant select on tables to $login'))
    expect(await lines()).toEqual([
      'W_DATABASE_GRANT default privileges on tables of root_of_tests',
    ])
    for (const { remedy } of await findings()) await patient.run(remedy)
    expect(await lines()).toEqual([])
  })

  it.each(['pg_read_all_data', 'pg_read_server_files', 'pg_execute_server_program'])(
    'finds a login that can switch to the role %s',
    async (role) => {
      await patient.run(fill(`grant ${role} to $login`))
      expect(await findings()).toMatchObject([
        { code: 'E_DATABASE_LOGIN', cause: expect.stringContaining(`member of ${role}`) },
      ])
      for (const { remedy } of await findings()) await patient.run(remedy)
      expect(await lines()).toEqual([])
    },
  )
})
