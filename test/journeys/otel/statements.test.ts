import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { App, Controller, Get, inject, Post, type Request, Tenant } from 'blazon'
import { otel } from 'blazon/otel'
import { Statements } from 'blazon/plugin'
import { Database, postgres } from 'blazon/postgres'
import { TestApp, type TestOptions } from 'blazon/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startPgliteFromTemplate } from '../../pglite-template.js'
import { isSupported } from './supported.js'
import { Tracing } from './tracing.js'

startPgliteFromTemplate()

/** A statement of a database that exists in this test only. */
interface Stated {
  readonly system?: string
  readonly text: string
  readonly error?: unknown
}

let next: Stated

@Controller('notes')
class NotesController {
  readonly #statements = inject(Statements)

  @Get() async list() {
    return this.#run()
  }

  @Get('wrapped') wrapped() {
    return trace.getTracer('test').startActiveSpan('report', async (span) => {
      await this.#run()
      span.end()
      return 'done'
    })
  }

  async #run() {
    const { system = 'postgresql', text, error } = next
    const running = this.#statements.begin({ system, text, values: ['canary'] })
    await new Promise((resolve) => setImmediate(resolve))
    if (error === undefined) running?.end({ rows: [{ note: 'canary' }], rowCount: 1 })
    else running?.fail(error)
    return 'done'
  }
}

@Controller('numbers')
class NumbersController {
  readonly #db = inject(Database)

  @Tenant() @Get(':n') async list(req: Request) {
    return this.#db.sql`select ${Number(req.params['n'])}::int as n`
  }

  @Tenant() @Post() broken() {
    return this.#db.sql`select ${'canary'}::int`
  }
}

let tracing: Tracing
let app: TestApp | undefined

async function start(options: TestOptions = {}): Promise<TestApp> {
  app = await TestApp.create({
    controllers: [NotesController],
    plugins: [otel()],
    logger: false,
    contract: 'off',
    ...options,
  })
  return app
}

/** The span of a statement that a handler has run. */
async function spanOf(stated: Stated) {
  next = stated
  await (await start()).request().get('/notes').expect(200)
  await tracing.trees()
  const [span, ...more] = tracing.ofKind(SpanKind.CLIENT)
  expect(more).toEqual([])
  return span
}

describe.skipIf(!isSupported)('the span of a statement', () => {
  beforeAll(() => {
    tracing = new Tracing()
  })
  afterEach(async () => {
    await app?.close()
    tracing.reset()
  })
  afterAll(() => tracing.end())

  it('is below the span of the step that has run the statement', async () => {
    const span = await spanOf({ text: 'select * from notes where id = $1' })
    expect(await tracing.trees()).toEqual([
      {
        name: 'GET /notes',
        children: [{ name: 'handler', children: [{ name: 'SELECT notes' }] }],
      },
    ])
    expect(span?.attributes).toEqual({
      'db.system.name': 'postgresql',
      'db.query.summary': 'SELECT notes',
      'db.query.text': 'select * from notes where id = $1',
    })
    const handler = tracing.one('handler')
    const time = ([seconds, nanos]: [number, number]) => seconds * 1e3 + nanos / 1e6
    // The two have different clocks, which never agree exactly. A wrong unit or start would be years away.
    const apart = (one: number, other: number) => Math.abs(one - other) / 60_000
    expect(Math.round(apart(time(span?.startTime as never), time(handler.startTime)))).toBe(0)
    expect(Math.round(apart(time(span?.endTime as never), time(handler.endTime)))).toBe(0)
  })

  it('is below a span of the application that surrounds the statement', async () => {
    next = { text: 'select 1' }
    await (await start()).request().get('/notes/wrapped').expect(200)
    expect(await tracing.trees()).toEqual([
      {
        name: 'GET /notes/wrapped',
        children: [
          { name: 'handler', children: [{ name: 'report', children: [{ name: 'SELECT' }] }] },
        ],
      },
    ])
  })

  it('contains the code of a database error, but not its message', async () => {
    const error = Object.assign(new Error('the key canary exists'), { code: '23505' })
    const span = await spanOf({ text: 'insert into notes (id) values ($1)', error })
    expect(span?.name).toBe('INSERT notes')
    expect(span?.status).toEqual({ code: SpanStatusCode.ERROR })
    expect(span?.attributes).toMatchObject({
      'error.type': '23505',
      'db.response.status_code': '23505',
    })
    expect(JSON.stringify([span?.attributes, span?.events])).not.toContain('canary')
  })

  it.each([
    [null, '_OTHER'],
    [new Error('x'), '_OTHER'],
    [Object.assign(new Error('x'), { code: 'no word' }), '_OTHER'],
    [Object.assign(new Error('x'), { code: 'ER_DUP_ENTRY' }), 'ER_DUP_ENTRY'],
  ])('has an error.type for %o', async (error, type) => {
    expect((await spanOf({ text: 'select 1', error }))?.attributes['error.type']).toBe(type)
  })

  const POSTGRES: [string, string][] = [
    ["select 'canary'", 'select ?'],
    ["select 'it''s a canary' || x", 'select ? || x'],
    ["select E'it\\'s a canary', 1", 'select ?, ?'],
    ["select $$canary$$, $1, $tag$ca'nary$tag$", 'select ?, $1, ?'],
    ["select U&'canary', B'101', x'1F'", 'select U&?, B?, x?'],
    ['select 1.5e-3, -7, 0x1F from t1', 'select ?, -?, ? from t1'],
    ['select "a ""quoted"" name" from "a\'b"', 'select "a ""quoted"" name" from "a\'b"'],
    ["select 1 -- the canary's\n, 'canary'", 'select ? , ?'],
    ["select /* canary's */ 'canary'", 'select ?'],
    ["select 'canary", 'select ?'],
    ["select $tag$ canary 'x'", 'select ?'],
    [
      'select a[1], x::int4 from t where y in (1, 2)',
      'select a[?], x::int4 from t where y in (?, ?)',
    ],
    ["select*from\n\tt   where a='canary'", 'select*from t where a=?'],
  ]
  const MYSQL: [string, string][] = [
    ['select "canary", \'it\\\'s a canary\' from `a"b`', 'select ?, ? from `a"b`'],
    ["select 1 # the canary's\n, 'canary'", 'select ? , ?'],
    ['select :id, @canary_name', 'select :id, @canary_name'],
  ]

  it.each([
    ...POSTGRES.map(([text, shown]) => ['postgresql', text, shown] as const),
    ...POSTGRES.slice(0, 2).map(([text, shown]) => ['cockroachdb', text, shown] as const),
    ...MYSQL.map(([text, shown]) => ['mysql', text, shown] as const),
    ...MYSQL.map(([text, shown]) => ['mariadb', text, shown] as const),
    [
      'sqlite',
      'select "a" from "notes" where "id" = ? and n = 7',
      'select "a" from "notes" where "id" = ? and n = ?',
    ] as const,
    ['oracle.db', "select q'[it's a canary]' from dual", undefined] as const,
    ['microsoft.sql_server', "select [it's], 'canary'", undefined] as const,
  ])('contains no literal value of the statement for %s: %s', async (system, text, shown) => {
    const span = await spanOf({ system, text })
    expect(span?.attributes['db.query.text']).toBe(shown)
    expect(span?.attributes['db.system.name']).toBe(system)
    if (shown === undefined) expect(span?.name).toBe(system)
  })

  it('contains a shortened text of a long statement, without a part of a value', async () => {
    const text = `select ${'a, '.repeat(1360)} '${'canary '.repeat(1000)}'`
    const shown = String((await spanOf({ text }))?.attributes['db.query.text'])
    expect(shown.length).toBeLessThan(4200)
    expect(shown).not.toContain('canary')
  })

  it.each([
    ['update only notes set a = $1', 'UPDATE notes'],
    ['delete from "public"."notes"', 'DELETE public.notes'],
    ['select count(*) from notes', 'SELECT notes'],
    ['select coalesce(max(a), 0) from notes', 'SELECT'],
    ['with x as (select 1) select * from x', 'WITH'],
    ['select (select 1 from a) from b', 'SELECT b'],
    ['create index on notes (a)', 'CREATE'],
    ['', 'postgresql'],
  ])('has a summary as its name for "%s"', async (text, name) => {
    expect((await spanOf({ text }))?.name).toBe(name)
  })

  it('is described for its own database, even if another database runs the same text', async () => {
    const text = 'select "a" from notes'
    const running = await start()
    for (const system of ['postgresql', 'mysql', 'postgresql']) {
      next = { system, text }
      await running.request().get('/notes').expect(200)
    }
    await tracing.trees(3)
    expect(tracing.ofKind(SpanKind.CLIENT).map((span) => span.attributes['db.query.text'])).toEqual(
      [text, 'select ? from notes', text],
    )
  })

  it('has a name of at most 255 characters', async () => {
    const span = await spanOf({ text: `select 1 from ${'n'.repeat(300)}` })
    expect(span?.name).toBe(`SELECT ${'n'.repeat(248)}`)
  })

  it('is missing outside of another span', async () => {
    const statements = (await start()).get(Statements)
    statements.begin({ system: 'postgresql', text: 'select 1' })?.end({ rows: [], rowCount: 0 })
    expect(tracing.spans).toEqual([])
  })

  it('is missing, and no statement is observed, if the option `statements` is false', async () => {
    next = { text: 'select 1' }
    const running = await start({ plugins: [otel({ statements: false })] })
    await running.request().get('/notes').expect(200)
    expect((await tracing.trees())[0]?.children).toEqual([{ name: 'handler' }])
    // Not a `TestApp`: it counts statements itself.
    const plain = await App.create({ plugins: [otel({ statements: false })] })
    expect(plain.get(Statements).areObserved).toBe(false)
    await plain.close()
  })

  it('exists for blazon/postgres, even if PostgreSQL refuses the statement', async () => {
    const running = await start({
      controllers: [NumbersController],
      tenant: { authorize: () => true },
      plugins: [otel(), postgres({ embedded: 'memory' })],
    })
    await running.request().get('/numbers/7').set('x-tenant-id', 'acme').expect(200)
    await running.request().post('/numbers').set('x-tenant-id', 'acme').expect(500)
    const [good, bad] = await tracing.trees(2)
    expect(good).toMatchObject({
      name: 'GET /numbers/:n',
      children: [{ name: 'tenant' }, { name: 'handler', children: [{ name: 'SELECT' }] }],
    })
    expect(bad?.children?.at(-1)).toEqual({ name: 'handler', children: [{ name: 'SELECT' }] })
    const [ran, refused] = tracing.ofKind(SpanKind.CLIENT)
    expect(ran?.attributes['db.query.text']).toBe('select $1::int as n')
    expect(refused?.attributes['db.response.status_code']).toBe('22P02')
    const ofStatements = tracing.ofKind(SpanKind.CLIENT).map(({ attributes }) => attributes)
    expect(JSON.stringify(ofStatements)).not.toMatch(/canary|7/)
  })
})
