import {
  ApiResponseDoc,
  App,
  type AppOptions,
  BaseController,
  Cache,
  Controller,
  Envelope,
  type EnvelopeFormat,
  Get,
  Header,
  HttpCode,
  Post,
  Redirect,
  type Request,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems } from '../../support.js'

const Note = z.object({ title: z.string() }).meta({ id: 'Note' })
const Dated = z.object({ at: z.date() })

/** An envelope of the application, with everything that it receives. */
const own: EnvelopeFormat = {
  success: (data, { status, message, req }) => ({ ok: true, status, message, at: req.path, data }),
  schema: (data) => ({
    type: 'object',
    properties: {
      ok: { type: 'boolean', enum: [true] },
      status: { type: 'integer' },
      message: { type: 'string' },
      at: { type: 'string' },
      data,
    },
    required: ['ok', 'status', 'message', 'at'],
    additionalProperties: false,
  }),
}

let made = 0

@Controller('notes')
class NotesController extends BaseController {
  @Get()
  @ApiResponseDoc({ status: 200, schema: Note })
  returned() {
    return { title: 'a' }
  }

  @Get('ok')
  @ApiResponseDoc({ status: 200, schema: Note })
  sent(_req: Request, res: Response) {
    return this.ok(res, 'Found', { title: 'b' })
  }

  @Post('ok')
  @HttpCode(201)
  created(_req: Request, res: Response) {
    return this.ok(res, 'Created', { title: 'c' })
  }

  @Get('ok-without-data')
  nothingToTell(_req: Request, res: Response) {
    return this.ok(res, 'Done')
  }

  @Post()
  @HttpCode(202)
  accepted() {
    return { title: 'd' }
  }

  @Get('nothing') nothing() {}

  @Get('null') null() {
    return null
  }

  @Post('nothing') @HttpCode(202) laterNothing() {}

  @Get('dated')
  @ApiResponseDoc({ status: 200, schema: Dated })
  dated() {
    return { at: new Date(0) }
  }

  @Get('cached')
  @Cache({ ttl: 60 })
  @ApiResponseDoc({ status: 200, schema: z.object({ n: z.int() }) })
  cached() {
    return { n: ++made }
  }

  @Get('moved') @Redirect('/notes', 308) moved() {}

  @Get('raw')
  @ApiResponseDoc({ status: 200, schema: Note, raw: true })
  raw(_req: Request, res: Response) {
    return this.ok(res, 'The message is not sent', { title: 'raw' })
  }

  @Get('raw-created')
  @HttpCode(201)
  @ApiResponseDoc({ status: 201, schema: Note, raw: true })
  rawCreated(_req: Request, res: Response) {
    return this.ok(res, 'Created', { title: 'raw' })
  }

  @Get('conflict')
  @ApiResponseDoc({ status: 409, schema: z.object({ wanted: z.string() }) })
  conflict(_req: Request, res: Response) {
    res.status(409)
    return { wanted: 'a' }
  }

  @Get('problem-type')
  @Header('Content-Type', 'application/hal+json')
  @ApiResponseDoc({ status: 200, schema: Note })
  hal() {
    return { title: 'hal' }
  }
}

let app: TestApp
afterEach(() => app.close())

async function start(options: Partial<AppOptions> = {}, controllers = [NotesController]) {
  made = 0
  app = await TestApp.create({ controllers, contract: 'throw', ...options })
}
const get = async (path: string) => await app.request().get(path)
const schemaOf = (path: string, status = '200', type = 'application/json') => {
  const found = app.document.paths[path]?.get?.responses[status]
  return found && 'content' in found ? found.content?.[type]?.schema : found
}

const inEnvelope = (status: number, message: string, data?: unknown) => ({
  statusCode: 'success',
  status,
  message,
  ...(data === undefined ? {} : { data }),
})
const inOwn = (status: number, message: string, at: string, data?: unknown) => ({
  ok: true,
  status,
  message,
  at,
  ...(data === undefined ? {} : { data }),
})

interface Expected {
  readonly returned: unknown
  readonly ok: unknown
  readonly created: unknown
  readonly withoutData: unknown
  readonly accepted: unknown
  readonly null: unknown
  readonly laterNothing: unknown
  readonly dated: unknown
  readonly cached: unknown
}

const at = '1970-01-01T00:00:00.000Z'
const CASES: [string, EnvelopeFormat | boolean | undefined, Expected][] = [
  [
    'no option: the envelope',
    undefined,
    {
      returned: inEnvelope(200, 'OK', { title: 'a' }),
      ok: inEnvelope(200, 'Found', { title: 'b' }),
      created: inEnvelope(201, 'Created', { title: 'c' }),
      withoutData: inEnvelope(200, 'Done'),
      accepted: inEnvelope(202, 'Accepted', { title: 'd' }),
      null: inEnvelope(200, 'OK', null),
      laterNothing: inEnvelope(202, 'Accepted'),
      dated: inEnvelope(200, 'OK', { at }),
      cached: inEnvelope(200, 'OK', { n: 1 }),
    },
  ],
  [
    'false: bare data',
    false,
    {
      returned: { title: 'a' },
      ok: { title: 'b' },
      created: { title: 'c' },
      withoutData: null,
      accepted: { title: 'd' },
      null: null,
      laterNothing: null,
      dated: { at },
      cached: { n: 1 },
    },
  ],
  [
    'an envelope of your own',
    own,
    {
      returned: inOwn(200, 'OK', '/notes', { title: 'a' }),
      ok: inOwn(200, 'Found', '/notes/ok', { title: 'b' }),
      created: inOwn(201, 'Created', '/notes/ok', { title: 'c' }),
      withoutData: inOwn(200, 'Done', '/notes/ok-without-data'),
      accepted: inOwn(202, 'Accepted', '/notes', { title: 'd' }),
      null: inOwn(200, 'OK', '/notes/null', null),
      laterNothing: inOwn(202, 'Accepted', '/notes/nothing'),
      dated: inOwn(200, 'OK', '/notes/dated', { at }),
      cached: inOwn(200, 'OK', '/notes/cached', { n: 1 }),
    },
  ],
]

describe.each(CASES)('under the option envelope, %s', (_, envelope, expected) => {
  const run = () => start(envelope === undefined ? {} : { envelope })

  it('is around every success, as the document says', async () => {
    await run()
    expect((await get('/notes')).body).toEqual(expected.returned)
    expect((await get('/notes/ok')).body).toEqual(expected.ok)
    expect(await app.request().post('/notes/ok')).toMatchObject({
      status: 201,
      body: expected.created,
    })
    expect((await get('/notes/ok-without-data')).body).toEqual(expected.withoutData)
    expect(await app.request().post('/notes')).toMatchObject({
      status: 202,
      body: expected.accepted,
    })
    expect((await get('/notes/null')).body).toEqual(expected.null)
    expect((await app.request().post('/notes/nothing')).body).toEqual(expected.laterNothing)
    expect((await get('/notes/dated')).body).toEqual(expected.dated)
    expect(app.contractReport()).toEqual([])
  })

  it('leaves 204, HEAD, redirects and cached responses right', async () => {
    await run()
    expect(await get('/notes/nothing')).toMatchObject({ status: 204, text: '' })
    expect((await get('/notes/moved').catch((error) => error)).status).toBe(308)
    const first = await get('/notes/cached')
    expect(first.body).toEqual(expected.cached)
    expect((await get('/notes/cached')).text).toBe(first.text)
    const head = await app.request().head('/notes')
    expect(head.headers['content-length']).toBe((await get('/notes')).headers['content-length'])
    expect(head.text ?? '').toBe('')
    expect(app.contractReport()).toEqual([])
  })

  it('is not around a response that is documented without, also if this.ok sends it', async () => {
    await run()
    expect((await get('/notes/raw')).body).toEqual({ title: 'raw' })
    expect(await get('/notes/raw-created')).toMatchObject({ status: 201, body: { title: 'raw' } })
    expect(await get('/notes/conflict')).toMatchObject({ status: 409, body: { wanted: 'a' } })
    const hal = await get('/notes/problem-type')
    expect(hal.headers['content-type']).toMatch(/^application\/hal\+json/)
    expect(JSON.parse(hal.text)).toEqual({ title: 'hal' })
    expect(app.contractReport()).toEqual([])
  })

  it('is around the methods of a path for OPTIONS', async () => {
    await run()
    const { body, headers } = await app.request().options('/notes/null')
    expect(headers['allow']).toBe('GET, HEAD, OPTIONS')
    const allow = { allow: ['GET', 'HEAD', 'OPTIONS'] }
    if (envelope === false) expect(body).toEqual(allow)
    else expect(body).toMatchObject({ message: 'Allowed methods', data: allow })
  })
})

describe('the document', () => {
  it('refers to the schema of bare data', async () => {
    await start({ envelope: false })
    expect(schemaOf('/notes')).toEqual({ $ref: '#/components/schemas/Note' })
    expect(app.document.components.responses?.['Success']).toEqual({
      description: 'Success',
      content: { 'application/json': { schema: {} } },
    })
  })

  it('has the schema of an own envelope around a reference to the data', async () => {
    await start({ envelope: own })
    expect(schemaOf('/notes')).toEqual(own.schema({ $ref: '#/components/schemas/Note' }))
    expect(app.document.components.schemas).toHaveProperty('Note')
    expect(app.document.components.responses?.['Success']?.content).toEqual({
      'application/json': { schema: own.schema({}) },
    })
  })

  it('is not shared by applications that differ only in their envelope', async () => {
    await start()
    const texts = [undefined, false, own, true].map((envelope) => {
      const options = envelope === undefined ? {} : { envelope }
      return JSON.stringify(new App({ controllers: [NotesController], ...options }).document)
    })
    expect(texts[3]).toBe(texts[0])
    expect(new Set(texts).size).toBe(3)
  })
})

@Envelope(false)
@Controller('mixed')
class MixedController extends BaseController {
  @Get() bare() {
    return [1]
  }

  @Get('text') @Header('Content-Type', 'text/csv') text() {
    return 'a,b'
  }

  @Envelope(true) @Get('standard') standard() {
    return [2]
  }

  @Envelope(own) @Get('own') own() {
    return [3]
  }
}

@Controller('derived')
class DerivedController extends MixedController {}

describe('@Envelope', () => {
  it('replaces that of the class, which replaces the option', async () => {
    await start({ envelope: own }, [MixedController, DerivedController] as never)
    for (const prefix of ['/mixed', '/derived']) {
      expect((await get(prefix)).body).toEqual([1])
      expect((await get(`${prefix}/standard`)).body).toEqual(inEnvelope(200, 'OK', [2]))
      const path = `${prefix}/own`
      expect((await get(path)).body).toEqual(inOwn(200, 'OK', path, [3]))
    }
    expect(app.contractReport()).toEqual([])
  })

  it('sends text bare under a header that says so', async () => {
    await start({}, [MixedController] as never)
    const { text, headers } = await get('/mixed/text')
    expect([text, headers['content-type']]).toEqual(['a,b', 'text/csv; charset=utf-8'])
    expect(app.contractReport()).toEqual([])
  })

  it('gives each envelope a component of its own', async () => {
    await start({}, [MixedController] as never)
    const { responses } = app.document.components
    expect(Object.keys(responses ?? {}).filter((name) => name.startsWith('Success'))).toEqual([
      'Success',
      'Success_2',
      'Success_3',
    ])
  })
})

const faults: [string, EnvelopeFormat['success']][] = [
  [
    'throws',
    () => {
      throw new Error('secret')
    },
  ],
  ['returns a promise', async () => ({})],
  ['returns a rejected promise', () => Promise.reject(new Error('secret'))],
  ['returns undefined', () => undefined],
  ['returns a function', () => () => {}],
  ['returns what JSON cannot express', () => ({ big: 1n })],
]

describe('an envelope that fails', () => {
  it.each(faults)('is a 500 without details, and logged, if it %s', async (_, success) => {
    await start({ envelope: { ...own, success } })
    for (const path of ['/notes', '/notes/ok']) {
      const { status, text } = await get(path)
      expect(status).toBe(500)
      expect(text).not.toContain('secret')
    }
    expect(app.logs.filter(({ level }) => level === 'error')).toHaveLength(2)
  })
})

describe('a media type of an envelope', () => {
  const vendor = { ...own, mediaType: 'application/vnd.notes+json' }

  it.each([{}, { etag: true }])('is sent exactly as it is written: %o', async (options) => {
    await start({ envelope: vendor, ...options })
    for (const path of ['/notes', '/notes/ok', '/notes/cached', '/notes/cached']) {
      const { headers, status } = await get(path)
      expect([status, headers['content-type']]).toEqual([200, 'application/vnd.notes+json'])
    }
    expect(schemaOf('/notes', '200', 'application/vnd.notes+json')).toMatchObject({
      required: ['ok', 'status', 'message', 'at'],
    })
    expect(app.contractReport()).toEqual([])
  })

  it('keeps validators: a client that has the body gets 304', async () => {
    await start({ envelope: vendor, etag: true })
    const { headers } = await get('/notes')
    const again = await app
      .request()
      .get('/notes')
      .set('If-None-Match', headers['etag'] ?? '')
    expect(again.status).toBe(304)
  })
})

describe('an envelope that is no envelope', () => {
  // The value comes from JavaScript, so it has no type.
  const problemsOf = (envelope: unknown) => bootProblems({ envelope: envelope as never })

  it.each<[string, unknown, RegExp]>([
    ['a text', 'bare', /'bare' is no envelope/],
    ['null', null, /null is no envelope/],
    ['without success', { schema: own.schema }, /no function `success`/],
    ['without schema', { success: own.success }, /no function `schema`/],
    ['with a misspelt name', { ...own, sucess: 1 }, /no effect/],
    ['with a text type', { ...own, mediaType: 'text/plain' }, /not a JSON type/],
    ['with a type of two lines', { ...own, mediaType: 'a/b+json\r\nX: 1' }, /not a JSON type/],
    ['whose schema is a promise', { ...own, schema: async () => ({}) }, /returned a promise/],
    ['whose schema is a list', { ...own, schema: () => [] }, /returned/],
    [
      'whose schema throws',
      {
        ...own,
        schema: () => {
          throw new Error('no')
        },
      },
      /threw: Error: no/,
    ],
    [
      'with a keyword of a newer JSON Schema',
      { ...own, schema: () => ({ properties: { ok: { const: true } } }) },
      /`const`/,
    ],
    ['with errors that have no format', { ...own, error: { schema: {} } }, /no function `format`/],
    ['with errors that have no schema', { ...own, error: { format: () => ({}) } }, /no `schema`/],
  ])('is a boot error: %s', async (_, envelope, cause) => {
    await start()
    const problems = await problemsOf(envelope)
    expect(problems.map(({ code }) => code)).toContain('E_OPTION_INVALID')
    expect(problems.map((each) => each.cause).join('\n')).toMatch(cause)
    expect(problems.every(({ remedy }) => remedy.length > 0)).toBe(true)
  })

  it('does not end the process if the promise of its schema is rejected', async () => {
    await start()
    const rejections: unknown[] = []
    const note = (reason: unknown) => void rejections.push(reason)
    process.on('unhandledRejection', note)
    await problemsOf({ ...own, schema: () => Promise.reject(new Error('late')) })
    await new Promise(setImmediate)
    process.off('unhandledRejection', note)
    expect(rejections).toEqual([])
  })

  it('is a boot error of @Envelope, too', async () => {
    @Envelope('yes' as never)
    @Controller()
    class Wrong {
      @Envelope({} as never) @Get() get() {}
    }
    await start()
    const problems = await bootProblems({ controllers: [Wrong] })
    expect(problems.map(({ subject }) => subject)).toEqual([
      'Wrong @Envelope',
      'Wrong.get @Envelope',
      'Wrong.get @Envelope',
    ])
  })

  it('is a boot error if it is repeated', async () => {
    @Controller()
    class Twice {
      @Envelope(false) @Envelope(true) @Get() get() {}
    }
    await start()
    const problems = await bootProblems({ controllers: [Twice] })
    expect(problems.map(({ code }) => code)).toEqual(['E_DECORATOR_CONFLICT'])
  })
})
