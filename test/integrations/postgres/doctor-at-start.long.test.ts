import { App, Controller, Get, inject, Tenant } from 'blazon'
import { Database, postgres, tenantTable } from 'blazon/postgres'
import { expect, it } from 'vitest'
import { Patient } from './doctor-patient.js'
import { ownServerDatabase } from './own-database.js'
import { describeWithServer } from './server.js'

@Tenant()
@Controller('notes')
class NotesController {
  private readonly db = inject(Database)

  @Get()
  list() {
    return this.db.sql`select * from notes`
  }
}

describeWithServer('boot of an application with tenants and the option doctor', () => {
  it('fails if the login is a superuser and a table has no policy', async () => {
    await using database = await ownServerDatabase()
    const { tenantRole, allTenantsRole } = database
    for (const role of [tenantRole, allTenantsRole]) await database.run(`create role ${role}`)
    // The login is a superuser, and no policy protects the table.
    await database.run('create table notes (tenant_id text not null, text text)')
    const options = { ...database.options, tenantRole, allTenantsRole }
    const start = (doctor: boolean, isTenant = true) =>
      App.create({
        controllers: isTenant ? [NotesController] : [],
        plugins: [postgres({ ...options, doctor })],
        logger: false,
      })
    const error = await start(true).catch((reason) => reason)
    expect(error.message).toMatch(/E_DATABASE_/)
    expect(error.message).toMatch(/superuser/)
    expect(error.message).toMatch(/notes/)
    for (const app of [await start(false), await start(true, false)]) await app.close()
  })

  it('fails for a table without a tenant unless its comment declares it as shared', async () => {
    const database = await ownServerDatabase()
    const login = await database.role('login', 'login noinherit')
    await using patient = await Patient.open(async () => database, login)
    await patient.run(
      `${tenantTable('notes', { ...patient.roles, columns: ['text text'] })}; create table plans (name text); grant select on plans to $one`,
    )
    const options = { url: database.urlOf(login), ...patient.roles, doctor: true }
    const start = () =>
      App.create({ controllers: [NotesController], plugins: [postgres(options)], logger: false })
    await expect(start()).rejects.toThrow(/E_DATABASE_REACH\] table public\.plans/)
    await patient.run("comment on table plans is 'blazon: shared'")
    const app = await start()
    await app.close()
  })
})
