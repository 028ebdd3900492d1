import { Controller, cursor, Get, InjectionToken, inject, Paged } from 'blazon'
import { Database, postgres, provideDrizzle, readDrizzlePage } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { and, eq, getTableColumns, gt, sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Folder, type OwnDatabase, ownEmbeddedDatabase } from './own-database.js'
import { ORDERS, TABLE, walkAmongWriters } from './walk.js'

const rows = pg.pgTable('rows', {
  id: pg.integer().generatedAlwaysAsIdentity().primaryKey(),
  at: pg.timestamp({ withTimezone: true }).notNull(),
  somePlace: pg.integer('place'),
})

const Row = z.object({ id: z.int(), at: z.date(), somePlace: z.int().nullable() })
const LISTS = ORDERS.map((order) => cursor(Row, { order, max: 10 }))
const ByPlace = cursor(Row, { order: ['somePlace', 'id'] })
const Orm = new InjectionToken<PgRemoteDatabase>('Orm')

function controllerOf(pages: (typeof LISTS)[number], path: string) {
  @Controller(path)
  class Rows {
    private readonly orm = inject(Orm)

    @Get()
    @Paged(pages)
    list({ page }: Paged<typeof pages>) {
      const columns = { id: rows.id, at: rows.at, somePlace: rows.somePlace }
      return readDrizzlePage(page, columns, ({ keys, where, orderBy, limit }) =>
        this.orm
          .select({ ...getTableColumns(rows), keys })
          .from(rows)
          .where(and(gt(rows.id, 0), where))
          .orderBy(...orderBy)
          .limit(limit),
      )
    }
  }
  return Rows
}

@Controller('wrong')
class Wrong {
  private readonly orm = inject(Orm)

  @Get('columns')
  @Paged(ByPlace)
  columns({ page }: Paged<typeof ByPlace>) {
    return readDrizzlePage(page, { id: rows.id }, async () => [{ keys: [] }])
  }

  @Get('keys')
  @Paged(ByPlace)
  keys({ page }: Paged<typeof ByPlace>) {
    const columns = { id: rows.id, somePlace: sql<number>`coalesce(${rows.somePlace}, 0)` }
    return readDrizzlePage(page, columns, ({ limit }) =>
      this.orm.select({ keys: rows.id }).from(rows).where(eq(rows.id, rows.id)).limit(limit),
    )
  }
}

describe('readDrizzlePage() on PGlite', () => {
  let database: OwnDatabase
  let app: TestApp
  const folder = new Folder({ '0001_rows.sql': TABLE })

  beforeAll(async () => {
    database = await ownEmbeddedDatabase()
    const { options, tenantRole, allTenantsRole } = database
    app = await TestApp.create({
      controllers: [
        ...LISTS.map((pages, index) => controllerOf(pages, `list${index}`)),
        controllerOf(ByPlace, 'by-place'),
        Wrong,
      ],
      providers: [provideDrizzle(Orm)],
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

  const run = async (text: string) => (await app.get(Database).query(text)).rows

  it.each(ORDERS.map((order, index) => [order.join(', '), index] as const))(
    'returns each row once during concurrent writes, in the order %s',
    (_order, index) => walkAmongWriters(app, `/list${index}`, run),
  )

  it('returns rows in the format of Drizzle, without the keys of the order', async () => {
    await run('delete from rows')
    await run("insert into rows (at, place) values ('2026-01-01 00:00:00.123456Z', 7)")
    const { body } = await app.request().get('/list0').expect(200)
    expect(body.items).toEqual([
      { id: expect.any(Number), at: '2026-01-01T00:00:00.123Z', somePlace: 7 },
    ])
  })

  it('reports a null in the order, and missing `columns` and `keys`', async () => {
    await run('delete from rows')
    await run("insert into rows (at) values ('2026-01-01'), ('2026-01-01')")
    const seen = app.logs.length
    for (const path of ['/by-place?limit=1', '/wrong/columns', '/wrong/keys?limit=1'])
      await app.request().get(path).expect(500)
    const errors = app.logs
      .slice(seen)
      .filter(({ level }) => level === 'error')
      .map(({ facts }) => String((facts as { err?: unknown }).err))
    expect(errors).toEqual([
      expect.stringContaining("The field 'somePlace' of a row has no value to order by (null)"),
      expect.stringContaining("`columns` lacks 'somePlace'"),
      expect.stringContaining('a row has no `keys`'),
    ])
  })
})
