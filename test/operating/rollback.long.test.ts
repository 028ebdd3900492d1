import { App, Health } from 'blazon'
import { postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { expect, it, onTestFinished } from 'vitest'
import { runCli } from '../../src/cli/run-cli.js'
import {
  describeWithServer,
  Folder,
  ownServerDatabase,
} from '../integrations/postgres/own-database.js'

const FIRST = { '0001_create_notes.sql': 'create table notes (text text)' }
/** It expands: the first version works with it. */
const SECOND = { ...FIRST, '0002_add_author.sql': 'alter table notes add column author text' }

/** The migrations of two versions of an application, and a database. */
async function setUp() {
  const [database, first, second] = [
    await ownServerDatabase(),
    new Folder(FIRST),
    new Folder(SECOND),
  ]
  onTestFinished(async () => {
    first[Symbol.dispose]()
    second[Symbol.dispose]()
    await database[Symbol.asyncDispose]()
  })
  const url = String(database.options.url)
  const run = async (command: string, folder: Folder, ...options: string[]) => {
    let text = ''
    const add = (more: string) => {
      text += more
    }
    const streams = { out: add, err: add, note: (line: string) => add(`${line}\n`) }
    const argv = ['db', command, '--url', url, '--dir', folder.path, ...options]
    const status = await runCli(argv, { cwd: folder.path, streams })
    return { status, text }
  }
  const migrate = (folder: Folder, ...options: string[]) =>
    run('migrate', folder, '--no-roles', ...options)
  return { url, first, second, migrate, state: (folder: Folder) => run('status', folder) }
}

describeWithServer('a rollback after a migration', () => {
  it('allows the older version to start, and its migrate command lists the newer migrations', async () => {
    const { url, first, second, migrate, state } = await setUp()
    expect((await migrate(second)).status).toBe(0)
    const { status, text } = await migrate(first)
    expect(text).toContain('newer    0002_add_author.sql\n')
    expect(text).toContain('except with --strict')
    expect(status).toBe(0)
    expect(await state(first)).toMatchObject({
      status: 0,
      text: expect.stringContaining('1 applied, 0 pending, 1 of a newer version.'),
    })
    const app = await App.create({
      plugins: [postgres({ url, migrations: first.path, requireMigrations: first.path })],
    })
    onTestFinished(() => app.close())
    expect(await app.get(Health).check()).toMatchObject({ status: 'up' })
  })

  it('makes `migrate --strict` fail, without a suggestion to delete anything', async () => {
    const { first, second, migrate } = await setUp()
    await migrate(second)
    const { status, text } = await migrate(first, '--strict')
    expect(status).not.toBe(0)
    expect(text).toContain('[E_MIGRATION_MISSING] 0002_add_author.sql')
    expect(text).not.toMatch(/delete|drop|truncate/i)
  })
})

describeWithServer('requireMigrations', () => {
  it('prevents an application from being ready until all migrations in its folder are applied', async () => {
    const { url, first, second, migrate } = await setUp()
    await migrate(first)
    const app = await TestApp.create({
      plugins: [postgres({ url, requireMigrations: second.path })],
      health: true,
    })
    onTestFinished(() => app.close())
    expect((await app.request().get('/readyz')).status).toBe(503)
    const { plugins } = await app.get(Health).check()
    expect(JSON.stringify(plugins)).toContain('0002_add_author.sql')
    await migrate(second)
    await app.clock.advance(2000)
    expect((await app.request().get('/readyz')).status).toBe(200)
  })
})
