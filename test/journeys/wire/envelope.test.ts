import {
  App,
  type AppOptions,
  BaseController,
  Controller,
  Envelope,
  type EnvelopeFormat,
  Get,
  Header,
  HttpError,
  type Request,
  type Response,
  Use,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { Router } from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { calls, NotesController, own } from './notes-app.js'

let app: TestApp
afterEach(() => app.close())

async function start(options: Partial<AppOptions> = {}, controllers = [NotesController]) {
  calls.made = 0
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
    'not set',
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
    'false',
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
    'a custom envelope',
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

describe.each(CASES)('the envelope option: %s', (_, envelope, expected) => {
  const run = () => start(envelope === undefined ? {} : { envelope })

  it('determines the body of every success response, as documented', async () => {
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

  it('does not affect 204 responses or redirects, and also applies to HEAD and cached responses', async () => {
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

  it('is not used for a response documented without an envelope, even if this.ok() sends it', async () => {
    await run()
    expect((await get('/notes/raw')).body).toEqual({ title: 'raw' })
    expect(await get('/notes/raw-created')).toMatchObject({ status: 201, body: { title: 'raw' } })
    expect(await get('/notes/conflict')).toMatchObject({ status: 409, body: { wanted: 'a' } })
    const hal = await get('/notes/problem-type')
    expect(hal.headers['content-type']).toMatch(/^application\/hal\+json/)
    expect(JSON.parse(hal.text)).toEqual({ title: 'hal' })
    expect(app.contractReport()).toEqual([])
  })

  it('determines the body of a response to OPTIONS', async () => {
    await run()
    const { body, headers } = await app.request().options('/notes/null')
    expect(headers['allow']).toBe('GET, HEAD, OPTIONS')
    const allow = { allow: ['GET', 'HEAD', 'OPTIONS'] }
    if (envelope === false) expect(body).toEqual(allow)
    else expect(body).toMatchObject({ message: 'Allowed methods', data: allow })
  })
})

describe('the document of an application with the envelope option', () => {
  it('refers directly to the schema of the data if `envelope` is false', async () => {
    await start({ envelope: false })
    expect(schemaOf('/notes')).toEqual({ $ref: '#/components/schemas/Note' })
    expect(app.document.components.responses?.['Success']).toEqual({
      description: 'Success',
      content: { 'application/json': { schema: {} } },
    })
  })

  it('contains the schema of a custom envelope around a reference to the data', async () => {
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

describe('the @Envelope decorator', () => {
  it('on a method overrides the value of the class, which overrides the option', async () => {
    await start({ envelope: own }, [MixedController, DerivedController] as never)
    for (const prefix of ['/mixed', '/derived']) {
      expect((await get(prefix)).body).toEqual([1])
      expect((await get(`${prefix}/standard`)).body).toEqual(inEnvelope(200, 'OK', [2]))
      const path = `${prefix}/own`
      expect((await get(path)).body).toEqual(inOwn(200, 'OK', path, [3]))
    }
    expect(app.contractReport()).toEqual([])
  })

  it('also applies to this.ok() in routers and middlewares passed to @Use', async () => {
    const { ok } = BaseController.prototype
    const router = Router().get('/used/routed', (_req, res) => void ok(res, 'Fine', [4]))
    const late = Router().get('/used/after', (_req, _res, next) => next())
    const broken = Router().get('/used/broken', () => {
      throw new HttpError(409, 'Broken')
    })
    const failing: EnvelopeFormat = { ...own, error: { format: ({ code }) => [code], schema: {} } }
    @Controller('used')
    class Used extends BaseController {
      @Envelope(false) @Use(router) @Get('routed') routed() {}
      @Envelope(false) @Use((_req, res) => void ok(res, 'Fine', [5])) @Get('plain') plain() {}
      @Envelope(failing) @Use(broken) @Get('broken') broken() {}
      @Envelope(false) @Use(late) @Get('after') after(_req: Request, res: Response) {
        return this.ok(res, 'Fine', [6])
      }
    }
    await start({}, [Used] as never)
    expect((await get('/used/routed')).body).toEqual([4])
    expect((await get('/used/plain')).body).toEqual([5])
    expect((await get('/used/after')).body).toEqual([6])
    expect((await get('/used/broken')).body).toEqual(['CONFLICT'])
  })

  it('lets a route send a string with its own content type and without an envelope', async () => {
    await start({}, [MixedController] as never)
    const { text, headers } = await get('/mixed/text')
    expect([text, headers['content-type']]).toEqual(['a,b', 'text/csv; charset=utf-8'])
    expect(app.contractReport()).toEqual([])
  })

  it('adds a separate component to the document for each envelope', async () => {
    await start({}, [MixedController] as never)
    const { responses } = app.document.components
    expect(Object.keys(responses ?? {}).filter((name) => name.startsWith('Success'))).toEqual([
      'Success',
      'Success_2',
      'Success_3',
    ])
  })
})
