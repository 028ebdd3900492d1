import {
  Body,
  Controller,
  Get,
  Headers,
  InjectionToken,
  inject,
  Params,
  Post,
  Query,
  type Request,
} from 'blazon'
import { Database, postgres, provideDrizzle, tenantTable } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { sql } from 'drizzle-orm'
import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { rounds } from '../../rounds.js'
import { Folder, KINDS, type OwnDatabase } from './own-database.js'

const COLUMNS = [
  'name text',
  'code varchar(3)',
  'quantity integer',
  'tiny smallint',
  'large bigint',
  'price numeric(4,2)',
  'ref uuid',
  'due date',
  'at timestamptz',
  'facts jsonb',
  'tags text[]',
  'counts integer[]',
  'refs uuid[]',
]
const NAMES = COLUMNS.map((column) => column.split(' ')[0] as string)

const Orm = new InjectionToken<PgRemoteDatabase>('Orm')

/** Any value for each column of the same name. */
const Thing = z.record(z.string(), z.any())

@Controller('things')
class ThingsController {
  private readonly db = inject(Database)
  private readonly orm = inject(Orm)

  @Post()
  @Body(Thing)
  async add({ body }: Request) {
    const names = Object.keys(body).filter((name) => NAMES.includes(name))
    const places = names.map((_name, index) => `$${index + 1}`)
    const text = `insert into things (${names.join()}) values (${places.join()})`
    await this.db.query(
      text,
      names.map((name) => body[name]),
    )
  }

  @Post('notes')
  @Body(
    z.object({
      name: z.string(),
      tags: z.array(z.string()),
      facts: z.record(z.string(), z.string()),
    }),
  )
  async note({ body }: Request) {
    const { name, tags, facts } = body
    await this.db.sql`insert into things (name, tags, facts) values (${name}, ${tags}, ${facts})`
  }

  @Post('orm')
  @Body(Thing)
  async addByOrm({ body }: Request) {
    await this.orm.execute(
      sql`insert into things (name, quantity) values (${body.name}, ${body.quantity})`,
    )
  }

  @Post('tags')
  @Body(Thing)
  async addTags({ body }: Request) {
    await this.db.sql`insert into things (facts) values (${JSON.stringify(body.tags)})`
  }

  @Post('rows')
  @Body(Thing)
  async addRows({ body }: Request) {
    await this.db.sql`insert into things (code, quantity)
      select code, quantity from jsonb_to_recordset(${JSON.stringify(body.rows)}) as x(code varchar(3), quantity integer)`
  }

  @Post('dates')
  @Body(z.object({ due: z.coerce.date() }))
  async addDate({ body }: Request) {
    await this.db.sql`insert into things (at) values (${new Date(body.due.getTime() * 1e9)})`
  }

  @Get('search')
  @Query(z.object({ q: z.string() }))
  search({ query }: Request) {
    return this.db
      .sql`select name from things where name like ${`%${String(query.q).toLowerCase()}%`}`
  }

  @Get('headers')
  @Headers(z.object({ 'x-count': z.string() }))
  byHeader({ validated }: Request) {
    return this.db.sql`select name from things where quantity = ${validated.headers['x-count']}`
  }

  @Get('by-id/:quantity')
  @Params(z.object({ quantity: z.coerce.number() }))
  byId({ params }: Request) {
    return this.db.sql`select name from things where quantity = ${params.quantity}`
  }

  // This parameter has no schema.
  @Get('by-ref/:ref')
  byRef({ params }: Request<{ ref: string }>) {
    return this.db.sql`select name from things where ref = ${params.ref}`
  }

  @Post('sum')
  @Body(Thing)
  sum({ body }: Request) {
    return this.db.sql`select 2147483647 + ${body.quantity}::integer as sum`
  }

  @Post('increment')
  @Body(Thing)
  async increment({ body }: Request) {
    await this.db.sql`insert into things (large, quantity) values (${body.large}, 2147483647)`
    await this.db.sql`update things set quantity = quantity + 1 where large = ${body.large}`
  }

  @Post('own')
  @Body(Thing)
  async own({ body }: Request) {
    await this.db.sql`insert into things (name, tags) values (${body.name}, ${['\0']})`
  }

  @Post('caught')
  @Body(Thing)
  async caught({ body }: Request) {
    await this.db.sql`insert into things (name) values (${body.name})`.catch(() => undefined)
    await this.db.sql`select 1`
  }

  @Post('two-columns')
  @Body(Thing)
  async two({ body }: Request) {
    await this.db.sql`insert into things (code, name) values (${body.code}::text, ${body.name})`
  }

  @Get('count')
  async count() {
    const [row] = await this.db.sql<{ count: number }>`select count(*)::integer from things`
    return row?.count
  }
}

describe.each(KINDS)('a value that %s refuses', (kind, open) => {
  // The values do not depend on tenants, so each kind of database is tested once.
  const isTenanted = kind === 'PGlite'
  describe(`with tenants: ${isTenanted}`, () => {
    const folder = new Folder({
      '0001_things.sql': isTenanted
        ? tenantTable('things', { id: 'uuid', columns: COLUMNS })
        : `create table things (id integer generated always as identity, ${COLUMNS.join()});`,
    })
    let database: OwnDatabase
    let app: TestApp
    const logged: unknown[] = []

    beforeAll(async () => {
      database = await open()
      app = await TestApp.create({
        controllers: [ThingsController],
        plugins: [postgres({ ...database.options, migrations: folder.path, doctor: false })],
        providers: [provideDrizzle(Orm)],
        ...(isTenanted ? { tenant: {} } : {}),
        logger: { info() {}, warn() {}, error: (facts: object) => void logged.push(facts) },
        contract: 'throw',
      })
    })
    afterAll(async () => {
      await app.close()
      await database[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    })
    beforeEach(() => {
      logged.length = 0
    })

    const request = () => (isTenanted ? app.asTenant('acme').request() : app.request())
    const post = (path: string, body: object) => request().post(`/things${path}`).send(body)

    it.each<[what: string, body: Record<string, unknown>, path: string, message: string]>([
      ['a NUL', { name: 'a\0b' }, 'name', 'must not contain a NUL character'],
      [
        'a NUL beside other values',
        { code: 'abc', name: '\0', quantity: 1 },
        'name',
        'must not contain a NUL character',
      ],
      ['a NUL in a list', { tags: ['a', 'b\0'] }, 'tags.1', 'must not contain a NUL character'],
      [
        'a NUL in jsonb',
        { facts: { colour: { first: 'a\0' } } },
        'facts.colour.first',
        'must not contain a NUL character',
      ],
      ['a string that is too long', { name: 'abc', code: 'abcd' }, 'code', 'is too long'],
      ['a string of surrogate pairs that is too long', { code: '😀😀😀😀' }, 'code', 'is too long'],
      ['a large integer', { quantity: 2 ** 31, large: 5 }, 'quantity', 'is out of range'],
      ['a large smallint', { tiny: -40_000 }, 'tiny', 'is out of range'],
      ['a large bigint', { large: '9223372036854775808' }, 'large', 'is out of range'],
      ['a large integer in a list', { counts: [1, 3_000_000_000] }, 'counts.1', 'is out of range'],
      ['a large numeric', { quantity: 7, price: 100 }, 'price', 'is out of range'],
      ['a numeric that is rounded up', { price: 99.999 }, 'price', 'is out of range'],
      ['a string for an integer', { quantity: 'abc' }, 'quantity', 'is not valid'],
      ['a fraction for an integer', { quantity: 1.5 }, 'quantity', 'is not valid'],
      ['a string for a uuid', { ref: 'not-a-uuid', name: 'x' }, 'ref', 'is not valid'],
      ['a letter in a list of uuids', { refs: ['x'] }, 'refs.0', 'is not valid'],
      ['an empty string in a list of uuids', { refs: [''] }, 'refs.0', 'is not valid'],
      ['a letter in a list of integers', { counts: ['1', 's'] }, 'counts.1', 'is not valid'],
      ['a string for a date', { due: 'tomorrowish' }, 'due', 'is not valid'],
      ['a date that does not exist', { due: '2026-02-30' }, 'due', 'is out of range'],
      ['a date that is too far away', { at: '300000-01-01' }, 'at', 'is out of range'],
    ])('results in a 400 response that names its field: %s', async (_what, sent, path, message) => {
      const { status, body } = await post('', sent)
      expect({ status, body }).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_FAILED', errors: [{ in: 'body', path, message }] },
      })
      expect(body.errors).toHaveLength(1)
      expect(logged).toEqual([])
    })

    it('is found in query, path, headers and body, in nested JSON, and with an ORM', async () => {
      const nul = 'must not contain a NUL character'
      const ask = async (path: string) => (await request().get(`/things${path}`)).body.errors
      expect(await ask('/search?q=A%00b')).toEqual([{ in: 'query', path: 'q', message: nul }])
      expect(await ask('/by-id/99999999999')).toEqual([
        { in: 'params', path: 'quantity', message: 'is out of range' },
      ])
      expect(await ask('/by-ref/7')).toEqual([
        { in: 'params', path: 'ref', message: 'is not valid' },
      ])
      const { body } = await request().get('/things/headers').set('x-count', 'many')
      expect(body.errors).toEqual([{ in: 'headers', path: 'x-count', message: 'is not valid' }])
      expect((await post('/orm', { name: 'x', quantity: 1e12 })).body.errors).toMatchObject([
        { in: 'body', path: 'quantity' },
      ])
      expect((await post('/tags', { tags: ['a', '\0'] })).body.errors).toEqual([
        { in: 'body', path: 'tags.1', message: nul },
      ])
      const large = [{ quantity: 1 }, { quantity: 3_000_000_000 }]
      expect((await post('/rows', { rows: large })).body.errors).toEqual([
        { in: 'body', path: 'rows.1.quantity', message: 'is out of range' },
      ])
      const rows = [{ code: 'abc' }, { code: 'abcd', quantity: 1 }]
      expect((await post('/rows', { rows })).body.errors).toEqual([
        { in: 'body', path: 'rows.1.code', message: 'is too long' },
      ])
    })

    it('results in a 400 response that names every string with a NUL', async () => {
      const { body } = await post('', { name: '\0', tags: ['\0\0', 'b'] })
      expect(body.errors.map(({ path }: { path: string }) => path).sort()).toEqual([
        'name',
        'tags.0',
      ])
    })

    it('results in a 400 response without a field name if several fields may contain it', async () => {
      const { status, body } = await post('/two-columns', { code: 'abcd', name: 'abcde' })
      expect({ status, body }).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } })
      expect(body.errors).toBeUndefined()
    })

    it.each<[what: string, path: string, body: object]>([
      ['a value of the application', '/own', { name: 'a' }],
      [
        'a value of the application beside a value of the request with the same fault',
        '/own',
        { name: 'a\0' },
      ],
      ['a sum of values that are not too large', '/sum', { quantity: 5 }],
      ['a sum beside a value that is large', '/increment', { large: 3_000_000_000 }],
      ['a date that the application has computed', '/dates', { due: 8e15 }],
      ...(isTenanted
        ? [['an error that was caught', '/caught', { name: '\0' }] as [string, string, object]]
        : []),
    ])('results in a 500 response for an application error: %s', async (_what, path, sent) => {
      const { status, body } = await post(path, sent)
      expect({ status, code: body.code }).toEqual({ status: 500, code: 'INTERNAL_SERVER_ERROR' })
      expect(logged).toHaveLength(1)
    })

    it('rolls back the request and leaves the connection usable', async () => {
      const count = async () => (await request().get('/things/count')).body.data
      const before = await count()
      await Promise.all(Array.from({ length: 10 }, () => post('', { name: '\0' })))
      expect((await post('', { name: 'fine', price: 1.5 })).status).toBe(204)
      expect(await count()).toBe(before + 1)
    })

    it('causes no server error in app.fuzz()', async () => {
      const found = await app.fuzz({
        seed: 7,
        runs: rounds(60, 15),
        operations: ({ handler }) => /note|search$/.test(handler),
        // The schemas allow a NUL in a text.
        allow: { Things_note: 'stricter', Things_search: 'stricter' },
        headers: { 'x-tenant-id': 'acme' },
      })
      expect(found.operations).toBe(2)
      expect(logged).toEqual([])
    })

    it('results in a response without the message of PostgreSQL', async () => {
      const { text } = await post('', { ref: 'secret' })
      expect(text).not.toMatch(/secret|uuid|syntax|22P02/)
    })
  })
})
