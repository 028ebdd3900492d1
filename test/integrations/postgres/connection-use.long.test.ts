import { App, Controller, Get, Health, inject, Post } from 'blazon'
import { Database, postgres, Transactional } from 'blazon/postgres'
import { expect, it } from 'vitest'
import { createDriver } from '../../../src/integrations/postgres/with-driver.js'
import { ownServerDatabase } from './own-database.js'
import { describeWithServer } from './server.js'

/** A promise that the test resolves. */
function gate() {
  let open!: () => void
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

it('the database closes after the last response that uses it', async () => {
  const [entered, leave] = [gate(), gate()]
  @Controller('slow')
  class SlowController {
    private readonly db = inject(Database)

    @Get()
    async ask() {
      entered.open()
      await leave.opened
      return this.db.sql`select 1 as one`
    }
  }
  const app = await App.create({
    controllers: [SlowController],
    plugins: [postgres({ embedded: 'memory' })],
    logger: false,
  })
  const { port } = await app.listen(0, '127.0.0.1')
  const answer = fetch(`http://127.0.0.1:${port}/slow`)
  await entered.opened
  const closed = app.close()
  leave.open()
  expect((await answer).status).toBe(200)
  await closed
  await expect(app.get(Database).sql`select 1`).rejects.toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
  })
})

it('the health check reports the database as up while all connections are in use', async () => {
  const app = await App.create({
    plugins: [postgres({ embedded: 'memory', timeouts: { acquire: '50ms' } })],
    logger: false,
  })
  const db = app.get(Database)
  const report = await db.transaction(async () => {
    await db.sql`select 1`
    return app.get(Health).check()
  })
  expect(report.status).toBe('up')
  await app.close()
})

it('a request gets a connection even if no connection was free for its first query', async () => {
  const [held, release] = [gate(), gate()]
  @Controller('notes')
  class NotesController {
    private readonly db = inject(Database)

    @Transactional()
    @Post()
    async write() {
      await expect(this.db.sql`select 1`).rejects.toMatchObject({ code: 'DATABASE_BUSY' })
      release.open()
      await holder
      await this.db.sql`create table notes (id int)`
      await this.db.sql`insert into notes values (1)`
      return (await this.db.sql`select pg_current_xact_id_if_assigned() is not null as same`)[0]
    }
  }
  const app = await App.create({
    controllers: [NotesController],
    plugins: [postgres({ embedded: 'memory', timeouts: { acquire: '50ms' } })],
    logger: false,
  })
  const db = app.get(Database)
  const holder = db.transaction(async () => {
    await db.sql`select 1`
    held.open()
    await release.opened
  })
  await held.opened
  const { port } = await app.listen(0, '127.0.0.1')
  const answer = await fetch(`http://127.0.0.1:${port}/notes`, { method: 'POST' })
  expect(await answer.json()).toMatchObject({ data: { same: true } })
  expect(await db.sql`select id from notes`).toEqual([{ id: 1 }])
  await app.close()
})

describeWithServer('a lent connection that is lost while no statement runs', () => {
  it('is replaced by another connection before it is released', async () => {
    await using database = await ownServerDatabase()
    const driver = createDriver({ ...database.options, connections: 1 })
    await driver.open({ logger: { info() {}, warn() {}, error() {} } })
    const lost = await driver.connect()
    await lost.query({ text: 'BEGIN' })
    const { rows } = await lost.query({ text: 'select pg_backend_pid() as pid' })
    await database.run('select pg_terminate_backend($1)', [rows[0]?.['pid']])
    const next = await driver.connect()
    expect((await next.query({ text: 'select 1 as one' })).rows).toEqual([{ one: 1 }])
    expect(lost.isLost).toBe(true)
    next.release()
    lost.release()
    await driver.close()
  })
})
