import { Controller, cursor, Get, inject, Paged, page } from 'blazon'
import { Database, postgres, readPage, sql } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { Random, seedOfRun } from '../../conformance/random.js'
import { describeWithServer, Folder, type OwnDatabase, ownServerDatabase } from './own-database.js'
import { insertSql, ORDERS, TABLE, walkAmongWriters } from './walk.js'

const Row = z.object({ id: z.int(), at: z.string(), place: z.int().nullable() })
const LISTS = ORDERS.map((order) => cursor(Row, { order, max: 10, limit: 4 }))
const ByPlace = cursor(Row, { order: ['place', 'id'] })
const ByTime = cursor(Row, { order: ['at'] })

const ROWS = sql`select id, at, place from rows where id > ${0}`

function controllerOf(pages: (typeof LISTS)[number], path: string) {
  @Controller(path)
  class Rows {
    private readonly db = inject(Database)

    @Get()
    @Paged(pages)
    list({ page }: Paged<typeof pages>) {
      return readPage(this.db, page, ROWS)
    }
  }
  return Rows
}

const Odd = cursor(z.looseObject({ id: z.int() }), { order: ['id'] })
const Numbered = page(Row, { order: ['-id'] })
const Uncounted = page(Row, { order: ['-id'], total: false })
const Unordered = page(Row)

@Controller()
class Others {
  private readonly db = inject(Database)

  @Get('odd')
  @Paged(Odd)
  odd({ page }: Paged<typeof Odd>) {
    const odd = sql`select id, 'a' as "~keys", 'b' as json_build_array, 'c' as rows, 'd' as __proto_ from rows`
    return readPage<{ id: number }>(this.db, page, odd)
  }

  @Get('numbered')
  @Paged(Numbered)
  numbered({ page }: Paged<typeof Numbered>) {
    return readPage(this.db, page, ROWS)
  }

  @Get('uncounted')
  @Paged(Uncounted)
  uncounted({ page }: Paged<typeof Uncounted>) {
    return readPage(this.db, page, ROWS)
  }

  @Get('unordered')
  @Paged(Unordered)
  unordered({ page }: Paged<typeof Unordered>) {
    return readPage(this.db, page, ROWS)
  }
}

describeWithServer('readPage() on a server', () => {
  let database: OwnDatabase
  let app: TestApp

  const folder = new Folder({
    '0001_rows.sql': TABLE,
  })

  beforeAll(async () => {
    database = await ownServerDatabase()
    const { options, tenantRole, allTenantsRole } = database
    app = await TestApp.create({
      controllers: [
        ...LISTS.map((pages, index) => controllerOf(pages, `list${index}`)),
        controllerOf(ByPlace, 'by-place'),
        controllerOf(ByTime, 'by-time'),
        Others,
      ],
      cookies: { keys: ['a key of thirty-two characters, or more'] },
      envelope: false,
      plugins: [postgres({ ...options, migrations: folder.path, tenantRole, allTenantsRole })],
    })
  })

  afterAll(async () => {
    await app?.close()
    await database?.[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  const run = (text: string) => app.get(Database).query(text)
  const ids = async () => {
    const { rows } = await app.get(Database).query<{ id: number }>('select id from rows')
    return rows.map(({ id }) => id)
  }
  const insert = (count: number, random: Random) => run(insertSql(count, random))

  it.each(ORDERS.map((order, index) => [order.join(', '), index] as const))(
    'returns each row once while other rows are inserted and deleted, in the order %s',
    async (_order, index) => {
      const seed = seedOfRun()
      const random = new Random(seed)
      await run('delete from rows')
      await insert(30, random)
      const before = await ids()
      const deleted = new Set<number>()
      const found: number[] = []
      let query = ''
      for (;;) {
        const { body } = await app
          .request()
          .get(`/list${index}?limit=${1 + random.below(5)}${query}`)
          .expect(200)
        found.push(...body.items.map(({ id }: { id: number }) => id))
        // A list that repeats rows may have no end.
        if (body.next === null || found.length > 300) break
        query = `&cursor=${encodeURIComponent(body.next)}`
        await insert(1, random)
        // Also the row at which the next page begins.
        const gone = random.pick([found.at(-1) as number, random.pick(before)])
        deleted.add(gone)
        await run(`delete from rows where id = ${gone}`)
      }
      expect(new Set(found).size, `SEED=${seed}`).toBe(found.length)
      const lost = before.filter((id) => !deleted.has(id) && !found.includes(id))
      expect(lost, `SEED=${seed}`).toEqual([])
    },
  )

  it.each(ORDERS.map((order, index) => [order.join(', '), index] as const))(
    'returns each row once during concurrent writes, in the order %s',
    (_order, index) =>
      walkAmongWriters(app, `/list${index}`, async (text) => (await run(text)).rows),
  )

  it('returns only the columns of the query', async () => {
    await run('delete from rows')
    await insert(2, new Random(1))
    const { body } = await app.request().get('/list0?limit=1').expect(200)
    expect(body.items.map(Object.keys)).toEqual([['id', 'at', 'place']])
  })

  it('adds no column whose name collides with a column of the query', async () => {
    await run('delete from rows')
    await insert(3, new Random(1))
    const seen: unknown[] = []
    let query = ''
    for (;;) {
      const { body } = await app.request().get(`/odd?limit=1${query}`).expect(200)
      seen.push(...body.items)
      if (body.next === null) break
      query = `&cursor=${encodeURIComponent(body.next)}`
    }
    expect(seen).toEqual(
      (await ids())
        .sort((a, b) => a - b)
        .map((id) => ({ id, '~keys': 'a', json_build_array: 'b', rows: 'c', __proto_: 'd' })),
    )
  })

  it('reads numbered pages, with or without their total', async () => {
    await run('delete from rows')
    await insert(7, new Random(1))
    const all = (await ids()).sort((a, b) => b - a)
    const { body, headers } = await app.request().get('/numbered?page=2&pageSize=3').expect(200)
    expect({ ...body, items: body.items.map(({ id }: { id: number }) => id) }).toEqual({
      items: all.slice(3, 6),
      page: 2,
      pageSize: 3,
      next: 3,
      total: 7,
    })
    expect(headers['link']).toContain('<?page=3&pageSize=3>; rel="last"')
    const { body: last } = await app.request().get('/uncounted?page=3&pageSize=3').expect(200)
    expect(last).toMatchObject({ items: [{ id: all[6] }], next: null })
    expect(last).not.toHaveProperty('total')
  })

  it('rejects a list whose order is missing, has a null or is not unique', async () => {
    await run('delete from rows')
    await run("insert into rows (at) values ('2026-01-01'), ('2026-01-01')")
    await app.request().get('/by-place?limit=1').expect(500)
    await app.request().get('/by-time?limit=1').expect(500)
    await app.request().get('/unordered').expect(500)
    const errors = app.logs
      .filter(({ level }) => level === 'error')
      .map(({ facts }) => String((facts as { err?: unknown }).err))
    expect(errors).toEqual([
      expect.stringContaining("The field 'place' of a row has no value to order by (null)"),
      expect.stringContaining("Two rows have the same values in 'at'"),
      expect.stringContaining('the list has no order'),
    ])
  })
})
