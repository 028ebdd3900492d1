import { randomUUID } from 'node:crypto'
import { App, Controller, Health, inject, Post } from 'blazon'
import { typeorm } from 'blazon/typeorm'
import { DataSource, EntitySchema } from 'typeorm'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { NoteEntity, NotesController } from '../../journeys/typeorm/notes.js'
import { ownServerDatabase, type ServerDatabase } from '../postgres/own-database.js'
import { describeWithServer } from '../postgres/server.js'

@Controller('batches')
class BatchesController {
  readonly #dataSource = inject(DataSource)

  @Post()
  async add() {
    await this.#dataSource.transaction(async (manager) => {
      await manager.insert(NoteEntity, { text: 'first of a batch' })
      await manager.insert(NoteEntity, { text: 'first of a batch' })
    })
  }
}

describeWithServer('TypeORM on PostgreSQL', () => {
  const applicationName = `blazon-test-${randomUUID()}`
  const running: App[] = []
  let database: ServerDatabase
  let url: string

  beforeAll(async () => {
    database = await ownServerDatabase()
    url = String(database.options.url)
    return () => database[Symbol.asyncDispose]()
  })

  const plugin = () =>
    typeorm({
      type: 'postgres',
      url,
      applicationName,
      entities: [NoteEntity],
      synchronize: true,
      poolErrorHandler: () => {},
    })

  async function start(plugins = [plugin()]) {
    const controllers = [NotesController, BatchesController]
    const app = await App.create({ controllers, plugins, logger: false })
    running.push(app)
    const { port } = await app.listen(0, '127.0.0.1')
    return {
      app,
      notes: `http://127.0.0.1:${port}/notes`,
      batches: `http://127.0.0.1:${port}/batches`,
    }
  }

  const add = (notes: string, text: string) =>
    fetch(notes, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    })

  async function list(notes: string): Promise<unknown> {
    return ((await (await fetch(notes)).json()) as { data: unknown }).data
  }

  const connections = () =>
    database.run('select pid from pg_stat_activity where application_name = $1', [applicationName])

  beforeEach(async () => {
    const dataSource = new DataSource({ type: 'postgres', url, entities: [NoteEntity] })
    await dataSource.initialize()
    await dataSource.synchronize(true)
    await dataSource.destroy()
  })

  afterEach(async () => {
    for (const app of running.splice(0)) await app.close()
  })

  it('does not change a stored string that contains SQL', async () => {
    const { notes } = await start()
    const text = "Robert'); drop table note; --"
    expect((await add(notes, text)).status).toBe(201)
    expect(await list(notes)).toEqual([text])
  })

  it('works for two applications with one plugin object, even after one application has closed', async () => {
    const shared = plugin()
    const one = await start([shared])
    const other = await start([shared])
    expect((await add(one.notes, 'seen by both')).status).toBe(201)
    expect(await list(other.notes)).toEqual(['seen by both'])
    await one.app.close()
    expect(await list(other.notes)).toEqual(['seen by both'])
  })

  it('accepts a unique value only once if 20 concurrent requests send it', async () => {
    const { notes } = await start()
    const responses = await Promise.all(Array.from({ length: 20 }, () => add(notes, 'only one')))
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(500)])
    for (const response of responses.filter(({ status }) => status === 500)) {
      expect(await response.text()).not.toMatch(/unique|duplicate|constraint|only one|note"/i)
    }
    expect(await list(notes)).toEqual(['only one'])
  })

  it('responds with 400 and the name of the field that PostgreSQL refuses', async () => {
    const { notes } = await start()
    const nul = await add(notes, 'a\0b')
    expect([nul.status, await nul.json()]).toMatchObject([
      400,
      { code: 'VALIDATION_FAILED', errors: [{ in: 'body', path: 'text' }] },
    ])
    const large = await fetch(`${notes}/99999999999`)
    expect([large.status, await large.json()]).toMatchObject([
      400,
      { errors: [{ in: 'params', path: 'id', message: 'is out of range' }] },
    ])
    expect(await list(notes)).toEqual([])
  })

  it('rolls back a failed transaction', async () => {
    const { notes, batches } = await start()
    expect((await fetch(batches, { method: 'POST' })).status).toBe(500)
    expect(await list(notes)).toEqual([])
  })

  it('closes its connections when the application closes', async () => {
    const { app, notes } = await start()
    await list(notes)
    expect(await connections()).not.toEqual([])
    await app.close()
    await expect.poll(connections).toEqual([])
  })

  it('closes its connections if boot fails', async () => {
    const Broken = new EntitySchema({ name: 'Broken', columns: {} })
    const broken = typeorm({ type: 'postgres', url, applicationName, entities: [Broken] })
    await expect(App.create({ plugins: [broken] })).rejects.toThrow('primary column')
    const failing = { name: 'failing', setup: () => Promise.reject(new Error('no')) }
    await expect(App.create({ plugins: [plugin(), failing] })).rejects.toThrow('no')
    await expect.poll(connections).toEqual([])
  })

  it('reconnects without a restart after its connections were cut', async () => {
    const { app, notes } = await start()
    await add(notes, 'before')
    const cut = 'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1'
    await database.run(cut, [applicationName])
    await expect.poll(async () => (await fetch(notes)).status).toBe(200)
    expect(await list(notes)).toEqual(['before'])
    const { plugins } = await app.get(Health).check()
    expect(plugins).toEqual({ typeorm: { status: 'up' } })
  })
})
