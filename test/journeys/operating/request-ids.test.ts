import { once } from 'node:events'
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import {
  App,
  type AppOptions,
  Auth,
  Body,
  Cache,
  Controller,
  defineControllers,
  Get,
  type Middleware,
  NotFoundError,
  Post,
  type Request,
  type Response,
} from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import compression from 'compression'
import type { CorsOptions } from 'cors'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { start as startApp } from '../hostile/listening-app.js'
import { type Answer, exchange, post, RawConnection, request } from '../hostile/raw-connection.js'
import { turns } from '../turns.js'

@Controller('things')
class ThingsController {
  @Get('id/:n') id(req: Request) {
    return { id: req.id, again: req.id }
  }

  @Get('plain') plain() {
    return { text: 'plain' }
  }

  @Get('bug') bug() {
    throw new Error('a bug')
  }

  @Get('missing') missing() {
    throw new NotFoundError('It is not there')
  }

  @Get('read-and-missing') readAndMissing(req: Request) {
    throw new NotFoundError(`Ask about ${req.id}`)
  }

  @Get('stream') stream() {
    return Readable.from(['a', 'b'])
  }

  @Get('ended') ended(_req: Request, res: Response) {
    res.end('by hand')
  }

  @Get('written') written(_req: Request, res: Response) {
    res.writeHead(200, { 'X-Own': '1' }).end('x')
  }

  @Get('sent') sent(_req: Request, res: Response) {
    res.set('ETag', '"1"').send('text')
  }

  @Get('half') half(_req: Request, res: Response) {
    res.write('half')
    throw new Error('too late')
  }

  @Cache({ ttl: '60s' }) @Get('cached') cached(req: Request) {
    return { made: req.id.length }
  }

  @Auth() @Get('secret') secret() {
    return 'secret'
  }

  @Post() @Body(z.object({ text: z.string() })) create(req: Request) {
    return req.body
  }
}

const controllers = defineControllers(ThingsController)
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

async function inProcess(options: TestOptions = {}): Promise<TestApp> {
  const app = await TestApp.create({ controllers, contract: 'off', logger: false, ...options })
  onTestFinished(() => app.close())
  return app
}

const listening = (options: AppOptions = {}) =>
  startApp({ controllers, limits: { headers: 20, body: 100 }, ...options })

function idsOf({ lines }: Answer): string[] {
  return lines.filter(([name]) => name === 'x-request-id').map(([, value]) => value)
}

describe('the req.id field', () => {
  it('is a random UUID that stays the same within a request and differs between requests', async () => {
    const app = await inProcess()
    const { data: first } = (await app.request().get('/things/id/1')).body
    const { data: second } = (await app.request().get('/things/id/2')).body
    expect(first.id).toMatch(UUID)
    expect(first.again).toBe(first.id)
    expect(second.id).not.toBe(first.id)
  })

  it('differs between pipelined requests of one connection', async () => {
    const { port } = await listening({ requestIds: true })
    const connection = await RawConnection.open(port)
    onTestFinished(() => connection.destroy())
    const ask = (n: number) => request(`/things/id/${n}`, ['Connection: keep-alive'])
    connection.write([1, 2, 3].map(ask).join(''))
    const answers = await connection.answers(3)
    const ids = answers.map(({ text }) => JSON.parse(text).data.id)
    expect(new Set(ids).size).toBe(3)
    expect(answers.map(idsOf)).toEqual(ids.map((id) => [id]))
  })

  it('is the id that a middleware assigns, in the body and in the header', async () => {
    const naming: Middleware = (req, _res, next) => {
      expect(req.id).toMatch(UUID)
      req.id = 'of-a-middleware'
      next()
    }
    const app = await inProcess({ middlewares: [naming], requestIds: true })
    for (const path of ['/things/missing', '/nothing', '/things/bug']) {
      const { body, headers } = await app.request().get(path)
      expect([body.requestId, headers['x-request-id']]).toEqual([
        'of-a-middleware',
        'of-a-middleware',
      ])
    }
    const { headers } = await app.request().get('/things/plain')
    expect(headers['x-request-id']).toBe('of-a-middleware')
  })

  it.each([
    ['a number', 17, '17'],
    ['too long', 'x'.repeat(200), 'x'.repeat(128)],
  ])('becomes a short string in the header if a middleware sets it: %s', async (_, id, sent) => {
    const naming: Middleware = (req, _res, next) => {
      req.id = id
      next()
    }
    const app = await inProcess({ middlewares: [naming], requestIds: true })
    expect((await app.request().get('/things/plain')).headers['x-request-id']).toBe(sent)
  })

  it.each([
    ['a line break', 'a\r\nSet-Cookie: b=1'],
    ['a letter outside ASCII', 'ä'],
    ['a space', 'a b'],
    ['an object', { id: 1 }],
  ])('is left out of the header if it is invalid there: %s', async (_, id) => {
    const naming: Middleware = (req, _res, next) => {
      req.id = id
      next()
    }
    const app = await inProcess({ middlewares: [naming], requestIds: true })
    const { status, headers } = await app.request().get('/things/plain')
    expect(status).toBe(200)
    expect(headers).not.toHaveProperty('x-request-id')
    expect(headers).not.toHaveProperty('set-cookie')
  })

  it('can be assigned repeatedly, which changes no other header', async () => {
    const origin = 'https://a.example'
    const app = await inProcess({
      requestIds: true,
      security: { cors: { origin: [origin, 'https://b.example'], exposedHeaders: 'X-Request-Id' } },
      middlewares: [
        (req, _res, next) => {
          for (const id of ['one', 'two', 'three']) req.id = id
          next()
        },
      ],
    })
    const { headers } = await app.request().get('/things/plain').set('Origin', origin)
    expect(headers['x-request-id']).toBe('three')
    expect(headers['access-control-expose-headers']).toBe('X-Request-Id')
  })

  it('does not change a header that a middleware has set or removed', async () => {
    const own: Middleware = (req, res, next) => {
      res.setHeader('X-Request-Id', 'own')
      req.id = 'other'
      next()
    }
    const removing: Middleware = (req, res, next) => {
      res.removeHeader('X-Request-Id')
      req.id = 'other'
      next()
    }
    const app = await inProcess({ middlewares: [own], requestIds: true })
    expect((await app.request().get('/things/plain')).headers['x-request-id']).toBe('own')
    const other = await inProcess({ middlewares: [removing], requestIds: true })
    const { headers } = await other.request().get('/things/plain')
    expect(headers).not.toHaveProperty('x-request-id')
  })

  it('can be assigned after all headers were read and after the response was sent', async () => {
    const late: Middleware = (req, res, next) => {
      expect(res.getHeaders()['x-request-id']).toMatch(UUID)
      req.id = 'first'
      expect(res.getHeader('X-Request-Id')).toBe('first')
      res.once('finish', () => {
        req.id = 'second'
      })
      next()
    }
    const app = await inProcess({ middlewares: [late], requestIds: true })
    expect((await app.request().get('/things/plain')).headers['x-request-id']).toBe('first')
  })

  it('is kept by a logger that creates an id only if there is none, such as pino-http', async () => {
    const seen: unknown[] = []
    const logging: Middleware = (req, _res, next) => {
      req.id = req.id || 'made-by-the-logger'
      seen.push(req.id)
      next()
    }
    const app = await inProcess({ middlewares: [logging], requestIds: true })
    const { headers } = await app.request().get('/things/plain')
    expect(seen).toEqual([headers['x-request-id']])
    expect(seen[0]).toMatch(UUID)
  })
})

describe('the trustRequestId option', () => {
  const ask = async (lines: string[], options: AppOptions = {}) => {
    const { port } = await listening({ requestIds: true, trustRequestId: true, ...options })
    const [answer] = await exchange(port, request('/things/id/1', lines))
    const [id] = idsOf(answer as Answer)
    expect(JSON.parse(answer?.text ?? '').data.id).toBe(id)
    return id
  }

  it.each(['a', 'A_b.c-9', 'x'.repeat(128)])('accepts the id of the client: %s', async (id) => {
    expect(await ask([`X-Request-Id: ${id}`])).toBe(id)
  })

  it.each([
    ['too long', ['X-Request-Id: '.concat('x'.repeat(129))]],
    ['empty', ['X-Request-Id:']],
    ['a space', ['X-Request-Id: a b']],
    ['a separator', ['X-Request-Id: a/b']],
    ['a quote', ['X-Request-Id: "a"']],
    ['bytes outside ASCII', ['X-Request-Id: \xe4\xf6']],
    ['a terminal code', ['X-Request-Id: \x1b[31m']],
    ['repeated', ['X-Request-Id: a', 'X-Request-Id: a']],
  ])('creates an id if the id of the client is invalid: %s', async (_, lines) => {
    const { port } = await listening({ requestIds: true, trustRequestId: true })
    const [answer] = await exchange(port, request('/things/plain', lines))
    // Node's parser refuses control characters before there is a request.
    if (answer?.status === 200) expect(idsOf(answer)).toEqual([expect.stringMatching(UUID)])
    else expect([answer?.status, idsOf(answer as Answer)]).toEqual([400, []])
  })

  it('ignores the id of the client if it is false or missing', async () => {
    expect(await ask(['X-Request-Id: mine'], { trustRequestId: false })).toMatch(UUID)
    const { port } = await listening({ requestIds: true })
    const [answer] = await exchange(port, request('/things/plain', ['X-Request-Id: mine']))
    expect(idsOf(answer as Answer)).toEqual([expect.stringMatching(UUID)])
  })

  it('works without requestIds, and the id appears in server errors', async () => {
    const app = await inProcess({ trustRequestId: true })
    const { body, headers } = await app.request().get('/things/bug').set('X-Request-Id', 'mine-1')
    expect(body.requestId).toBe('mine-1')
    expect(headers).not.toHaveProperty('x-request-id')
  })
})

describe('the requestIds option', () => {
  const requests: Record<string, [status: number, data: string]> = {
    'a route': [200, request('/things/plain')],
    'a stream': [200, request('/things/stream')],
    'res.end': [200, request('/things/ended')],
    'res.writeHead': [200, request('/things/written')],
    'res.send': [200, request('/things/sent')],
    'not modified': [304, request('/things/sent', ['If-None-Match: "1"'])],
    OPTIONS: [200, request('/things/plain', [], { method: 'OPTIONS' })],
    'a malformed path': [400, request('/things/%E0%A4%A')],
    'a wrong host': [400, request('/things/plain', ['Host: a b'])],
    'a rejected body': [400, post('/things', '{}')],
    'malformed JSON': [400, post('/things', '{')],
    'no user': [401, request('/things/secret')],
    'an error of the handler': [404, request('/things/missing')],
    'no route': [404, request('/nothing')],
    'a wrong method': [405, request('/things/plain', [], { method: 'DELETE' })],
    'a large body': [413, post('/things', `{"text":"${'x'.repeat(200)}"}`)],
    'another type': [
      415,
      request('/things', ['Content-Type: text/plain', 'Content-Length: 1'], {
        method: 'POST',
        body: 'x',
      }),
    ],
    'an unknown expectation': [417, request('/things/plain', ['Expect: the-unexpected'])],
    'many headers': [431, request('/things/plain', Array<string>(30).fill('X-A: 1'))],
    'many parameters': [400, request(`/things/plain?${'a&'.repeat(1100)}`)],
    'a bug': [500, request('/things/bug')],
  }

  it.each(Object.keys(requests))('adds a unique id to every response: %s', async (name) => {
    const [status, data] = requests[name] as [number, string]
    const { port } = await listening({ requestIds: true })
    const [answer] = (await exchange(port, data)) as [Answer]
    expect([answer.status, idsOf(answer)]).toEqual([status, [expect.stringMatching(UUID)]])
    if (status >= 400) expect(JSON.parse(answer.text).requestId).toBe(idsOf(answer)[0])
  })

  it.each(Object.keys(requests))('adds no header if it is not set: %s', async (name) => {
    const [status, data] = requests[name] as [number, string]
    const { port } = await listening()
    const [answer] = (await exchange(port, data)) as [Answer]
    expect([answer.status, idsOf(answer)]).toEqual([status, []])
    if (status >= 400) expect('requestId' in JSON.parse(answer.text)).toBe(status >= 500)
  })

  it('adds an id to the response to HEAD', async () => {
    const { port } = await listening({ requestIds: true })
    const data = request('/things/plain', [], { method: 'HEAD' })
    const [answer] = (await exchange(port, data, { isHead: true })) as [Answer]
    expect([answer.status, idsOf(answer)]).toEqual([200, [expect.stringMatching(UUID)]])
  })

  it('adds an id to a problem document', async () => {
    const app = await inProcess({ requestIds: true })
    const { body, headers } = await app
      .request()
      .get('/nothing')
      .set('Accept', 'application/problem+json')
      .buffer(true)
      .parse((res, done) => {
        res.setEncoding('utf8')
        let text = ''
        res.on('data', (part: string) => {
          text += part
        })
        res.on('end', () => done(null, JSON.parse(text)))
      })
    expect(headers['content-type']).toMatch('application/problem+json')
    expect(body.requestId).toBe(headers['x-request-id'])
  })

  it('passes the id to the error format', async () => {
    const seen: unknown[] = []
    const { port } = await listening({
      requestIds: true,
      errors: {
        format: ({ status, requestId }) => {
          seen.push(requestId)
          return { status, id: requestId }
        },
        schema: z.object({ status: z.number(), id: z.string().optional() }),
      },
    })
    const [answer] = (await exchange(port, request('/nothing'))) as [Answer]
    expect(JSON.parse(answer.text).id).toBe(idsOf(answer)[0])
    expect(seen).toEqual(idsOf(answer))
  })

  it('adds the id of the request to the response for a malformed body', async () => {
    const { port } = await listening({ requestIds: true, trustRequestId: true })
    const lines = [
      'X-Request-Id: broken-1',
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    ]
    const data = request('/things', lines, { method: 'POST', body: 'no chunk\r\n' })
    const [answer] = (await exchange(port, data)) as [Answer]
    expect([answer.status, idsOf(answer)]).toEqual([400, ['broken-1']])
    expect(JSON.parse(answer.text).requestId).toBe('broken-1')
  })

  it('adds no id to the response for bytes that are not a request', async () => {
    const { port } = await listening({ requestIds: true })
    const [answer] = (await exchange(port, 'nonsense\r\n\r\n')) as [Answer]
    expect([answer.status, idsOf(answer)]).toEqual([400, []])
    expect(JSON.parse(answer.text)).not.toHaveProperty('requestId')
  })

  it('adds the id of the current request to each response from the cache', async () => {
    const app = await inProcess({ requestIds: true })
    const responses = []
    for (let i = 0; i < 3; i++) responses.push(await app.request().get('/things/cached'))
    expect(responses.map(({ headers }) => headers['x-cache'])).toEqual(['MISS', 'HIT', 'HIT'])
    const ids = responses.map(({ headers }) => headers['x-request-id'])
    expect(new Set(ids).size).toBe(3)
  })

  it('adds an id to the 503 response of a handler that takes too long', async () => {
    @Controller('slow')
    class Slow {
      @Get() wait() {
        return new Promise(() => {})
      }
    }
    const app = await inProcess({ controllers: [Slow], requestIds: true })
    const pending = app
      .request()
      .get('/slow')
      .then((response) => response)
    await turns()
    await app.clock.advance('31s')
    const { status, body, headers } = await pending
    expect(status).toBe(503)
    expect(body.requestId).toBe(headers['x-request-id'])
    expect(app.logs.find(({ facts }) => facts.status === 503)?.facts.requestId).toBe(body.requestId)
  })

  it('keeps its header when a middleware compresses a response or reads headers', async () => {
    const reading: Middleware = (_req, res, next) => {
      res.getHeaderNames()
      next()
    }
    const app = await inProcess({
      middlewares: [compression({ threshold: 0 }), reading],
      requestIds: true,
    })
    const { headers } = await app.request().get('/things/plain').set('Accept-Encoding', 'gzip')
    expect(headers['content-encoding']).toBe('gzip')
    expect(headers['x-request-id']).toMatch(UUID)
  })

  it('works without the helmet headers', async () => {
    const app = await inProcess({ requestIds: true, security: { helmet: false } })
    expect((await app.request().get('/things/plain')).headers['x-request-id']).toMatch(UUID)
  })

  it('exposes the header to scripts of other origins, together with the configured ones', async () => {
    const cases = [
      [{ origin: ['https://a.example'] }, 'X-Request-Id'],
      [{ origin: 'https://a.example' }, 'X-Request-Id'],
      [{ origin: ['https://a.example'], exposedHeaders: 'X-A' }, 'X-A,X-Request-Id'],
      [{ origin: true, exposedHeaders: ['X-A', 'X-Request-Id'] }, 'X-A,X-Request-Id'],
      [{ origin: '*', exposedHeaders: 'X-A , X-B' }, 'X-A,X-B,X-Request-Id'],
    ] satisfies [CorsOptions, string][]
    for (const [cors, exposed] of cases) {
      const app = await inProcess({
        requestIds: true,
        security: { cors },
      })
      const { headers } = await app
        .request()
        .get('/things/plain')
        .set('Origin', 'https://a.example')
      expect(headers['access-control-expose-headers']).toBe(exposed)
    }
    const without = await inProcess({ security: { cors: true } })
    const { headers } = await without
      .request()
      .get('/things/plain')
      .set('Origin', 'https://a.example')
    expect(headers).not.toHaveProperty('access-control-expose-headers')
  })

  it('is validated at boot, and so are `trustRequestId` and `onError`', async () => {
    const wrong = { controllers, requestIds: 'yes', trustRequestId: 1, onError: {} }
    await expect(App.create(wrong as unknown as AppOptions)).rejects.toMatchObject({
      problems: [
        { code: 'E_OPTION_INVALID', subject: 'requestIds' },
        { code: 'E_OPTION_INVALID', subject: 'trustRequestId' },
        { code: 'E_OPTION_INVALID', subject: 'onError' },
      ],
    })
  })
})

describe('the field `requestId` of an error response without the option `requestIds`', () => {
  it('is present for status 500 and above, and if the handler has read `req.id`', async () => {
    const app = await inProcess()
    expect((await app.request().get('/things/missing')).body).not.toHaveProperty('requestId')
    const { body } = await app.request().get('/things/read-and-missing')
    expect(body.message).toBe(`Ask about ${body.requestId}`)
    const failed = (await app.request().get('/things/bug')).body
    expect(failed.requestId).toMatch(UUID)
    expect(app.logs.at(-1)?.facts.requestId).toBe(failed.requestId)
  })

  it('is present if an outer application has set `req.id`', async () => {
    const app = new App({ controllers, logger: false })
    onTestFinished(() => app.close())
    const host = express()
    host.use((req, _res, next) => {
      Object.assign(req, { id: 'of-the-host' })
      next()
    })
    host.use(app.handler)
    const { port } = await serve(host)
    const [answer] = (await exchange(port, request('/things/missing'))) as [Answer]
    expect(JSON.parse(answer.text).requestId).toBe('of-the-host')
  })
})

describe('a mounted application', () => {
  it('sends the id that its host has set', async () => {
    const app = new App({ controllers, logger: false, requestIds: true })
    onTestFinished(() => app.close())
    const host = express()
    host.use('/named', (req, _res, next) => {
      Object.assign(req, { id: 'of-the-host' })
      next()
    })
    host.use('/named', app.handler)
    host.use(app.handler)
    host.use((_req, res) => void res.end('the host'))
    const { port } = await serve(host)
    const ask = async (path: string) => (await exchange(port, request(path)))[0] as Answer
    expect(idsOf(await ask('/named/things/plain'))).toEqual(['of-the-host'])
    expect(idsOf(await ask('/things/plain'))).toEqual([expect.stringMatching(UUID)])
    expect((await ask('/nowhere')).text).toBe('the host')
  })

  it('shares the id with an outer application of the framework', async () => {
    const inner = new App({ controllers, logger: false, requestIds: true })
    const { port } = await listening({
      controllers: [],
      requestIds: true,
      middlewares: [inner.handler],
    })
    onTestFinished(() => inner.close())
    const answer = (await exchange(port, request('/things/id/1')))[0] as Answer
    expect(idsOf(answer)).toEqual([JSON.parse(answer.text).data.id])
  })
})

describe('the X-Request-Id header in the document', () => {
  const statusesOf = (document: TestApp['document'], path: string) =>
    Object.values(document.paths[path]?.get?.responses ?? {})

  it('is described for every response, and checked by the contract', async () => {
    const app = await inProcess({ requestIds: true, contract: 'throw' })
    const { components, paths } = app.document
    const reference = { $ref: '#/components/headers/X-Request-Id' }
    expect(components.headers).toMatchObject({ 'X-Request-Id': { required: true } })
    const shared = Object.values(components.responses ?? {})
    const own = Object.values(paths)
      .flatMap((item) => Object.values(item))
      .flatMap(({ responses }) => Object.values(responses))
      .filter((response) => !('$ref' in response))
    expect([...shared, ...own].length).toBeGreaterThan(5)
    for (const response of [...shared, ...own]) {
      expect(response).toMatchObject({ headers: { 'X-Request-Id': reference } })
    }
    await app.request().get('/things/plain')
    const removing: Middleware = (_req, res, next) => {
      res.removeHeader('X-Request-Id')
      next()
    }
    const broken = await inProcess({
      requestIds: true,
      contract: 'throw',
      middlewares: [removing],
    })
    await expect(broken.request().get('/things/plain')).rejects.toThrow(/X-Request-Id/i)
  })

  it('leaves all other information about a response unchanged, such as the maximum body size', async () => {
    const sizes = async (requestIds: boolean) => {
      const { document } = await inProcess({ requestIds })
      return Object.values(document.components.responses ?? {}).map((response) => [
        response.description,
        response['x-max-body-bytes'],
      ])
    }
    const without = await sizes(false)
    expect(without).toContainEqual([expect.any(String), 102400])
    expect(await sizes(true)).toEqual(without)
  })

  it('is missing without the option `requestIds`', async () => {
    const app = await inProcess()
    expect(app.document.components).not.toHaveProperty('headers')
    expect(JSON.stringify(statusesOf(app.document, '/things/plain'))).not.toMatch(/request-id/i)
  })
})

describe('an application without request id options', () => {
  it('adds no step, no header, and no field to a request that does not read its id', async () => {
    const fields: (string | symbol)[][] = []
    const looking: Middleware = (req, res, next) => {
      res.once('finish', () => fields.push(Reflect.ownKeys(req)))
      next()
    }
    const app = await inProcess({ middlewares: [looking] })
    const { headers } = await app.request().get('/things/plain')
    expect(headers).not.toHaveProperty('x-request-id')
    await app.request().get('/things/id/1')
    const [plain = [], asked = []] = fields.map((keys) => keys.map(String))
    expect(plain.filter((key) => /requestId|trace/.test(key))).toEqual([])
    expect(asked.filter((key) => /requestId|trace/.test(key))).toEqual(['Symbol(blazon.requestId)'])
    const steps = async (options: AppOptions) => {
      const made = await App.create({ controllers, logger: false, ...options })
      onTestFinished(() => made.close())
      return made.getRouteTable()
    }
    expect(await steps({ requestIds: true, onError() {} })).toEqual(await steps({}))
  })
})

async function serve(host: express.Application): Promise<{ port: number }> {
  const server = createServer(host)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return { port: typeof address === 'object' && address !== null ? address.port : 0 }
}
