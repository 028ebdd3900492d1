import { Readable } from 'node:stream'
import {
  ApiResponseDoc,
  App,
  type AppOptions,
  BaseController,
  Cache,
  type Class,
  Controller,
  csv,
  Envelope,
  fileResponse,
  Get,
  HttpCode,
  Post,
  Produces,
  type Representation,
  type Request,
  type Response,
} from 'blazon'
import { producedType } from 'blazon/plugin'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'

const Row = z.object({ id: z.int(), name: z.string() })
const ROWS = [
  { id: 1, name: 'Ada', secret: 'x' },
  { id: 2, name: 'a "b", c', secret: 'y' },
]
const CSV = 'id,name,secret\r\n1,Ada,x\r\n2,"a ""b"", c",y\r\n'

let calls = 0
let body: () => unknown = () => ''
const any: Representation = { type: 'application/x-any', serialize: () => body() as string }
const xml: Representation = {
  type: 'application/xml',
  serialize: (rows: typeof ROWS, { status, message }) =>
    `<rows n="${rows.length}" ${message}="${status}"/>`,
}

@Controller('rows')
class RowsController extends BaseController {
  @Produces('application/json', 'text/csv', xml)
  @ApiResponseDoc({ status: 200, schema: z.array(Row) })
  @Get()
  list() {
    return ROWS
  }

  @Produces('application/json', 'text/csv')
  @Get('ok')
  okay(_req: Request, res: Response) {
    return this.ok(res, 'Rows', ROWS)
  }

  @Produces('application/json', 'text/csv')
  @Cache({ ttl: 60 })
  @Get('cached')
  cached() {
    calls++
    return [{ calls }]
  }

  @Produces('application/json', 'text/csv')
  @Cache({ ttl: 60, key: () => 'one' })
  @Get('keyed')
  keyed() {
    calls++
    return [{ calls }]
  }

  @Produces('text/csv', 'application/vnd.rows+json')
  @Envelope(false)
  @Get('bare')
  bare(req: Request) {
    return [{ type: producedType(req) }]
  }

  @Produces('application/json', any)
  @Get('any')
  any() {
    return 'data'
  }

  @Produces('application/json', 'text/csv')
  @Get('sent/:what')
  sent(req: Request, res: Response) {
    const what = (req.params as { what: string }).what
    if (what === 'stream') return Readable.from(['a,b\r\n'])
    if (what === 'file') return fileResponse(Buffer.from('x'), { name: 'a.csv' })
    if (what === 'missing') return this.ok(res, 'Missing', [], 404)
    if (what === 'thrown') throw new RangeError('no')
    return undefined
  }

  @Produces('application/json', 'text/csv')
  @Get('nothing')
  nothing() {}

  @Produces('application/json', 'text/csv')
  @HttpCode(201)
  @Post()
  create() {
    calls++
    return ROWS
  }
}

async function serve(options: AppOptions = {}) {
  const errors: { err: Error }[] = []
  const warnings: string[] = []
  const logger = {
    info() {},
    warn: (_facts: object, text: string) => void warnings.push(text),
    error: (facts: object) => void errors.push(facts as { err: Error }),
  }
  calls = 0
  const app = await App.create({ controllers: [RowsController], logger, ...options })
  const { port } = await app.listen(0, '127.0.0.1')
  onTestFinished(() => app.close())
  const get = async (path: string, accept: string, init: RequestInit = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/rows${path}`, {
      ...init,
      headers: { accept, ...init.headers },
    })
    const type = response.headers.get('content-type')
    return { status: response.status, type, text: await response.text(), headers: response.headers }
  }
  return { get, app, errors, warnings }
}

describe('the @Produces decorator', () => {
  it.each([
    ['application/json', 'application/json; charset=utf-8'],
    ['*/*', 'application/json; charset=utf-8'],
    ['text/csv', 'text/csv; charset=utf-8'],
    ['text/*', 'text/csv; charset=utf-8'],
    ['application/json;q=0.1, text/csv', 'text/csv; charset=utf-8'],
    ['application/xml', 'application/xml; charset=utf-8'],
  ])('selects the type that Accept prefers: %s', async (accept, type) => {
    const { get } = await serve()
    const response = await get('', accept)
    expect([response.status, response.type]).toEqual([200, type])
    expect(response.headers.get('vary')).toBe('Accept')
  })

  it('serializes the same data in each representation', async () => {
    const { get } = await serve()
    expect((await get('', 'text/csv')).text).toBe(CSV)
    expect((await get('/ok', 'text/csv')).text).toBe(CSV)
    expect((await get('', 'application/xml')).text).toBe('<rows n="2" OK="200"/>')
    expect(JSON.parse((await get('', 'application/json')).text)).toMatchObject({
      statusCode: 'success',
      data: ROWS,
    })
    expect(JSON.parse((await get('/ok', 'application/json')).text)).toMatchObject({
      message: 'Rows',
      data: ROWS,
    })
  })

  it('refuses other types with 406 before the handler runs', async () => {
    const { get } = await serve()
    const response = await get('', 'image/png', { method: 'POST' })
    expect([response.status, JSON.parse(response.text), calls]).toMatchObject([
      406,
      { code: 'NOT_ACCEPTABLE', message: expect.stringContaining('application/json or text/csv') },
      0,
    ])
    expect(response.headers.get('vary')).toBe('Accept')
    expect((await get('', 'text/csv', { method: 'POST' })).status).toBe(201)
  })

  it('results in the same headers for HEAD', async () => {
    const { get } = await serve()
    const head = await get('', 'text/csv', { method: 'HEAD' })
    expect([head.status, head.text, head.type]).toEqual([200, '', 'text/csv; charset=utf-8'])
    expect(head.headers.get('content-length')).toBe(String(CSV.length))
  })

  it('supports other JSON types, and uses the first type without an Accept header', async () => {
    const { get } = await serve()
    expect(await get('/bare', '')).toMatchObject({ text: 'type\r\ntext/csv\r\n' })
    expect(await get('/bare', 'application/*')).toMatchObject({
      type: expect.stringMatching(/^application\/vnd\.rows\+json/),
      text: '[{"type":"application/vnd.rows+json"}]',
    })
  })

  it('does not affect streams, files and errors', async () => {
    const { get } = await serve()
    expect(await get('/sent/stream', 'text/csv')).toMatchObject({
      status: 200,
      type: 'text/csv',
      text: 'a,b\r\n',
    })
    expect(await get('/sent/file', 'text/csv')).toMatchObject({ status: 200, text: 'x' })
    expect((await get('/nothing', 'text/csv')).status).toBe(204)
    for (const [path, status] of [
      ['missing', 404],
      ['thrown', 500],
    ] as const) {
      const response = await get(`/sent/${path}`, 'text/csv')
      expect([response.status, response.type]).toEqual([status, 'application/json; charset=utf-8'])
      expect(response.headers.get('vary')).toContain('Accept')
    }
  })
})

describe('a representation', () => {
  it.each<[string, () => unknown]>([
    ['text', () => 'some'],
    ['bytes', () => Buffer.from('some')],
    ['a Blob', () => new Blob(['some'])],
    ['a stream', () => Readable.from(['so', 'me'])],
    ['a web stream', () => new Blob(['some']).stream()],
  ])('can be %s', async (_, make) => {
    const { get } = await serve()
    body = make
    const { status, type, text } = await get('/any', 'application/x-any')
    expect([status, type?.split(';')[0], text]).toEqual([200, 'application/x-any', 'some'])
  })

  it.each<[string, () => unknown]>([
    ['undefined', () => undefined],
    ['a promise', () => Promise.reject(new Error('unseen'))],
    ['an object', () => ({ a: 1 })],
    ['a number', () => 7],
  ])('results in a 500 response if it is %s', async (_, make) => {
    const { get, errors } = await serve()
    body = make
    const { status, text } = await get('/any', 'application/x-any')
    expect([status, JSON.parse(text).code]).toEqual([500, 'INTERNAL_SERVER_ERROR'])
    expect(errors).toMatchObject([
      { err: { message: expect.stringContaining('RowsController.any') } },
    ])
  })

  it('results in a 500 response if it is CSV and the data is not a list of objects', async () => {
    @Controller('rows')
    class Wrong {
      @Produces('application/json', 'text/csv') @Get() get() {
        return { id: 1 }
      }
    }
    const { get, errors } = await serve({ controllers: [Wrong] })
    expect((await get('', 'text/csv')).status).toBe(500)
    expect((await get('', 'application/json')).status).toBe(200)
    expect(errors).toMatchObject([{ err: { message: expect.stringContaining('list of objects') } }])
  })

  it.each([true, false, { success: (data: unknown) => ({ data }), schema: () => ({}) }])(
    'has only the described fields if `responses` is "strip", with the envelope %s',
    async (envelope) => {
      const { get } = await serve({ responses: 'strip', envelope })
      expect((await get('', 'text/csv')).text).toBe('id,name\r\n1,Ada\r\n2,"a ""b"", c"\r\n')
      expect((await get('', 'application/json')).text).not.toContain('secret')
    },
  )

  it('results in a 500 response with undocumented fields if `responses` is "check"', async () => {
    const { get } = await serve({ responses: 'check' })
    const response = await get('', 'text/csv')
    expect([response.status, response.text.includes('Ada')]).toEqual([500, false])
  })
})

describe('the cache of representations', () => {
  it.each(['/cached', '/keyed'])('stores each representation separately: %s', async (path) => {
    const { get, warnings } = await serve()
    const seen: string[] = []
    for (const accept of ['application/json', 'text/csv', 'application/json', 'text/*', '*/*']) {
      const { text, headers } = await get(path, accept)
      expect(headers.get('vary')).toBe('Accept')
      seen.push(`${headers.get('x-cache')} ${text.match(/\d+(?=\D*$)/)?.[0]}`)
    }
    expect(seen).toEqual(['MISS 1', 'MISS 2', 'HIT 1', 'HIT 2', 'HIT 1'])
    expect((await get(path, 'image/png')).status).toBe(406)
    expect(warnings.filter((text) => text.includes('cache'))).toEqual([])
  })
})

describe('the document of a route with @Produces', () => {
  it('contains each representation, Vary and 406', async () => {
    const { app } = await serve()
    const { responses } = app.document.paths['/rows']?.get ?? { responses: {} }
    const ok = responses['200'] as { content: object; headers: object }
    expect(Object.keys(ok.content)).toEqual(['application/json', 'text/csv', 'application/xml'])
    expect(ok.content).toMatchObject({ 'text/csv': { schema: { type: 'string' } } })
    expect(Object.keys(ok.headers)).toEqual(['Vary'])
    expect(responses['406']).toEqual({ $ref: '#/components/responses/NotAcceptable' })
    const open = app.document.paths['/rows/ok']?.get?.responses ?? {}
    expect(Object.keys((open['2XX'] as { content: object }).content)).toEqual([
      'application/json',
      'text/csv',
    ])
  })
})

describe('the function csv()', () => {
  const write = (data: unknown, options?: Parameters<typeof csv>[0]) =>
    csv(options).serialize(data, {} as never)

  it('writes lines according to RFC 4180', () => {
    const date = new Date(0)
    expect(
      write([
        { a: 1, b: null },
        { b: true, c: date, d: { e: [1] } },
      ]),
    ).toBe('a,b,c,d\r\n1,,,\r\n,true,1970-01-01T00:00:00.000Z,"{""e"":[1]}"\r\n')
    expect(write([{ a: 'line\nbreak', b: ' space' }])).toBe('a,b\r\n"line\nbreak"," space"\r\n')
    expect([write([]), write([], { columns: ['a'] })]).toEqual(['', 'a\r\n'])
  })

  it('writes only the given columns, and no inherited fields', () => {
    expect(write([{ a: 1, b: 2 }], { columns: ['b', 'constructor'] })).toBe(
      'b,constructor\r\n2,\r\n',
    )
  })

  it('requires column names for rows with different keys if most fields would be empty', async () => {
    const rowsOf = (count: number) => Array.from({ length: count }, (_, n) => ({ [`key${n}`]: n }))
    const names = (count: number) => rowsOf(count).map((row) => Object.keys(row)[0] as string)
    expect(String(write(rowsOf(300))).split('\r\n')).toHaveLength(302)
    expect(() => write(rowsOf(3000))).toThrow(/too many empty fields.*csv\(\{ columns: \[…\] \}\)/)
    expect(write(rowsOf(3000), { columns: ['key1'] })).toContain('key1\r\n\r\n1\r\n')
    // A large table is not a reason.
    const full = Object.fromEntries(names(300).map((name) => [name, 1]))
    expect(write(Array.from({ length: 1000 }, () => full))).toContain('1,1,1')
    const streamed = async function* () {
      yield Object.fromEntries(names(3000).map((name) => [name, 1]))
      yield* rowsOf(3000)
    }
    let count = 0
    const read = async () => {
      for await (const _ of write(streamed()) as AsyncIterable<string>) count++
    }
    await expect(read()).rejects.toThrow('too many empty fields')
    expect(count).toBeLessThan(100)
  })

  // Not every spreadsheet separates columns by commas. A quote that does not begin a cell has no meaning then.
  it.each([
    ['a;=1+1', "a;'=1+1"],
    ['a;;+1;b;@c', "a;;'+1;b;'@c"],
    ['a\t-1', "a\t'-1"],
    ['a;"=1+1"', `"a;'""=1+1"""`],
    ['a\n=1+1', `"a\n'=1+1"`],
    ['a\r\n=1+1', `"a\r\n'=1+1"`],
    ['\n=1', `"'\n'=1"`],
    ['＝1+1', "'＝1+1"],
    ['a;＋1', "a;'＋1"],
    ['a; b;c=1;d-2', 'a; b;c=1;d-2'],
    ['a,=1', '"a,=1"'],
  ])('escapes a formula after a character that can separate cells: %j', (text, expected) => {
    expect(write([{ [text]: 1, b: text }])).toBe(`${expected},b\r\n1,${expected}\r\n`)
    expect(write([{ b: text }], { formulas: 'keep' })).not.toContain("'")
  })

  it('escapes formulas unless an option allows them', () => {
    const rows = [{ a: '=1+1', b: '+49 30', c: '@x', d: '\tx', e: -5, f: '-5' }]
    expect(write(rows)).toBe("a,b,c,d,e,f\r\n'=1+1,'+49 30,'@x,'\tx,-5,'-5\r\n")
    expect(write(rows, { formulas: 'keep' })).toContain('=1+1,+49 30,@x')
    const dates = [{ a: -5n, b: new Date(0), c: 'a-b=c@d' }]
    expect(write(dates)).toBe('a,b,c\r\n-5,1970-01-01T00:00:00.000Z,a-b=c@d\r\n')
  })
})

describe('a serializer object before a type in @Produces', () => {
  it('is accepted on methods and on classes', async () => {
    @Produces(csv(), 'application/json')
    @Controller('rows')
    class FirstController {
      @Get() list() {
        return [{ id: 1 }]
      }
      @Produces(xml, 'application/json') @Get('xml') xml() {
        return ROWS
      }
    }
    const { get } = await serve({ controllers: [FirstController as Class] })
    expect((await get('', '*/*')).text).toBe('id\r\n1\r\n')
    expect((await get('', 'application/json')).text).toContain('"data":[{"id":1}]')
    expect((await get('/xml', '*/*')).text).toContain('<rows n="2"')
  })
})

describe('an instance of a class in @Produces', () => {
  it('can read its own fields when it serializes data', async () => {
    class Lines {
      readonly type = 'text/x-lines'
      readonly #end = ';'
      serialize(rows: unknown) {
        return (rows as { id: number }[]).map(({ id }) => `${id}${this.#end}`).join('')
      }
    }
    @Controller('rows')
    class Own {
      @Produces('application/json', new Lines()) @Get() list() {
        return ROWS
      }
    }
    const { get } = await serve({ controllers: [Own as Class] })
    expect(await get('', 'text/x-lines')).toMatchObject({ status: 200, text: '1;2;' })
  })
})

describe('a class with @Produces', () => {
  it('applies it to all methods except those that declare a type themselves', async () => {
    @Produces('application/json', 'text/csv')
    @Controller('rows')
    class Mixed {
      @Get() list() {
        return ROWS
      }
      @Produces('application/json') @Get('json') json() {
        return ROWS
      }
      @ApiResponseDoc({ status: 200, contentType: 'text/plain' }) @Get('text') text() {
        return 'text'
      }
    }
    const { get } = await serve({ controllers: [Mixed as Class] })
    expect((await get('', 'text/csv')).text).toBe(CSV)
    expect((await get('/json', 'text/csv')).status).toBe(406)
    expect(await get('/text', 'text/csv')).toMatchObject({ status: 200, text: 'text' })
  })
})
