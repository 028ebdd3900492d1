import {
  Body,
  Controller,
  Get,
  inject,
  NotFoundError,
  PreconditionFailedError,
  Put,
  type Req,
  type Request,
  Versioned,
} from 'blazon'
import { Database, postgres, versionIs } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { describeWithServer, ownServerDatabase } from './own-database.js'

const Text = z.object({ text: z.string().max(50) })

interface Note {
  id: number
  text: string
  version: number
  updated_at: Date
}

@Versioned()
@Controller('notes')
class Notes {
  private readonly db = inject(Database)

  @Get(':id')
  async read({ params: { id } }: Request) {
    const [note] = await this.db.sql<Note>`select * from notes where id = ${id}`
    if (note === undefined) throw new NotFoundError()
    return note
  }

  @Put(':id')
  @Body(Text)
  async change(req: Req<{ body: typeof Text }>) {
    const [note] = await this.db.sql<Note>`
      update notes set text = ${req.body.text}, version = version + 1
      where id = ${req.params['id']} and ${versionIs(req)} returning *`
    if (note === undefined) throw new PreconditionFailedError()
    return note
  }

  @Versioned<Notes>({ by: 'updated_at', current: (req, notes) => notes.read(req) })
  @Put(':id/dated')
  async changeDated(req: Request) {
    const [note] = await this.db.sql<Note>`
      update notes set updated_at = clock_timestamp()
      where id = ${req.params['id']} and ${versionIs(req, 'updated_at')} returning *`
    if (note === undefined) throw new PreconditionFailedError()
    return note
  }
}

describeWithServer('conditional writes on a server', () => {
  const start = async () => {
    const database = await ownServerDatabase()
    const app = await TestApp.create({
      controllers: [Notes],
      plugins: [postgres({ ...database.options, timeouts: { acquire: '5m' } })],
      contract: 'off',
    })
    const db = app.get(Database)
    await db.sql`create table notes (id integer primary key, text text not null,
      version bigint not null default 1, updated_at timestamptz not null default clock_timestamp())`
    await db.sql`insert into notes (id, text) values (7, 'milk')`
    const put = (tag: string, text = 'x', path = '7') =>
      app.request().put(`/notes/${path}`).set('If-Match', tag).send({ text })
    const end = async () => {
      await app.close()
      await database[Symbol.asyncDispose]()
    }
    return { app, db, put, end }
  }

  it('allow only one of 50 writers with the same tag', async () => {
    const { app, db, put, end } = await start()
    const { etag } = (await app.request().get('/notes/7')).headers
    const all = await Promise.all(Array.from({ length: 50 }, (_, i) => put(String(etag), `w${i}`)))
    const won = all.flatMap(({ status }, i) => (status === 200 ? [`w${i}`] : []))
    expect(won).toHaveLength(1)
    const lost = all.filter(({ status }) => status === 412)
    expect(lost).toHaveLength(49)
    expect(new Set(lost.map(({ headers }) => headers['etag']))).toEqual(new Set(['"2"']))
    expect(await db.sql`select text, version from notes`).toMatchObject([{ text: won[0] }])
    expect((await put('"2"')).status).toBe(200)
    await end()
  })

  it('compare times in milliseconds, and accept any version for `*`', async () => {
    const { app, put, end } = await start()
    const read = async () => (await app.request().get('/notes/7')).body.data as Note
    const { updated_at: at } = await read()
    const first = await put(`"${at}"`, 'x', '7/dated')
    expect(first.status).toBe(200)
    expect(first.headers['etag']).toBe(`"${first.body.data.updated_at}"`)
    expect((await put(`"${at}"`, 'x', '7/dated')).status).toBe(412)
    expect((await put('*', 'x', '7/dated')).status).toBe(200)
    expect((await put('*')).status).toBe(200)
    await end()
  })
})
