import {
  All,
  BaseController,
  Cache,
  CacheManager,
  Controller,
  Get,
  Header,
  type Request,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let calls = 0

@Controller('things')
class ThingsController extends BaseController {
  @Cache({ ttl: 60 })
  @Get('value')
  value() {
    return { call: ++calls }
  }

  @Cache({ ttl: 60 })
  @Get('later')
  async later() {
    await Promise.resolve()
    return { call: ++calls }
  }

  @Cache({ ttl: 60 })
  @Get('ok')
  answerOk(_req: Request, res: Response) {
    return this.ok(res, 'Here', { call: ++calls })
  }

  @Cache({ ttl: 60 })
  @Get('json')
  json(_req: Request, res: Response) {
    res.json({ call: ++calls })
  }

  @Cache({ ttl: 60 })
  @Get('send')
  send(_req: Request, res: Response) {
    res.send(`<p>${++calls}</p>`)
  }

  @Cache({ ttl: 60 })
  @Get('end')
  end(_req: Request, res: Response) {
    res.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Language': 'en' })
    res.end(`call ${++calls}`)
  }

  @Cache({ ttl: 60 })
  @Get('callback')
  callback(_req: Request, res: Response) {
    process.nextTick(() => res.json({ call: ++calls }))
  }

  @Cache({ ttl: 60 })
  @Get('bytes')
  bytes(_req: Request, res: Response) {
    const bytes = Buffer.from([0, 255, ++calls])
    res.type('application/octet-stream').send(bytes)
    bytes.fill(7)
  }

  @Cache({ ttl: 60 })
  @Header('X-Constant', 'yes')
  @Get('constant')
  constant() {
    return { call: ++calls }
  }

  @Cache({ ttl: 60 })
  @All('all')
  all() {
    return { call: ++calls }
  }

  @Cache({ ttl: 0 })
  @Get('zero')
  zero() {
    return { call: ++calls }
  }
}

let app: TestApp
beforeEach(() => {
  calls = 0
})
afterEach(() => app.close())

const start = async (options: object = {}) => {
  app = await TestApp.create({ controllers: [ThingsController], contract: 'off', ...options })
  await app.clock.advance(0)
  return app
}

/** The headers that do not depend on how the response was sent. A body that is known beforehand has a length. */
function contentOf(headers: Record<string, string>) {
  const { date, 'content-length': length, 'transfer-encoding': coding, ...content } = headers
  return content
}

describe('a response of a route with @Cache', () => {
  it.each(['value', 'later', 'ok', 'json', 'send', 'end', 'callback', 'constant'])(
    'is the same if it comes from the cache: %s',
    async (path) => {
      await start()
      const first = await app.request().get(`/things/${path}`)
      const second = await app.request().get(`/things/${path}`)
      expect(calls).toBe(1)
      expect(second.text).toBe(first.text)
      expect(second.status).toBe(200)
      const { 'x-cache': missed, ...headers } = first.headers
      const { 'x-cache': hit, age, ...others } = second.headers
      expect([missed, hit, age]).toEqual(['MISS', 'HIT', '0'])
      expect(contentOf(others)).toEqual(contentOf(headers))
    },
  )

  it('is stored byte for byte, even if the handler changes the buffer afterwards', async () => {
    await start()
    for (const state of ['MISS', 'HIT', 'HIT']) {
      const { body, headers } = await app.request().get('/things/bytes')
      expect(headers['x-cache']).toBe(state)
      if (state === 'HIT') expect([...body]).toEqual([0, 255, 1])
    }
  })

  it('has an Age header, and is created again after its ttl', async () => {
    await start()
    await app.request().get('/things/value')
    await app.clock.advance('59.9s')
    const { headers } = await app.request().get('/things/value')
    expect([headers['x-cache'], headers['age']]).toEqual(['HIT', '59'])
    await app.clock.advance('100ms')
    const { headers: anew, body } = await app.request().get('/things/value')
    expect([anew['x-cache'], anew['age'], body.data]).toEqual(['MISS', undefined, { call: 2 }])
  })

  it('is sent to HEAD requests without its body, but is not stored by them', async () => {
    await start()
    const early = await app.request().head('/things/value')
    expect(early.headers['x-cache']).toBe('MISS')
    const got = await app.request().get('/things/value')
    const late = await app.request().head('/things/value')
    expect(late.headers['x-cache']).toBe('HIT')
    expect(late.text).toBeFalsy()
    expect(late.headers['content-length']).toBe(got.headers['content-length'])
    expect(calls).toBe(2)
  })

  it('is neither read from the cache nor stored for POST', async () => {
    await start()
    await app.request().get('/things/all')
    const { body, headers } = await app.request().post('/things/all')
    expect(body.data).toEqual({ call: 2 })
    expect(headers['x-cache']).toBeUndefined()
    expect((await app.request().get('/things/all')).body.data).toEqual({ call: 1 })
  })

  it('is not stored if `ttl` is 0', async () => {
    await start()
    await app.request().get('/things/zero')
    const { headers } = await app.request().get('/things/zero')
    expect(headers['x-cache']).toBeUndefined()
    expect(calls).toBe(2)
  })

  it('has no X-Cache or Age header if `cache.headers` is false', async () => {
    await start({ cache: { headers: false } })
    const first = await app.request().get('/things/value')
    const second = await app.request().get('/things/value')
    expect(calls).toBe(1)
    expect(contentOf(second.headers)).toEqual(contentOf(first.headers))
    expect(second.headers).not.toHaveProperty('age')
  })

  it('can be read with CacheManager', async () => {
    await start()
    await app.request().get('/things/value')
    const cache = CacheManager.getInstance()
    expect(await cache.get('GET /things/value')).toMatchObject({ data: { call: 1 } })
  })
})
