import { type } from 'arktype'
import {
  ApiResponseDoc,
  type AppOptions,
  Auth,
  BaseController,
  Controller,
  csv,
  cursor,
  Get,
  Produces,
  page,
  type Representation,
  type Request,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { Type } from 'typebox'
import * as v from 'valibot'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { bootProblems } from '../../support.js'

const mark = { visibleTo: 'payroll:read' }
const SECRET = 'secret'
// Arktype sorts names.
const ROW = { by: { ana: SECRET }, id: 1, pay: SECRET, extra: 'extra' }

const Row = z.object({
  by: z.record(z.string(), z.string().meta(mark)),
  id: z.int(),
  pay: z.string().meta(mark),
})
const ValibotRow = v.object({
  by: v.record(v.string(), v.pipe(v.string(), v.metadata(mark))),
  id: v.number(),
  pay: v.pipe(v.string(), v.metadata(mark)),
})
const Marked = type.string.configure(mark as object)
const ArktypeRow = type({ by: type({ '[string]': Marked }), id: 'number', pay: Marked })
const TypeBoxRow = Type.Object({
  by: Type.Record(Type.String(), Type.String(mark)),
  id: Type.Integer(),
  pay: Type.String(mark),
})
const Pages = page(Row, { max: 10 }).response
const Walk = cursor(Row, { order: ['id'], max: 10 }).response

type Options = Partial<Pick<AppOptions, 'responses' | 'envelope'>>
type Documented = Omit<NonNullable<Parameters<typeof ApiResponseDoc>[0]>, 'status'>

const ownEnvelope: AppOptions['envelope'] = {
  success: (data) => ({ ok: true, data }),
  schema: (data) => ({ type: 'object', properties: { ok: {}, data } }),
}

/** Shows what a representation of an application's own receives. */
const plain: Representation = {
  type: 'text/plain',
  serialize(data) {
    return Symbol.asyncIterator in data ? textsOf(data) : data.map(textOf).join('')
  },
}
const textOf = (row: unknown) => `${JSON.stringify(row)};`
async function* textsOf(rows: AsyncIterable<unknown>) {
  for await (const row of rows) yield textOf(row)
}

async function serve(documented: Documented, rows: () => unknown, options: Options = {}) {
  @Auth({ optional: true })
  @Controller('rows')
  class RowsController extends BaseController {
    @ApiResponseDoc({ status: 200, ...documented })
    @Produces('application/json', { ...csv() }, plain)
    @Get()
    list() {
      return rows()
    }

    @ApiResponseDoc({ status: 200, ...documented })
    @Produces({ ...csv() })
    @Get('ok')
    okay(_req: Request, res: Response) {
      return this.ok(res, 'Rows', rows())
    }
  }
  const guard = {
    canActivate(req: Request) {
      req.user = { id: 'ana', permissions: ['payroll:read'] } as never
      return req.get('authorization') !== undefined
    },
  }
  const app = await TestApp.create({
    controllers: [RowsController],
    auth: { guard },
    contract: 'off',
    ...options,
  })
  onTestFinished(() => app.close())
  const get = async (accept: string, path = '/rows', headers = {}) => {
    const { status, text } = await app
      .request()
      .get(path)
      .set({ accept, ...headers })
    return { status, text }
  }
  return { app, get }
}

const HOW: [string, (row: unknown) => unknown][] = [
  [
    'one by one',
    (row) =>
      (async function* () {
        yield row
        yield row
      })(),
  ],
  ['at once', (row) => [row, row]],
]

const DOCUMENTS: [string, Documented, Options?][] = [
  ['a list', { schema: z.array(Row) }],
  ['a list or nothing', { schema: z.array(Row).nullable() }],
  ['a list in an object', { schema: z.object({ items: z.array(Row), total: z.int() }) }],
  ['a page', { schema: Pages }],
  ['a page of a cursor', { schema: Walk }],
  [
    'an intersection',
    { schema: z.object({ total: z.int() }).and(z.object({ items: z.array(Row) })) },
  ],
  ['a list or a page', { schema: z.union([z.array(Row), z.object({ items: z.array(Row) })]) }],
  [
    'a whole envelope',
    {
      schema: z.object({
        statusCode: z.string(),
        status: z.int(),
        message: z.string(),
        data: z.array(Row),
      }),
    },
  ],
  ['bare data', { schema: z.object({ items: z.array(Row) }) }, { envelope: false }],
  ['raw data', { schema: z.array(Row), raw: true }],
  ['data in an envelope of the application', { schema: Pages }, { envelope: ownEnvelope }],
  [
    'raw data beside such an envelope',
    { schema: z.array(Row), raw: true },
    { envelope: ownEnvelope },
  ],
  ['a list of valibot', { schema: v.array(ValibotRow) }],
  ['a page of valibot', { schema: v.object({ items: v.array(ValibotRow) }) }],
  ['a list of arktype', { schema: ArktypeRow.array() }],
  ['a page of arktype', { schema: type({ items: ArktypeRow.array() }) }],
  ['a list of TypeBox', { schema: Type.Array(TypeBoxRow) as object as never }],
  [
    'a page of TypeBox',
    { schema: Type.Object({ items: Type.Array(TypeBoxRow) }) as object as never },
  ],
  [
    'a reference of JSON Schema',
    {
      schema: {
        $defs: { rows: { type: 'array', items: JSON.parse(JSON.stringify(TypeBoxRow)) } },
        allOf: [{ type: 'object', properties: { items: { $ref: '#/$defs/rows' } } }],
      } as never,
    },
  ],
]

describe.each(HOW)('rows that a handler returns %s', (_, rowsOf) => {
  it.each(DOCUMENTS)(
    'contain only the fields of the documented list: %s',
    async (__, documented, options = {}) => {
      const stripped = await serve(documented, () => rowsOf(ROW), {
        ...options,
        responses: 'strip',
      })
      const own = '{},1\r\n'
      expect(await stripped.get('text/csv')).toEqual({ status: 200, text: `by,id\r\n${own}${own}` })
      expect((await stripped.get('text/csv', '/rows/ok')).text).toBe(`by,id\r\n${own}${own}`)
      expect((await stripped.get('text/plain')).text).toBe('{"by":{},"id":1};'.repeat(2))
      const all = await stripped.get('text/csv', '/rows', { authorization: 'Bearer ana' })
      const line = `"{""ana"":""${SECRET}""}",1,${SECRET}\r\n`
      expect(all.text).toBe(`by,id,pay\r\n${line}${line}`)
      const sent = await serve(documented, () => rowsOf(ROW), options)
      expect((await sent.get('text/csv')).text).toBe('by,id,extra\r\n{},1,extra\r\n{},1,extra\r\n')
      const checked = await serve(documented, () => rowsOf(ROW), { ...options, responses: 'check' })
      expect((await checked.get('text/csv')).status).toBe(500)
    },
  )

  it('are left out if the caller may not see any part of them', async () => {
    const Paid = z.object({ kind: z.literal('paid'), id: z.int() }).meta(mark)
    const Other = z.object({ kind: z.literal('other'), id: z.int() })
    const rows = (kind: string) => () => rowsOf({ kind, id: 1 })
    const schema = z.array(z.union([Paid, Other]))
    expect((await (await serve({ schema }, rows('paid'))).get('text/plain')).text).toBe('')
    expect((await (await serve({ schema }, rows('other'))).get('text/csv')).text).toBe(
      'kind,id\r\nother,1\r\nother,1\r\n',
    )
    const hidden = z.object({ items: z.array(Row).meta(mark) })
    expect((await (await serve({ schema: hidden }, rows('paid'))).get('text/csv')).text).toBe('')
  })
})

const WITHOUT_LIST: [string, object][] = [
  ['an object', z.object({ total: z.int() })],
  ['a list under another name', z.object({ rows: z.array(Row) })],
  ['a record', z.record(z.string(), z.array(Row))],
  ['a tuple', z.tuple([Row], Row)],
  ['a list with a condition', { type: 'array', if: { minItems: 1 }, then: { items: {} } }],
  ['a text', z.string()],
]

describe('rows of a route whose document contains no list', () => {
  it.each(WITHOUT_LIST)(
    'are refused, and the log contains the route and a remedy: %s',
    async (_, schema) => {
      let isRead = false
      async function* rows() {
        isRead = true
        yield ROW
      }
      const documented = { schema: schema as never }
      for (const responses of ['strip', 'check'] as const) {
        const { app, get } = await serve(documented, rows, { responses })
        const { status, text } = await get('text/csv')
        expect([status, text.includes('extra'), isRead]).toEqual([500, false, false])
        const { message } = (app.logs.at(-1) as unknown as { facts: { err: Error } }).facts.err
        expect(message).toContain('RowsController.list returned rows')
        expect(message).toContain('Describe a list, or an object whose `items` is a list.')
      }
    },
  )

  it.each(WITHOUT_LIST)('cause a boot error with csv(): %s', async (_, schema) => {
    const boot = (produced: string | Representation, responses: 'strip' | 'send') => {
      @Controller('rows')
      class Rows {
        @ApiResponseDoc({ status: 200, schema: schema as never })
        @Produces('application/json', produced)
        @Get()
        list() {
          return []
        }
      }
      return bootProblems({ controllers: [Rows], responses })
    }
    const problem = { code: 'E_ROWS_UNDESCRIBED', subject: 'Rows.list @ApiResponseDoc(200)' }
    expect(await boot('text/csv', 'strip')).toMatchObject([problem])
    expect(await boot(csv({ columns: ['id'] }), 'strip')).toMatchObject([problem])
  })
})
