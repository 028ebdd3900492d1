import { Readable } from 'node:stream'
import {
  Auth,
  Cache,
  Can,
  Controller,
  defineControllers,
  type ErrorContext,
  type ErrorRequestHandler,
  Get,
  HttpError,
  type Logger,
  type Middleware,
  NotFoundError,
  type Request,
  ServiceUnavailableError,
  Tenant,
  tenantRouter,
  Use,
} from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { gate } from '../gate.js'
import { turns } from '../turns.js'

const bug = new Error('a bug')
const fail = (): never => {
  throw bug
}
const lateStream = () =>
  Readable.from(
    (async function* () {
      yield 'begun'
      await turns(1)
      fail()
    })(),
  )

@Controller('things')
class Things {
  @Get('fine/:id') fine(req: Request) {
    return { id: req.params['id'] }
  }

  @Get('bug/:id') bug() {
    fail()
  }

  @Get('missing') missing() {
    throw new NotFoundError('It is not there')
  }

  @Get('busy') busy() {
    throw new ServiceUnavailableError('no connection is free')
  }

  @Get('slow') slow() {
    return new Promise(() => {})
  }

  @Get('gone') gone(req: Request) {
    return new Promise((_, reject) => {
      req.signal.addEventListener('abort', () => reject(req.signal.reason))
    })
  }

  @Get('stream') stream() {
    return lateStream()
  }

  @Use((_req: Request, _res: unknown, _next: unknown) => fail())
  @Get('used')
  used() {}

  @Auth() @Get('auth') auth() {
    return 'open'
  }

  @Auth({ optional: true }) @Get('optional') optional() {
    return 'open'
  }

  @Can('open') @Get('can') can() {
    return 'open'
  }

  @Auth() @Get('auth-bug') authBug() {
    fail()
  }
}

@Controller('tenants')
class Tenants {
  @Auth() @Tenant() @Get('bug') bug() {
    fail()
  }
}

interface Report {
  readonly error: unknown
  readonly context: ErrorContext
}

async function start(options: TestOptions = {}) {
  const reports: Report[] = []
  const app = await TestApp.create({
    controllers: defineControllers(Things),
    contract: 'off',
    logger: false,
    onError: (error, context) => void reports.push({ error, context }),
    ...options,
  })
  onTestFinished(() => app.close())
  const get = (path: string) => app.request().get(path)
  const errors = () => app.logs.filter(({ level }) => level === 'error')
  return { app, get, reports, errors }
}

const guard = (canActivate: (req: Request) => unknown) => ({
  guard: { canActivate: canActivate as () => boolean },
})

describe('the onError option', () => {
  it('receives an error once if it results in a 500 response, with the fields of its request', async () => {
    const { get, reports, errors } = await start()
    const trace = '0af7651916cd43dd8448eb211c80319c'
    const { status, body } = await get('/things/bug/7').set(
      'traceparent',
      `00-${trace}-b7ad6b7169203331-01`,
    )
    expect(status).toBe(500)
    expect(reports).toHaveLength(1)
    const { error, context } = reports[0] as Report
    expect(error).toBe(bug)
    expect(context).toMatchObject({
      message: 'The request failed',
      status: 500,
      requestId: body.requestId,
      trace: { traceId: trace },
      route: { name: 'Things.bug', path: '/things/bug/:id' },
    })
    expect(context.req?.originalUrl).toBe('/things/bug/7')
    expect(Object.keys(context)).not.toContain('user')
    expect(Object.keys(context)).not.toContain('tenant')
    expect(Object.isFrozen(context)).toBe(true)
    expect(errors()).toHaveLength(1)
  })

  it('receives the user and the tenant', async () => {
    const { app, reports } = await start({
      controllers: defineControllers(Tenants),
      tenant: { header: 'X-Tenant-Id', authorize: () => true },
      auth: guard((req) => {
        req.user = { id: 'ann' }
        return true
      }),
    })
    await app.request().get('/tenants/bug').set('X-Tenant-Id', 'acme')
    expect(reports).toMatchObject([{ context: { tenant: 'acme', user: { id: 'ann' } } }])
  })

  it('does not receive a tenant that only the request names', async () => {
    const { app, reports } = await start({
      controllers: defineControllers(Tenants),
      tenant: { header: 'X-Tenant-Id', authorize: fail },
      auth: guard(() => true),
    })
    const { status } = await app.request().get('/tenants/bug').set('X-Tenant-Id', 'acme')
    expect([status, reports.length]).toEqual([500, 1])
    expect(reports[0]?.context).not.toHaveProperty('tenant')
  })

  it.each([
    ['a successful request', '/things/fine/1', 200],
    ['a thrown 404', '/things/missing', 404],
    ['no route', '/nothing', 404],
    ['no credentials', '/things/auth', 401],
  ])('is not called without a server failure: %s', async (_, path, status) => {
    const { get, reports } = await start()
    expect((await get(path)).status).toBe(status)
    expect(reports).toEqual([])
  })

  it('is not called for an error that a plugin explains as a client error', async () => {
    const explain = () => new HttpError(409, 'It is taken')
    const { get, reports } = await start({ plugins: [{ name: 'explains', explain }] })
    expect((await get('/things/bug/7')).status).toBe(409)
    expect(reports).toEqual([])
  })

  it('is called for a 503 response of the handler, and of the handler timeout', async () => {
    const { app, get, reports } = await start()
    expect((await get('/things/busy')).status).toBe(503)
    const pending = get('/things/slow').then(({ status }) => status)
    await turns()
    await app.clock.advance('31s')
    expect(await pending).toBe(503)
    expect(reports.map(({ context }) => context.status)).toEqual([503, 503])
    expect(reports[1]?.error).toMatchObject({ code: 'HANDLER_TIMEOUT' })
  })

  it('is called for errors of middlewares, with the route if the error has one', async () => {
    const broken: Middleware = (req, _res, next) => next(req.path === '/early' ? bug : undefined)
    const router = express.Router().get('/old/:id', fail) as unknown as Middleware
    const { get, reports } = await start({ middlewares: [broken, router] })
    for (const path of ['/early', '/old/7', '/things/used']) {
      expect((await get(path)).status).toBe(500)
    }
    expect(reports.map(({ error }) => error)).toEqual([bug, bug, bug])
    const names = reports.map(({ context }) => context.route?.name)
    expect(names).toEqual([undefined, undefined, 'Things.used'])
  })

  it('is called once for an error, regardless of error middlewares', async () => {
    const passing: ErrorRequestHandler = (error, _req, _res, next) => next(error)
    const hiding: ErrorRequestHandler = (_error, _req, res, _next) => res.status(200).end()
    const { get, reports } = await start({ middlewares: [passing, hiding] })
    expect((await get('/things/bug/7')).status).toBe(200)
    expect(reports).toHaveLength(1)
  })

  it('receives an error of a stream that has begun', async () => {
    const { get, reports } = await start()
    await get('/things/stream').then(
      () => expect.unreachable(),
      () => {},
    )
    await expect.poll(() => reports.length).toBe(1)
    expect(reports[0]).toMatchObject({ error: bug, context: { route: { name: 'Things.stream' } } })
  })

  it('receives errors of plugin observers, and of middlewares after the response', async () => {
    const late: Middleware = async (_req, res, next) => {
      next()
      await new Promise((resolve) => res.once('close', resolve))
      fail()
    }
    const { get, reports } = await start({
      plugins: [{ name: 'observer', steps: () => ({ onResponse: fail, onEnd: fail }) }],
      middlewares: [late],
    })
    expect((await get('/things/fine/1')).status).toBe(200)
    await expect.poll(() => reports.length).toBeGreaterThan(0)
    await turns()
    // One error that fails in three places is one error.
    expect(reports.map(({ error }) => error)).toEqual([bug])
  })

  it('receives the reason why an error format could not be used', async () => {
    const reason = new Error('no format')
    const { get, reports } = await start({
      errors: {
        format: () => {
          throw reason
        },
        schema: { type: 'object' },
      },
    })
    expect((await get('/nothing')).status).toBe(404)
    expect(reports).toMatchObject([{ error: reason, context: { status: 404 } }])
  })

  it('receives errors of background work without a request', async () => {
    const broken = { consume: () => Promise.reject(bug) }
    const { get, reports } = await start({
      rateLimit: { limit: 10, window: '1m', store: broken },
    })
    expect((await get('/things/fine/1')).status).toBe(200)
    expect(reports).toEqual([
      {
        error: bug,
        context: { message: 'The rate limit store failed; requests are counted in this process' },
      },
    ])
  })

  it('receives the error of a background refresh of a cached response', async () => {
    let isBroken = false
    @Controller('prices')
    class Prices {
      @Cache({ ttl: '60s', staleWhileRevalidate: '60s' })
      @Get()
      list() {
        return isBroken ? fail() : []
      }
    }
    const { app, get, reports } = await start({ controllers: [Prices] })
    await get('/prices')
    isBroken = true
    await app.clock.advance('90s')
    expect((await get('/prices')).headers['x-cache']).toBe('STALE')
    await expect.poll(() => reports.length).toBe(1)
    expect(reports[0]).toMatchObject({
      error: bug,
      context: { message: 'A cached response could not be refreshed' },
    })
  })

  it('is not called for the abort reason of a request whose client has disconnected', async () => {
    const { app, get, reports } = await start()
    const pending = get('/things/gone')
    pending.then(
      () => {},
      () => {},
    )
    await turns()
    pending.abort()
    await turns()
    await app.close()
    expect(reports).toEqual([])
  })
})

describe('an error in a guard or another access check', () => {
  const broken = (): boolean => (undefined as unknown as { id: number }).id > 0
  const refusing = (): boolean => {
    throw new Error('the token has expired')
  }

  it('results in a 401 response, and is logged and reported, if it is a programming error in a guard', async () => {
    const { get, reports, errors } = await start({ auth: guard(broken) })
    expect((await get('/things/auth')).status).toBe(401)
    expect(errors().map(({ facts }) => facts['err'])).toEqual([expect.any(TypeError)])
    expect(reports).toMatchObject([
      {
        error: errors()[0]?.facts['err'],
        context: { status: 401, route: { name: 'Things.auth' } },
      },
    ])
  })

  it('is reported on a route with optional auth, for a request with credentials', async () => {
    const { get, reports } = await start({ auth: guard(broken) })
    expect((await get('/things/optional')).status).toBe(200)
    expect((await get('/things/optional').set('Authorization', 'Bearer x')).status).toBe(401)
    expect(reports).toMatchObject([{ error: expect.any(TypeError), context: { status: 401 } }])
  })

  it('is reported if it occurs before a router of tenantRouter()', async () => {
    const router = tenantRouter(express.Router().get('/old', (_req, res) => void res.end('old')))
    const { app, reports } = await start({
      auth: guard(broken),
      tenant: { header: 'X-Tenant-Id' },
      middlewares: [router as unknown as Middleware],
    })
    const { status } = await app.request().get('/old').set('X-Tenant-Id', 'acme')
    expect([status, reports.length]).toEqual([401, 1])
    expect(reports[0]?.context).not.toHaveProperty('route')
  })

  it('is not reported when the guard refuses with its own error', async () => {
    const { get, reports, errors } = await start({ auth: guard(refusing) })
    expect((await get('/things/auth')).status).toBe(401)
    expect([reports, errors()]).toEqual([[], []])
  })

  it('is reported at most 20 times in a burst, because clients can cause it', async () => {
    const { app, get, reports } = await start({ auth: guard(broken) })
    await app.clock.advance(0)
    const send = async () => {
      for (let i = 0; i < 25; i++) await get('/things/auth')
      return reports.length
    }
    expect(await send()).toBe(20)
    // One more for each second since then, and never more than 20.
    await app.clock.advance('2s')
    expect(await send()).toBe(22)
    await app.clock.advance('1s')
    expect(await send()).toBe(23)
    await app.clock.advance('1h')
    expect(await send()).toBe(43)
  })

  it.each([
    ['auth.can', '/things/can', { auth: { ...guard(() => true), can: fail } }],
    [
      'a rejecting auth.can',
      '/things/can',
      {
        auth: { ...guard(() => true), can: () => Promise.reject(bug) },
      },
    ],
    ['@Use', '/things/used', {}],
    ['a middleware that authenticates', '/things/fine/1', { middlewares: [fail] }],
  ] satisfies [string, string, TestOptions][])(
    'results in a 500 response, and is logged and reported, if it occurs outside of guards: %s',
    async (_, path, options) => {
      const { get, reports, errors } = await start(options)
      expect((await get(path)).status).toBe(500)
      expect(reports).toMatchObject([{ error: bug, context: { status: 500 } }])
      expect(errors()).toHaveLength(1)
    },
  )

  it.each([
    ['throws', fail],
    ['rejects', () => Promise.reject(bug)],
  ])(
    'results in a 500 response, and is logged and reported, if tenant.authorize %s',
    async (_, authorize) => {
      const { app, reports, errors } = await start({
        controllers: defineControllers(Tenants),
        auth: guard(() => true),
        tenant: { header: 'X-Tenant-Id', authorize },
      })
      const { status } = await app.request().get('/tenants/bug').set('X-Tenant-Id', 'acme')
      expect(status).toBe(500)
      expect([reports.length, errors().length]).toEqual([1, 1])
      expect(errors()[0]?.facts).toMatchObject({ claimedTenant: 'acme' })
    },
  )
})

describe('the `onError` function', () => {
  const reason = new Error('the tracker is down')

  it.each([
    [
      'throws',
      () => {
        throw reason
      },
    ],
    ['rejects', () => Promise.reject(reason)],
    [
      'returns a thenable that throws',
      () => ({
        then() {
          throw reason
        },
      }),
    ],
  ])('affects only the log if it %s', async (_, onError) => {
    let calls = 0
    const { get, errors } = await start({
      onError: () => {
        calls++
        return onError()
      },
    })
    const { status, body } = await get('/things/bug/7')
    expect([status, body.code]).toEqual([500, 'INTERNAL_SERVER_ERROR'])
    await turns()
    expect(errors().map(({ facts }) => facts['err'])).toEqual([bug, reason])
    expect(calls).toBe(1)
    expect((await get('/things/fine/1')).status).toBe(200)
  })

  it('changes no response if it throws, even when the logger fails', async () => {
    const logger: Logger = { info() {}, warn() {}, error: fail }
    const { get } = await start({
      logger,
      onError: () => {
        throw reason
      },
    })
    expect((await get('/things/bug/7')).status).toBe(500)
  })

  it('is not awaited', async () => {
    const sent = gate()
    let isReported = false
    const { get } = await start({
      onError: async () => {
        await sent.opened
        isReported = true
      },
    })
    expect((await get('/things/bug/7')).status).toBe(500)
    expect(isReported).toBe(false)
    sent.open()
    await turns()
    expect(isReported).toBe(true)
  })
})
