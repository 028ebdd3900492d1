import { PassThrough, Readable } from 'node:stream'
import {
  ApiResponseDoc,
  type AppOptions,
  BaseController,
  Cache,
  Controller,
  type EnvelopeChoice,
  type EnvelopeFormat,
  type ErrorRequestHandler,
  Get,
  Header,
  HttpCode,
  type Request,
  type Response as Res,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { bootWarnings } from '../../support.js'

let make: () => unknown = () => undefined
let calls = 0

@Controller('values')
class ValuesController {
  @Get() plain() {
    return make()
  }
  @Get('later') async later() {
    return make()
  }
  @HttpCode(201) @Get('made') made() {
    return make()
  }
  @Header('Content-Type', 'text/event-stream') @Get('events') events() {
    return make()
  }
  @ApiResponseDoc({ status: 200, description: 'A table', contentType: 'text/csv' })
  @Get('csv')
  csv() {
    return make()
  }
  @ApiResponseDoc({ status: 200, schema: { type: 'object', properties: {} } })
  @Get('described')
  described() {
    return make()
  }
  @ApiResponseDoc({ status: 200, raw: true }) @Get('image') image(_req: Request, res: Res) {
    res.type('image/png')
    return make()
  }
  @ApiResponseDoc({ status: 200, contentType: 'text/csv' })
  @Get('no-image')
  noImage(_req: Request, res: Res) {
    res.type('image/png')
    return make()
  }
  @ApiResponseDoc({ status: 200, description: 'Any JSON', raw: true })
  @Get('raw')
  raw() {
    return make()
  }
  @Cache({ ttl: 60 }) @Get('cached') cached() {
    calls++
    return make()
  }
  @Get('both') both(_req: Request, res: Res) {
    res.json({ sent: true })
    return make()
  }
  @Get('both-parts') bothParts(_req: Request, res: Res) {
    res.write('some ')
    setImmediate(() => res.end('bytes'))
    return make()
  }
  @Get('piped') piped(_req: Request, res: Res) {
    const stream = make() as Readable
    stream.pipe(res)
    return stream
  }
  @Get('begun') async begun(_req: Request, res: Res) {
    const stream = make() as PassThrough
    stream.pipe(res)
    res.write('some ')
    return stream
  }
  @Get('ok') okay(_req: Request, res: Res) {
    return BaseController.prototype.ok(res, 'OK', make())
  }
  @Get('aborted') async aborted(req: Request) {
    await new Promise((resolve) => req.signal.addEventListener('abort', resolve))
    return make()
  }
}

let app: TestApp
const errors: { err: Error }[] = []
const logger = {
  info() {},
  warn() {},
  error: (facts: object) => void errors.push(facts as { err: Error }),
}

async function start(options: AppOptions = {}): Promise<void> {
  const fixed = { controllers: [ValuesController], logger, contract: 'off' } as const
  app = await TestApp.create({ ...fixed, ...options })
}

afterEach(async () => {
  await app.close()
  make = () => undefined
  calls = 0
  errors.length = 0
})

const bytes = () => new TextEncoder().encode('some bytes')

const STREAMS: [string, () => unknown][] = [
  ['a stream of Node', () => Readable.from([Buffer.from('some '), 'bytes'])],
  ['a web stream', () => new Blob(['some bytes']).stream()],
  ['a Blob', () => new Blob(['some bytes'])],
  ['a Response', () => new Response(bytes())],
]
const WHOLE: [string, () => unknown][] = [
  ['a Buffer', () => Buffer.from('some bytes')],
  ['a Uint8Array', bytes],
  ['an ArrayBuffer', () => bytes().buffer],
  ['a part of a buffer', () => viewOf()],
]

function viewOf(): DataView {
  const { buffer } = new TextEncoder().encode('[some bytes]')
  return new DataView(buffer, 1, 10)
}

function lockedStream(): ReadableStream {
  const stream = new ReadableStream()
  stream.getReader()
  return stream
}

class Unreadable {
  get pipe(): unknown {
    throw new Error('This value cannot be read')
  }
}

describe('a returned value that is not data', () => {
  it.each([...STREAMS, ...WHOLE])('is sent as it is, without envelope: %s', async (_, value) => {
    await start()
    make = value
    for (const path of ['/values', '/values/later', '/values/raw']) {
      const response = await app.fetch(path)
      expect([response.status, await response.text()]).toEqual([200, 'some bytes'])
    }
  })

  it.each([...STREAMS, ...WHOLE])(
    'has the type of bytes, unless another type is known: %s',
    async (_, value) => {
      await start()
      make = value
      const typeOf = async (path: string) => (await app.fetch(path)).headers.get('content-type')
      expect(await typeOf('/values')).toBe('application/octet-stream')
      expect(await typeOf('/values/events')).toBe('text/event-stream')
      expect(await typeOf('/values/csv')).toMatch(/^text\/csv/)
    },
  )

  it('has the type and the length of a file', async () => {
    await start()
    make = () => new Blob(['<p>'], { type: 'text/html' })
    const { headers } = await app.fetch('/values')
    expect([headers.get('content-type'), headers.get('content-length')]).toEqual(['text/html', '3'])
  })

  it('has the status of the route', async () => {
    await start()
    make = () => Readable.from(['x'])
    expect((await app.fetch('/values/made')).status).toBe(201)
  })

  it('sends no body to HEAD, and destroys the stream', async () => {
    await start()
    const stream = new PassThrough()
    make = () => stream
    const { status, headers } = await app.fetch('/values', { method: 'HEAD' })
    expect([status, headers.get('content-type')]).toEqual([200, 'application/octet-stream'])
    expect(stream.destroyed).toBe(true)
  })

  it('is destroyed if the response was sent before', async () => {
    await start()
    const stream = new PassThrough()
    make = () => stream
    expect(await (await app.fetch('/values/both')).json()).toEqual({ sent: true })
    expect(stream.destroyed).toBe(true)
  })

  it('is sent once, if the handler has piped it into the response', async () => {
    await start()
    make = () => Readable.from(['some ', 'bytes'])
    expect(await (await app.fetch('/values/piped')).text()).toBe('some bytes')
  })

  it('is left to the handler that has begun to send it', async () => {
    await start()
    const stream = new PassThrough()
    make = () => stream
    const response = await app.fetch('/values/begun')
    await expect.poll(() => stream.listenerCount('data')).toBe(1)
    stream.end('bytes')
    expect(await response.text()).toBe('some bytes')
    await expect.poll(() => stream.destroyed).toBe(true)
  })

  it.each([
    ['a web stream that other code reads', lockedStream],
    ['a value that throws when it is read', () => new Unreadable()],
  ])('does not end the response that the handler sends: %s', async (_, value) => {
    await start()
    make = value
    expect(await (await app.fetch('/values/both-parts')).text()).toBe('some bytes')
    expect(errors).toEqual([])
  })

  it.each([
    ['a web stream that other code reads', lockedStream],
    ['a value that throws when it is read', () => new Unreadable()],
  ])('does not end the process after the handler timeout: %s', async (_, value) => {
    const pass: ErrorRequestHandler = (error, _req, _res, next) => void next(error)
    await start({ timeouts: { handler: '5s' }, middlewares: [pass] })
    make = value
    const response = app.fetch('/values/aborted')
    await app.clock.advance('6s')
    expect((await response).status).toBe(503)
  })

  it.each(STREAMS)(
    'is a 500 as the data of this.ok, and not its internals: %s',
    async (_, value) => {
      await start()
      make = value
      const response = await app.fetch('/values/ok')
      expect([response.status, await response.text()]).toEqual([
        500,
        expect.not.stringMatching(/readable|stream|"data"/),
      ])
      expect(errors.map(({ err }) => err.message).join()).toContain('return it from the handler')
    },
  )

  it('is sent although other code has paused the stream', async () => {
    await start()
    make = () => Readable.from(['some ', 'bytes']).pause()
    expect(await (await app.fetch('/values')).text()).toBe('some bytes')
  })

  it.each([...STREAMS, ['an empty Response', () => new Response(null)] as const])(
    'is not cached: %s',
    async (_, value) => {
      await start()
      make = value
      for (let i = 0; i < 2; i++) await (await app.fetch('/values/cached')).text()
      expect(calls).toBe(2)
    },
  )
})

const inside: EnvelopeFormat = {
  success: (data) => ({ inside: data }),
  schema: (data) => ({ type: 'object', properties: { inside: data } }),
}
const ENVELOPES: [string, EnvelopeChoice][] = [
  ['none', false],
  ['an own one', inside],
  ['an own one with a media type', { ...inside, mediaType: 'application/vnd.own+json' }],
]

describe.each(ENVELOPES)(
  'a returned value that is not data, and the envelope is %s',
  (_, envelope) => {
    it.each([...STREAMS, ...WHOLE])(
      'is sent as it is, with its documented type: %s',
      async (__, value) => {
        await start({ envelope, responses: 'strip' })
        make = value
        const sent = async (path: string) => {
          const response = await app.fetch(path)
          return [await response.text(), response.headers.get('content-type')]
        }
        const octets = ['some bytes', 'application/octet-stream']
        expect(await sent('/values')).toEqual(octets)
        expect(await sent('/values/later')).toEqual(octets)
        expect(await sent('/values/described')).toEqual(octets)
        expect(await sent('/values/raw')).toEqual(['some bytes', 'application/json'])
        expect(await sent('/values/events')).toEqual(['some bytes', 'text/event-stream'])
        expect(await sent('/values/csv')).toEqual([
          'some bytes',
          expect.stringMatching(/^text\/csv/),
        ])
      },
    )

    it('keeps the type of a file, and the head of a Response', async () => {
      await start({ envelope })
      make = () => new Blob(['<p>'], { type: 'text/html' })
      for (const path of ['/values', '/values/described', '/values/raw']) {
        expect((await app.fetch(path)).headers.get('content-type')).toBe('text/html')
      }
      make = () => Response.json({ teapot: true }, { status: 418 })
      const response = await app.fetch('/values')
      expect([response.status, await response.json()]).toEqual([418, { teapot: true }])
    })

    it('is a 500 without a form in JSON, and the JSON of its class otherwise', async () => {
      await start({ envelope })
      make = () => new Map([['secret', 1]])
      expect((await app.fetch('/values')).status).toBe(500)
      expect(errors[0]?.err.message).toMatch(/returned a Map/)
      make = () => new URL('http://example.com/')
      expect(await (await app.fetch('/values')).text()).toContain('"http://example.com/"')
    })
  },
)

it('keeps the type that the handler sets, unless `contentType` documents another', async () => {
  await start()
  make = () => Buffer.from('png')
  const typeOf = async (path: string) => (await app.fetch(path)).headers.get('content-type')
  expect(await typeOf('/values/image')).toBe('image/png')
  expect(await typeOf('/values/no-image')).toMatch(/^text\/csv/)
})

describe('a returned Response', () => {
  it('keeps status, headers, each cookie and the body', async () => {
    await start()
    make = () => {
      const headers = new Headers({ 'X-Own': 'yes', 'Transfer-Encoding': 'none', Vary: 'Accept' })
      headers.append('Set-Cookie', 'a=1')
      headers.append('Set-Cookie', 'b=2')
      return Response.json({ teapot: true }, { status: 418, headers })
    }
    const response = await app.fetch('/values')
    const { status, headers } = response
    expect([status, await response.json()]).toEqual([418, { teapot: true }])
    expect(headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    const names = ['x-own', 'vary', 'content-type', 'transfer-encoding']
    expect(names.map((name) => headers.get(name))).toEqual([
      'yes',
      'Accept',
      'application/json',
      'chunked',
    ])
  })

  it('sends a redirect without a body', async () => {
    await start()
    make = () => Response.redirect('http://example.com/', 303)
    const response = await app.fetch('/values', { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      'http://example.com/',
    ])
    expect(await response.text()).toBe('')
  })

  it('is a 500 if its body was read, or if it is an error', async () => {
    await start()
    make = async () => {
      const response = new Response('read')
      await response.text()
      return response
    }
    expect((await app.fetch('/values')).status).toBe(500)
    make = () => Response.error()
    expect((await app.fetch('/values')).status).toBe(500)
    const messages = errors.map(({ err }) => err.message)
    expect(messages).toEqual([
      expect.stringMatching(/has been read/),
      expect.stringMatching(/the status 0/),
    ])
  })
})

describe('a returned stream that fails before its first byte', () => {
  const FAILING: [string, () => unknown, RegExp][] = [
    ['it has an error', () => failing(new Error('broken')), /broken/],
    ['it is destroyed already', () => new PassThrough().destroy(), /./],
    ['its chunks are objects', () => Readable.from([{ secret: 1 }]), /chunks are no text/],
    ['other code reads it', locked, /./],
  ]

  it.each(FAILING)('is a 500: %s', async (_, value, message) => {
    await start()
    make = value
    const response = await app.fetch('/values')
    expect([response.status, response.headers.get('content-type')]).toEqual([
      500,
      'application/json; charset=utf-8',
    ])
    expect(await response.text()).not.toMatch(/secret|broken/)
    expect(errors).toMatchObject([{ err: { message: expect.stringMatching(message) } }])
  })
})

function failing(error: Error): Readable {
  return new Readable({
    read() {
      this.destroy(error)
    },
  })
}

function locked(): ReadableStream {
  const stream = new Blob(['x']).stream()
  stream.getReader()
  return stream
}

const NO_JSON: [string, () => unknown, RegExp][] = [
  ['a Map', () => new Map([['secret', 1]]), /a Map.*Object\.fromEntries/],
  ['a Set', () => new Set(['secret']), /a Set.*\[\.\.\.set\]/],
  ['a WeakMap', () => new WeakMap(), /a WeakMap/],
  ['a WeakSet', () => new WeakSet(), /a WeakSet/],
  ['a generator', () => numbers(), /a generator.*Readable\.from/],
  ['an async generator', () => laterNumbers(), /an async generator/],
  ['a function', () => () => 'secret', /a function.*call it/],
  ['a symbol', () => Symbol('secret'), /a symbol/],
  ['a BigInt', () => 1n, /a BigInt.*String\(value\)/],
  ['an Error', () => new Error('secret'), /an Error.*throw it/],
  ['a regular expression', () => /secret/, /a regular expression/],
]

function* numbers() {
  yield 1
}

async function* laterNumbers() {
  yield 1
}

describe('a returned value that has no form in JSON', () => {
  it.each(NO_JSON)('is a 500 whose remedy is in the log: %s', async (_, value, remedy) => {
    await start()
    make = value
    for (const path of ['/values', '/values/raw']) {
      const response = await app.fetch(path)
      expect(response.status).toBe(500)
      expect(await response.json()).toMatchObject({ message: 'Internal Server Error' })
    }
    expect(errors[0]?.err.message).toMatch(/^ValuesController\.plain returned/)
    expect(errors[0]?.err.message).toMatch(remedy)
  })

  it('is data if it has a toJSON', async () => {
    await start()
    make = () => Object.assign(new Map(), { toJSON: () => ({ own: true }) })
    expect(await (await app.fetch('/values')).json()).toMatchObject({ data: { own: true } })
  })

  it('is no instance of another class', async () => {
    class Point {
      readonly x = 1
    }
    await start()
    make = () => new Point()
    expect(await (await app.fetch('/values')).json()).toMatchObject({ data: { x: 1 } })
  })

  it('is announced at boot if the handler is a generator function', async () => {
    @Controller('numbers')
    class NumbersController {
      @Get() *list() {
        yield 1
      }
      @Get('later') async *later() {
        yield 1
      }
    }
    await start()
    const warnings = await bootWarnings({ controllers: [NumbersController], swagger: false })
    expect(warnings.map(({ code }) => code)).toEqual(['W_HANDLER_GENERATOR', 'W_HANDLER_GENERATOR'])
  })
})

describe('the handler timeout', () => {
  it('ends the response of a stream that has sent nothing', async () => {
    await start({ timeouts: { handler: '5s' } })
    const silent = new PassThrough()
    make = () => silent
    const response = app.fetch('/values')
    await app.clock.advance('6s')
    expect((await response).status).toBe(503)
    expect(silent.destroyed).toBe(true)
  })

  it('does not end a stream that has begun', async () => {
    await start({ timeouts: { handler: '5s' } })
    const stream = new PassThrough()
    stream.write('begun')
    make = () => stream
    const response = await app.fetch('/values')
    await app.clock.advance('1h')
    stream.end(', ended')
    expect(await response.text()).toBe('begun, ended')
  })

  it('destroys a stream that comes after it', async () => {
    await start({ timeouts: { handler: '5s' } })
    const late = new PassThrough()
    let resolve: (value: unknown) => void = () => {}
    make = () =>
      new Promise((fulfil) => {
        resolve = fulfil
      })
    const response = app.fetch('/values')
    await app.clock.advance('6s')
    expect((await response).status).toBe(503)
    const closed = new Promise((done) => late.once('close', done))
    resolve(late)
    await closed
    expect(late.destroyed).toBe(true)
  })
})
