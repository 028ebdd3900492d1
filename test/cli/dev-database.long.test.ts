import { existsSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { DevRun, devProject, isAlive } from './dev-run.js'
import { installPglite } from './pglite-stand-in.js'

/** Lists the notes, and adds one for each POST. Compiled, because Node reads it faster. */
const app = (prefix: string) => `
import { App, Controller, Get, inject, Post } from 'blazon'
import { Database, postgres } from 'blazon/postgres'

class Notes {
  db = inject(Database)
  async list() {
    const { rows } = await this.db.query('select text from notes order by id')
    return { pid: process.pid, notes: rows.map(({ text }) => '${prefix}' + text) }
  }
  async add() {
    await this.db.query("insert into notes (text) values ('note')")
  }
  async crash() {
    await this.db.transaction(async () => {
      await this.add()
      process.kill(process.pid, 'SIGKILL')
      await new Promise(() => {})
    })
  }
}
const apply = (decorator, name) =>
  decorator(Notes.prototype, name, Object.getOwnPropertyDescriptor(Notes.prototype, name))
apply(Get(''), 'list')
apply(Post(''), 'add')
apply(Post('crash'), 'crash')
Controller('notes')(Notes)

const plugins = [postgres({ embedded: '.data', migrations: 'migrations' })]
const application = new App({ controllers: [Notes], plugins })
process.on('SIGTERM', () => application.close())
await application.listen(Number(process.env.PORT))
`

async function project() {
  const made = devProject({
    'main.js': app(''),
    'migrations/0001_notes.sql': 'create table notes (id serial primary key, text text);',
  })
  await installPglite(made)
  return made
}

async function notes(run: DevRun): Promise<{ pid: number; notes: string[] }> {
  return JSON.parse((await run.ask('/notes')).text).data
}

async function post(run: DevRun, path = '/notes'): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${run.port}${path}`, { method: 'POST' })
  return response.status
}

const socketFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('blazon-dev-'))

describe('an embedded database under blazon dev', () => {
  it('stays open while the application restarts, and is closed when blazon dev ends', async () => {
    const own = await project()
    own.write({ 'unrelated/other.sql': 'x' })
    const before = new Set(socketFolders())
    const run = await DevRun.start(own)
    await run.until('ready')
    expect(await post(run)).toBe(204)
    const first = await notes(run)
    expect(first.notes).toEqual(['note'])
    const lock = own.read('.data/blazon.lock')
    own.write({ 'main.js': app('new ') })
    await run.until('ready')
    expect(await notes(run)).toMatchObject({ notes: ['new note'] })
    expect(own.read('.data/blazon.lock')).toBe(lock)

    // An added migration is applied at a restart.
    own.write({ 'unrelated/other.sql': 'y' })
    own.write({ 'migrations/0002_second_note.sql': "insert into notes (text) values ('second')" })
    const output = await run.until('ready')
    expect(output).toMatch(/migrations[/\\]0002_second_note\.sql changed/)
    expect(output).not.toContain('other.sql')
    expect((await notes(run)).notes).toEqual(['new note', 'new second'])
    // The history of the database has another text of this file. The process that serves keeps the database while another
    // one fails, which has it open, too.
    own.write({ 'migrations/0002_second_note.sql': "insert into notes (text) values ('other')" })
    const refused = await run.until('is still running')
    expect(refused).toContain('0002_second_note.sql changed')
    expect(await post(run)).toBe(204)
    expect((await notes(run)).notes).toEqual(['new note', 'new second', 'new note'])

    const { pid } = JSON.parse(lock)
    expect(await run.end('SIGINT')).toEqual([0, null])
    expect(isAlive(pid)).toBe(false)
    expect(existsSync(own.path('.data/blazon.lock'))).toBe(false)
    expect(socketFolders().filter((name) => !before.has(name))).toEqual([])
  })

  it('can be used by blazon db at the same time, survives a killed process, and is created again if its folder was deleted', async () => {
    // The application applies no migrations itself, so that it does not start again for them.
    const own = await project()
    own.write({ 'main.js': app('').replace(", migrations: 'migrations'", '') })
    const run = await DevRun.start(own)
    await run.until('ready')
    const db = (...args: string[]) => own.run(['db', ...args, '--embedded', '.data'])
    expect(await db('migrate')).toMatchObject({ status: 0, stderr: '1 migration applied.\n' })
    await post(run)
    await post(run, '/notes/crash').catch(() => 0)
    await run.until('The application ended')

    own.write({ 'migrations/0002_more.sql': "insert into notes (text) values ('migrated');" })
    expect(await db('migrate')).toMatchObject({ status: 0, stderr: '1 migration applied.\n' })
    own.write({ 'main.js': app('again ') })
    await run.until('ready')
    expect((await notes(run)).notes).toEqual(['again note', 'again migrated'])

    const { pid } = JSON.parse(own.read('.data/blazon.lock'))
    own.removeFolder('.data')
    own.write({ 'main.js': app('new ') })
    await run.until('ready')
    expect((await notes(run)).notes).toEqual(['new migrated'])
    expect(isAlive(pid)).toBe(false)
    await run.end('SIGINT')
    // The database is closed: now the command opens it itself.
    expect(await db('status')).toMatchObject({ status: 0, stderr: '2 applied, 0 pending.\n' })
  })

  it('causes an error message if its folder cannot be used', async () => {
    const own = (await project()).write({ '.data/letter.txt': 'no database' })
    const run = await DevRun.start(own)
    const output = await run.until('did not start')
    expect(output).toContain('It contains files that do not belong to a database.')
    expect(output).toContain('empty this one')
  })
})
