import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App, Controller, Get, inject, Tenant } from 'blazon'
import { Database, migrate, type PostgresOptions, postgres, tenantTable } from 'blazon/postgres'
import { expect, it, onTestFinished, vi } from 'vitest'
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

/** A working directory with migrations, outside of `NODE_ENV=test`. */
class Project {
  readonly migrations: string

  constructor(mode = 'development') {
    const folder = mkdtempSync(join(tmpdir(), 'blazon-omissions-'))
    this.migrations = join(folder, 'migrations')
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder)
    vi.stubEnv('NODE_ENV', mode)
    onTestFinished(() => {
      cwd.mockRestore()
      vi.unstubAllEnvs()
      rmSync(folder, { recursive: true, force: true })
    })
  }

  migration(name: string, sql: string): this {
    mkdirSync(this.migrations, { recursive: true })
    writeFileSync(join(this.migrations, name), sql)
    return this
  }
}

/** Boots an application with the database. Returns its warnings about the database. */
async function warningsOf(options: PostgresOptions, isTenant = true): Promise<string[]> {
  const warnings: string[] = []
  const app = await App.create({
    controllers: isTenant ? [NotesController] : [],
    plugins: [postgres(options)],
    logger: { info() {}, error() {}, warn: (_facts: object, text: string) => warnings.push(text) },
  })
  await app.close()
  return warnings.filter((text) => /^\[W_(?:DATABASE|MIGRATION)/.test(text))
}

const codesOf = (warnings: readonly string[]) =>
  warnings.map((text) => /^\[(\w+)\] (.*)/.exec(text)?.slice(1).join(' '))

describeWithServer('boot with a database server', () => {
  it('warns about a superuser, missing roles and pending migrations', async () => {
    await using database = await ownServerDatabase()
    const { tenantRole, allTenantsRole } = database
    const options = { ...database.options, tenantRole, allTenantsRole }
    const project = new Project()
    expect(codesOf(await warningsOf(options))).toEqual([
      'W_DATABASE_LOGIN login root_of_tests',
      'W_DATABASE_LOGIN login root_of_tests',
      'W_DATABASE_TABLES the database',
    ])
    const { columns } = { columns: ['text text'] }
    project.migration(
      '0001_notes.sql',
      tenantTable('notes', { columns, tenantRole, allTenantsRole }),
    )
    const warnings = await warningsOf(options)
    expect(codesOf(warnings)).toEqual([
      'W_DATABASE_LOGIN login root_of_tests',
      'W_DATABASE_LOGIN login root_of_tests',
      'W_MIGRATION_PENDING migrations/0001_notes.sql',
    ])
    expect(warnings[0]).toMatch(/superuser[\s\S]*npx blazon db migrate --login/)
    expect(warnings[1]).toContain(`not allowed to switch to the role ${tenantRole}`)
    expect(warnings[2]).toContain('npx blazon db migrate')
    expect(codesOf(await warningsOf(options, false))).toEqual([
      'W_MIGRATION_PENDING migrations/0001_notes.sql',
    ])
  })

  it('does not warn about a correct login and correct tables until a migration is added', async () => {
    await using database = await ownServerDatabase()
    const { tenantRole, allTenantsRole } = database
    const roles = { tenantRole, allTenantsRole }
    const login = await database.role('login', 'login noinherit')
    const project = new Project()
    project.migration('0001_notes.sql', tenantTable('notes', { columns: ['text text'], ...roles }))
    const owner = { ...database.options, ...roles, migrations: project.migrations }
    await migrate(owner, { login })
    const options = { url: database.urlOf(login), ...roles }
    expect(await warningsOf(options)).toEqual([])
    project.migration('0002_more.sql', 'create table more ()').migration('0003_x.sql', 'select 1')
    const warnings = await warningsOf(options)
    expect(codesOf(warnings)).toEqual(['W_MIGRATION_PENDING migrations/0002_more.sql'])
    expect(warnings[0]).toContain('It and 1 more have not been applied')
    // The application applies them itself.
    expect(
      await warningsOf({ ...database.options, ...roles, migrations: project.migrations }, false),
    ).toEqual([])
  })

  it('does not warn about migrations of another tool', async () => {
    await using database = await ownServerDatabase()
    new Project().migration('0001_notes.sql', 'select 1')
    await database.run('create table notes (text text)')
    expect(await warningsOf(database.options, false)).toEqual([])
    await database.run('drop table notes')
    new Project().migration('1-made-by-another.sql', 'select 1')
    expect(await warningsOf(database.options, false)).toEqual([])
  })

  it.each(['production', 'test'])('does not warn under NODE_ENV=%s', async (mode) => {
    await using database = await ownServerDatabase()
    new Project(mode).migration('0001_notes.sql', 'select 1')
    expect(await warningsOf({ ...database.options, doctor: false })).toEqual([])
  })
})

it('boot warns about migrations that nothing applies to an embedded database', async () => {
  new Project().migration('0001_notes.sql', 'create table notes (text text)')
  const warnings = await warningsOf({ embedded: 'memory' }, false)
  expect(codesOf(warnings)).toEqual(['W_MIGRATION_PENDING migrations/0001_notes.sql'])
  expect(warnings[0]).toContain("postgres({ migrations: 'migrations' })")
})
