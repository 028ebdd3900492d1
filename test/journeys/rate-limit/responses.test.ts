import {
  App,
  Auth,
  BaseController,
  Controller,
  Get,
  Post,
  RateLimit,
  type Request,
  type Response,
} from 'blazon'
import { describe, expect, it } from 'vitest'
import { appsOfTest, namedGuard, statuses } from './support.js'

@Controller('answers')
class AnswersController extends BaseController {
  @Get('plain')
  plain() {
    return { n: 1 }
  }

  @Get('sent')
  sent(_req: Request, res: Response) {
    res.send('text')
  }

  @Get('ended')
  ended(_req: Request, res: Response) {
    res.end()
  }

  @Get('written')
  written(_req: Request, res: Response) {
    res.writeHead(200, { 'X-Own': 'yes' }).end()
  }

  @Get('thrown')
  thrown() {
    throw new Error('broken')
  }

  @Get('read')
  read(_req: Request, res: Response) {
    const all = Object.keys(res.getHeaders())
    return this.ok(res, 'Read', { all, one: res.getHeader('ratelimit') })
  }

  @Get('replaced')
  replaced(_req: Request, res: Response) {
    res.setHeader('RateLimit', '"mine";r=1')
    res.removeHeader('RateLimit-Policy')
    return {}
  }

  @Post()
  create() {
    return {}
  }
}

describe('the headers of a rate limit', () => {
  const apps = appsOfTest()
  const options = { controllers: [AnswersController], contract: 'off' } as const
  const left = (r: number) => `"default";r=${r};t=60`

  it('are part of the response if the handler calls another application', async () => {
    const inner = new App({ controllers: [AnswersController], logger: false })
    await inner.init()

    @Controller()
    class OuterController {
      @Get('*path')
      pass(req: Request, res: Response) {
        inner.handler(req, res)
        return res
      }
    }
    const rateLimit = { limit: 5, window: '1m' }
    const app = await apps.inProcess({ controllers: [OuterController], contract: 'off', rateLimit })
    for (const [i, how] of ['plain', 'written', 'nowhere'].entries()) {
      const { headers } = await app.request().get(`/answers/${how}`)
      expect([how, headers['ratelimit']]).toEqual([how, left(4 - i)])
    }
    await inner.close()
  })

  it.each(['plain', 'sent', 'ended', 'written', 'thrown', 'read'])(
    'are part of the response: /answers/%s',
    async (how) => {
      const rateLimit = { limit: 5, window: '1m' }
      const app = await apps.inProcess({ ...options, rateLimit })
      const { headers } = await app.request().get(`/answers/${how}`)
      expect(headers['ratelimit-policy']).toBe('"default";q=5;w=60')
      expect(headers['ratelimit']).toBe(left(4))
      expect(headers).not.toHaveProperty('retry-after')
    },
  )

  it('can be read and changed by a handler', async () => {
    const app = await apps.inProcess({ ...options, rateLimit: true })
    const { body } = await app.request().get('/answers/read')
    expect(body.data.all).toEqual(expect.arrayContaining(['ratelimit', 'ratelimit-policy']))
    expect(body.data.one).toBe(left(99))
    const { headers } = await app.request().get('/answers/replaced')
    expect(headers['ratelimit']).toBe('"mine";r=1')
    expect(headers).not.toHaveProperty('ratelimit-policy')
  })

  it('form one list if limits apply before and after the guard', async () => {
    @RateLimit(
      { name: 'by user', limit: 2, window: 10, by: 'user' },
      { name: 'by ip', limit: 9, window: 60 },
    )
    @Auth()
    @Controller('both')
    class BothController {
      @Get()
      list() {
        return []
      }
    }
    // After getHeaders(), the framework sets each header separately.
    const readingGuard = {
      canActivate(req: Request) {
        req.res?.getHeaders()
        return namedGuard.canActivate(req)
      },
    }
    const guards = [namedGuard, readingGuard]
    for (const guard of guards) {
      const app = await apps.inProcess({
        controllers: [BothController],
        auth: { guard },
        rateLimit: { policies: [] },
      })
      const refused = await app.request().get('/both')
      expect(refused.status).toBe(401)
      expect(refused.headers['ratelimit']).toBe('"by ip";r=8;t=60')
      const { headers } = await app.request().get('/both').set('x-user', 'ada')
      expect(headers['ratelimit-policy']).toBe('"by ip";q=9;w=60, "by user";q=2;w=10')
      expect(headers['ratelimit']).toBe('"by ip";r=7;t=60, "by user";r=1;t=10')
    }
  })
})

describe('a response to a request over the limit', () => {
  const apps = appsOfTest()
  const options = { controllers: [AnswersController], rateLimit: { limit: 1, window: '1m' } }

  it('has the status 429, the error envelope and Retry-After', async () => {
    const app = await apps.inProcess(options)
    await app.request().get('/answers/plain')
    // 47.3 s are left: a client that came after 47 s would be refused again.
    await app.clock.advance('12.7s')
    const { status, headers, body } = await app.request().get('/answers/plain')
    expect(status).toBe(429)
    expect(body).toEqual({
      statusCode: 'error',
      status: 429,
      message: 'Too many requests; try again in 48 s',
      code: 'TOO_MANY_REQUESTS',
    })
    expect(headers['retry-after']).toBe('48')
    expect(headers['ratelimit']).toBe('"default";r=0;t=48')
  })

  it('is a problem document if the client accepts it', async () => {
    const app = await apps.inProcess(options)
    await app.request().get('/answers/plain')
    const { body } = await app
      .request()
      .get('/answers/plain')
      .set('Accept', 'application/problem+json')
    expect(body).toMatchObject({
      status: 429,
      code: 'TOO_MANY_REQUESTS',
      title: 'Too Many Requests',
    })
  })

  it('has no body for HEAD', async () => {
    const app = await apps.inProcess(options)
    await app.request().get('/answers/plain')
    const { status, headers, text } = await app.request().head('/answers/plain')
    expect([status, headers['retry-after'], text ?? '']).toEqual([429, '60', ''])
  })

  it('is sent before the request body is read', async () => {
    const app = await apps.inProcess(options)
    await app.request().get('/answers/plain')
    const { status } = await app.request().post('/answers').type('json').send('{ not json')
    expect(status).toBe(429)
  })

  it('results from an error that error middlewares receive', async () => {
    const seen: unknown[] = []
    const app = await apps.inProcess({
      ...options,
      middlewares: [
        (error: Error, _req: Request, _res: Response, next: (error: unknown) => void) => {
          seen.push(error.name)
          next(error)
        },
      ],
    })
    expect(await statuses(app, '/answers/plain', '/answers/plain')).toEqual([200, 429])
    expect(seen).toEqual(['TooManyRequestsError'])
  })

  it('causes no log line', async () => {
    const app = await apps.inProcess(options)
    await statuses(app, '/answers/plain', '/answers/plain')
    expect(app.logs).toEqual([])
  })
})

describe('the window of a rate limit', () => {
  const apps = appsOfTest()
  const options = { controllers: [AnswersController], rateLimit: { limit: 2, window: '1m' } }
  const path = '/answers/plain'

  it('starts with its first request, and is not extended by refusals', async () => {
    const app = await apps.inProcess(options)
    await app.clock.advance('17s')
    expect(await statuses(app, path)).toEqual([200])
    await app.clock.advance('59s')
    expect(await statuses(app, path, path, path)).toEqual([200, 429, 429])
    await app.clock.advance('999ms')
    expect(await statuses(app, path)).toEqual([429])
    await app.clock.advance('1ms')
    expect(await statuses(app, path, path, path)).toEqual([200, 200, 429])
  })

  it.each(['2001-01-01', '2099-01-01'])(
    'is not affected if the clock is set to %s',
    async (date) => {
      const app = await apps.inProcess(options)
      expect(await statuses(app, path, path, path)).toEqual([200, 200, 429])
      app.clock.set(date)
      const refused = await app.request().get(path)
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60'])
      await app.clock.advance('60s')
      expect(await statuses(app, path)).toEqual([200])
    },
  )

  it('allows exactly as many concurrent requests as the limit', async () => {
    const app = await apps.inProcess({ ...options, rateLimit: { limit: 37, window: '1m' } })
    const all = await Promise.all(Array.from({ length: 100 }, () => app.fetch(path)))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(37)
    const left = all.map(({ headers }) => /r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
    expect(new Set(left).size).toBe(37)
  })
})
