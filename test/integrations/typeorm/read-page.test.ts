import { Controller, cursor, Get, inject, Paged } from 'blazon'
import { TestApp } from 'blazon/testing'
import { readPage, repositoryOf, typeorm } from 'blazon/typeorm'
import { Brackets, EntitySchema, MoreThan, type SelectQueryBuilder } from 'typeorm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { Random } from '../../conformance/random.js'
import { ownServerDatabase, type ServerDatabase } from '../postgres/own-database.js'
import { describeWithServer } from '../postgres/server.js'
import { insertSql, ORDERS, TABLE, walkAmongWriters } from '../postgres/walk.js'

interface RowEntity {
  id: number
  time: Date
  place: number | null
  owner?: OwnerEntity | null
  label?: LabelEntity | null
}

interface LabelEntity {
  id: number
  text: string
}

interface OwnerEntity {
  id: number
  name: string
  rows?: RowEntity[]
}

const RowTable = new EntitySchema<RowEntity>({
  name: 'Row',
  tableName: 'rows',
  columns: {
    id: { type: 'integer', primary: true, generated: true },
    time: { type: 'timestamptz', name: 'at' },
    place: { type: 'integer', nullable: true },
  },
  relations: {
    owner: {
      type: 'many-to-one',
      target: 'Owner',
      joinColumn: { name: 'owner_id' },
      inverseSide: 'rows',
    },
    label: { type: 'one-to-one', target: 'Label', joinColumn: { name: 'label_id' } },
  },
})

const LabelTable = new EntitySchema<LabelEntity>({
  name: 'Label',
  tableName: 'labels',
  columns: { id: { type: 'integer', primary: true }, text: { type: 'text' } },
})

const OwnerTable = new EntitySchema<OwnerEntity>({
  name: 'Owner',
  tableName: 'owners',
  columns: { id: { type: 'integer', primary: true }, name: { type: 'text' } },
  relations: { rows: { type: 'one-to-many', target: 'Row', inverseSide: 'owner' } },
})

const Row = z.object({
  id: z.int(),
  time: z.date(),
  place: z.int().nullable(),
  owner: z.object({ id: z.int(), name: z.string() }).nullish(),
})
const Owner = z.object({ id: z.int() })
const Owners = cursor(Owner, { order: ['id'] })
const LISTS = ORDERS.map((order) =>
  cursor(Row, { order: order.map((each) => each.replace('at', 'time') as 'time'), max: 10 }),
)
const ByPlace = cursor(Row, { order: ['place', 'id'] })
const ByNothing = cursor(z.object({ nothing: z.int() }), { order: ['nothing'] })

type RowQuery = SelectQueryBuilder<RowEntity>

/** Conditions in each form of TypeORM. All rows fulfil them: as an alternative to the cursor, all pages would be the first. */
const CONDITIONS: Record<string, (query: RowQuery) => RowQuery> = {
  none: (query) => query,
  text: (query) => query.where('row.id > 0 or row.id = 0'),
  alternatives: (query) => query.where('row.id > :least', { least: 0 }).orWhere('row.id = 0'),
  second: (query) => query.where('row.id > 0').andWhere('row.id > 0 or row.id = 0'),
  objects: (query) => query.where([{ id: MoreThan(0) }, { id: 0 }]),
  brackets: (query) =>
    query.where(new Brackets((inner) => inner.where('row.id > 0').orWhere('row.id = 0'))),
}
function controllerOf(
  pages: (typeof LISTS)[number],
  path: string,
  condition: (query: RowQuery) => RowQuery,
) {
  @Controller(path)
  class Rows {
    private readonly rows = inject(repositoryOf(RowTable))

    @Get()
    @Paged(pages)
    list({ page }: Paged<typeof pages>) {
      const rows = this.rows
        .createQueryBuilder('row')
        .leftJoinAndSelect('row.owner', 'owner')
        .leftJoin('row.label', 'label')
        .orderBy('row.place')
        .take(1)
        .skip(2)
        .limit(1)
        .offset(3)
      return readPage(page, condition(rows))
    }
  }
  return Rows
}

@Controller('others')
class Others {
  private readonly rows = inject(repositoryOf(RowTable))
  private readonly owners = inject(repositoryOf(OwnerTable))

  @Get('all')
  @Paged(ByPlace)
  all({ page }: Paged<typeof ByPlace>) {
    return readPage(page, this.rows.createQueryBuilder())
  }

  @Get('column')
  @Paged(ByNothing)
  column({ page }: Paged<typeof ByNothing>) {
    return readPage(page, this.rows.createQueryBuilder() as never)
  }

  @Get('many')
  @Paged(Owners)
  many({ page }: Paged<typeof Owners>) {
    const owners = this.owners.createQueryBuilder('owner').leftJoinAndSelect('owner.rows', 'row')
    return readPage(page, owners)
  }
}

const KEYS = ['a key of thirty-two characters, or more']
const errorsOf = (app: TestApp) =>
  app.logs
    .filter(({ level }) => level === 'error')
    .map(({ facts }) => String((facts as { err?: unknown }).err))

describeWithServer('readPage() of blazon/typeorm', () => {
  let database: ServerDatabase
  let app: TestApp

  beforeAll(async () => {
    database = await ownServerDatabase()
    await database.run(TABLE)
    await database.run('create table owners (id integer primary key, name text not null)')
    await database.run('alter table rows add owner_id integer references owners (id)')
    await database.run('create table labels (id integer primary key, text text not null)')
    await database.run('alter table rows add label_id integer references labels (id)')
    app = await TestApp.create({
      controllers: [
        ...Object.entries(CONDITIONS).flatMap(([name, condition]) =>
          LISTS.map((pages, index) => controllerOf(pages, `${name}/list${index}`, condition)),
        ),
        Others,
      ],
      cookies: { keys: KEYS },
      envelope: false,
      plugins: [
        typeorm({
          type: 'postgres',
          url: String(database.options.url),
          entities: [RowTable, OwnerTable, LabelTable],
        }),
      ],
    })
  })

  afterAll(async () => {
    await app?.close()
    await database?.[Symbol.asyncDispose]()
  })

  it.each(ORDERS.map((order, index) => [order.join(', '), index] as const))(
    'returns each row once during concurrent writes, in the order %s',
    (_order, index) =>
      walkAmongWriters(app, `/alternatives/list${index}`, (text) => database.run(text)),
  )

  it.each(Object.keys(CONDITIONS))('returns each row once with conditions: %s', async (name) => {
    await database.run('delete from rows')
    await database.run(insertSql(9, new Random(1)))
    for (const index of LISTS.keys()) {
      const ids: number[] = []
      let next: string | null | undefined
      do {
        const after = next == null ? '' : `&cursor=${encodeURIComponent(next)}`
        const { body } = await app
          .request()
          .get(`/${name}/list${index}?limit=4${after}`)
          .expect(200)
        ids.push(...body.items.map(({ id }: { id: number }) => id))
        next = body.next
      } while (next != null && ids.length < 20)
      expect([ids.length, new Set(ids).size]).toEqual([9, 9])
    }
  })

  it('returns entities with relations to a single row', async () => {
    await database.run('delete from rows')
    await database.run("insert into owners values (1, 'Ada')")
    await database.run(
      "insert into rows (at, place, owner_id) values ('2026-01-01 00:00:00.123456Z', 7, 1), ('2026-01-02Z', 8, 1)",
    )
    const { body } = await app.request().get('/none/list0?limit=1').expect(200)
    expect(body.items).toEqual([
      {
        id: expect.any(Number),
        time: '2026-01-01T00:00:00.123Z',
        place: 7,
        owner: { id: 1, name: 'Ada' },
      },
    ])
  })

  it('reports an invalid row, column or relation', async () => {
    await database.run("insert into rows (at) values ('2026-01-01'), ('2026-01-01')")
    for (const path of ['all?limit=2', 'column', 'many'])
      await app.request().get(`/others/${path}`).expect(500)
    expect(errorsOf(app)).toEqual([
      expect.stringContaining("The field 'place' of a row has no value to order by (null)"),
      expect.stringContaining("has no column 'nothing'"),
      expect.stringContaining('may have several rows for one entity'),
    ])
  })
})

const NoteTable = new EntitySchema<{ id: number }>({
  name: 'Note',
  columns: { id: { type: Number, primary: true } },
})

it('readPage() of blazon/typeorm reads only from PostgreSQL', async () => {
  @Controller('notes')
  class Notes {
    private readonly notes = inject(repositoryOf(NoteTable))

    @Get()
    @Paged(Owners)
    list({ page }: Paged<typeof Owners>) {
      return readPage(page, this.notes.createQueryBuilder())
    }
  }
  await using app = await TestApp.create({
    controllers: [Notes],
    cookies: { keys: KEYS },
    plugins: [typeorm({ type: 'sqljs', entities: [NoteTable], synchronize: true })],
  })
  await app.request().get('/notes').expect(500)
  expect(errorsOf(app)).toEqual([expect.stringContaining('this data source is sqljs')])
})
