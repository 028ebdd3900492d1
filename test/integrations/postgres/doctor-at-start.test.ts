import { App, Controller, Get, inject, Tenant } from 'blazon'
import { Database, postgres } from 'blazon/postgres'
import { expect, it } from 'vitest'
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

describeWithServer('an application that uses tenants', () => {
  it('does not start in production where the database does not keep them apart', async () => {
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
})
