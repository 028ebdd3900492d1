import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import {
  App,
  Auth,
  Cache,
  Controller,
  defineControllers,
  Get,
  getTenantId,
  type Middleware,
  type NextFunction,
  type Request,
  type Response,
  ServiceUnavailableError,
} from 'blazon'
import express, { type ErrorRequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { appsOfTest, send } from './support.js'

/** Events by which a test and a handler wait for each other. */
let signals = new EventEmitter()
let aborted: unknown
let ran: string[] = []

@Controller()
class Slow {
  @Get('never') never(req: Request) {
    req.signal.addEventListener('abort', () => {
      aborted = req.signal.reason
    })
    signals.emit('started', req)
    return new Promise(() => {})
  }

  @Get('returns') async returns(req: Request) {
    signals.emit('started', req)
    await once(signals, 'go')
    setImmediate(() => signals.emit('done'))
    return { late: true }
  }

  @Get('answers') answers(req: Request, res: Response) {
    signals.once('go', () => {
      res.status(201).set('X-Late', '1').json({ late: true })
      signals.emit('done')
    })
    signals.emit('started', req)
  }

  @Get('throws') async throws(req: Request) {
    signals.emit('started', req)
    await once(signals, 'go')
    setImmediate(() => signals.emit('done'))
    throw new Error('the handler itself')
  }

  @Get('fine') fine() {
    ran.push('fine')
    return 'fine'
  }

  @Get('guarded') @Auth() guarded() {
    ran.push('guarded')
    return 'guarded'
  }

  @Get('cached') @Cache({ ttl: 60 }) async cached(req: Request) {
    signals.emit('started', req)
    await once(signals, 'go')
    return { made: true }
  }
}

const controllers = defineControllers(Slow)

describe('an error that a middleware passes after it has called next()', () => {
  const apps = appsOfTest('off')
  /** Calls next(), and next(error) as soon as the route has started. */
  const late =
    (error: unknown): Middleware =>
    (_req, _res, next) => {
      signals.once('started', () => setImmediate(next, error))
      next()
    }
  const render: Middleware = (error, _req, res, _next) => {
    res.status(error.status ?? 500).json({ rendered: error.message })
  }

  async function start(middlewares: Middleware[], options: object = {}) {
    signals = new EventEmitter()
    aborted = undefined
    ran = []
    const logged: Record<string, unknown>[] = []
    const logger = {
      info() {},
      warn() {},
      error: (facts: object) => logged.push(facts as Record<string, unknown>),
    }
    const app = await apps.inProcess({ controllers, middlewares, logger, ...options })
    return { app, logged }
  }

  it('results in one error response and one log entry if nothing has been sent', async () => {
    const { app, logged } = await start([late(new Error('store lost'))])
    const { status, body } = await app.request().get('/never')
    expect([status, body.code]).toEqual([500, 'INTERNAL_SERVER_ERROR'])
    expect(logged).toMatchObject([{ err: { message: 'store lost' }, url: '/never', status: 500 }])
    expect(logged).toHaveLength(1)
    expect(aborted).toMatchObject({ message: 'store lost' })
  })

  it('is passed to the error middlewares, even for a HEAD request', async () => {
    const { app, logged } = await start([late(new ServiceUnavailableError('busy')), render])
    const { status, body } = await app.request().get('/never')
    expect([status, body]).toEqual([503, { rendered: 'busy' }])
    expect((await app.request().head('/never')).status).toBe(503)
    expect(logged).toHaveLength(2)
  })

  it('is logged even if it has a 4xx status', async () => {
    const { app, logged } = await start([late(Object.assign(new Error('no'), { status: 409 }))])
    expect((await app.request().get('/never')).status).toBe(409)
    expect(logged).toMatchObject([{ err: { message: 'no' }, status: 409 }])
  })

  it.each<[string, Middleware]>([
    [
      'thrown',
      (_req, _res, next) => {
        next()
        throw new Error('behind next')
      },
    ],
    [
      'rejected',
      async (_req, _res, next) => {
        next()
        throw new Error('behind next')
      },
    ],
  ])('can be %s after next()', async (_, middleware) => {
    const { app, logged } = await start([middleware])
    expect((await app.request().get('/never')).status).toBe(500)
    expect(logged).toMatchObject([{ err: { message: 'behind next' }, status: 500 }])
  })

  it.each(['returns', 'answers', 'throws'])(
    'results in the only response even if the handler %s later',
    async (path) => {
      const { app, logged } = await start([late(new Error('late'))])
      const { status, headers } = await app.request().get(`/${path}`)
      expect([status, headers['x-late']]).toEqual([500, undefined])
      const done = once(signals, 'done')
      signals.emit('go')
      await done
      expect((await app.request().get('/fine')).status).toBe(200)
      expect(logged[0]).toMatchObject({ err: { message: 'late' } })
      expect(logged).toHaveLength(path === 'throws' ? 2 : 1)
    },
  )

  it('results in the only response even if the error middleware responds after the handler', async () => {
    const slow: Middleware = async (error, _req, res, _next) => {
      const done = once(signals, 'done')
      signals.emit('go')
      await done
      res.status(503).json({ rendered: error.message })
    }
    const { app } = await start([late(new Error('late')), slow])
    const { status, body } = await app.request().get('/returns')
    expect([status, body]).toEqual([503, { rendered: 'late' }])
  })

  it('allows an error middleware to send its response in pieces', async () => {
    const stream: Middleware = (_error, _req, res, _next) => {
      res.status(500).type('text').write('one ')
      signals.emit('go')
      setImmediate(() => res.end('two'))
    }
    const { app } = await start([late(new Error('late')), stream])
    const { status, text } = await app.request().get('/returns')
    expect([status, text]).toEqual([500, 'one two'])
  })

  it('is logged, but not passed to error middlewares, if a response has already been sent', async () => {
    const seen: unknown[] = []
    const note: Middleware = (error, _req, _res, next) => {
      seen.push(error)
      next(error)
    }
    let next: NextFunction = () => {}
    const { app, logged } = await start([
      (_req, _res, goOn) => {
        next = goOn
        goOn()
      },
      note,
    ])
    expect((await app.request().get('/fine')).status).toBe(200)
    next(new Error('much later'))
    next()
    expect(logged).toMatchObject([{ err: { message: 'much later' }, url: '/fine' }])
    expect(seen).toEqual([])
  })

  it('is logged in addition to an earlier error that has not been sent yet', async () => {
    const twice: Middleware = (_req, _res, next) => {
      next(new Error('first'))
      next(new Error('second'))
    }
    const slow: Middleware = (error, _req, _res, next) => setImmediate(next, error)
    const { app, logged } = await start([twice, slow])
    expect((await app.request().get('/fine')).status).toBe(500)
    expect(logged.map(({ err }) => (err as Error).message)).toEqual(['first', 'second'])
    expect(ran).toEqual([])
  })

  it('stops a waiting middleware, whose next() then has no effect', async () => {
    const waiting: Middleware = (_req, _res, next) => {
      signals.once('go', () => {
        next()
        signals.emit('done')
      })
      signals.emit('started')
    }
    const { app, logged } = await start([late(new Error('late')), waiting])
    expect((await app.request().get('/fine')).status).toBe(500)
    signals.emit('go')
    expect(ran).toEqual([])
    expect(logged).toHaveLength(1)
  })

  it('prevents the handler from running if the guard is still waiting', async () => {
    const guard = {
      canActivate: () => {
        signals.emit('started')
        return once(signals, 'go').then(() => true)
      },
    }
    for (const timeouts of [{}, { handler: false as const }]) {
      const { app } = await start([late(new Error('late'))], { auth: { guard }, timeouts })
      expect((await app.request().get('/guarded')).status).toBe(500)
      signals.emit('go')
      await new Promise(setImmediate)
      expect(ran).toEqual([])
    }
  })

  it('is not cached, even if an error middleware responds with 200', async () => {
    const errors = [new Error('late')]
    const { app } = await start([
      (_req, _res, next: (error: unknown) => void) => {
        const error = errors.pop()
        const settle = () => (error === undefined ? signals.emit('go') : next(error))
        signals.once('started', () => setImmediate(settle))
        next(undefined)
      },
      // A response that the cache would store if it were not for an error.
      (_error, _req, res, _next) => res.status(200).json({ made: false }),
    ])
    expect((await app.request().get('/cached')).body).toEqual({ made: false })
    signals.emit('go')
    expect((await app.request().get('/cached')).body.data).toEqual({ made: true })
  })

  it('reaches the error middleware in the tenant context of the request', async () => {
    const seen: unknown[] = []
    const { app, logged } = await start(
      [
        late(new Error('late')),
        (error, _req, _res, next) => {
          seen.push(getTenantId())
          next(error)
        },
      ],
      { tenant: {} },
    )
    expect((await app.request().get('/never').set('X-Tenant-ID', 'acme')).status).toBe(500)
    expect(seen).toEqual(['acme'])
    expect(logged).toMatchObject([{ tenant: 'acme' }])
  })

  it('is also handled if an Express router passes it', async () => {
    const router = express.Router()
    router.use('/never', (_req, _res, next) => {
      signals.once('started', () => setImmediate(() => next(new Error('from a router'))))
      next()
    })
    for (const middleware of [router, express().use(router)]) {
      const { app, logged } = await start([middleware as Middleware, render])
      const { status, body } = await app.request().get('/never')
      expect([status, body]).toEqual([500, { rendered: 'from a router' }])
      expect(logged).toHaveLength(1)
    }
  })

  it('is handled by the application that processes the request at that time', async () => {
    signals = new EventEmitter()
    const { app } = await apps.listening({ controllers, middlewares: [late(new Error('late'))] })
    const host = express()
    host.use(app.handler)
    host.get('/theirs', () => signals.emit('started'))
    host.use(((error, _req, res, _next) => {
      res
        .status(500)
        .send(`theirs: ${error.message} ${Object.getPrototypeOf(res) === host.response}`)
    }) as express.ErrorRequestHandler)
    const port = await apps.serving(createServer(host))
    const theirs = await send(port, { path: '/theirs' })
    expect([theirs.status, theirs.text]).toEqual([500, 'theirs: late true'])
    const ours = await send(port, { path: '/never' })
    expect([ours.status, JSON.parse(ours.text).code]).toEqual([500, 'INTERNAL_SERVER_ERROR'])
  })

  it('is handled by its own App after another App has passed the request on', async () => {
    signals = new EventEmitter()
    const first = apps.track(new App({ controllers: [], logger: false }))
    const render: ErrorRequestHandler = (error, _req, res, _next) => {
      res.status(500).send(`ours: ${error.message} ${'signal' in res.req}`)
    }
    const middlewares = [late(new Error('late')), render]
    const second = apps.track(
      new App({ controllers, logger: false, security: { helmet: false }, middlewares }),
    )
    const host = express().use(first.handler, second.handler)
    const inHost = await send(await apps.serving(createServer(host)), { path: '/never' })
    expect([inHost.status, inHost.text]).toEqual([500, 'ours: late true'])

    const inner = apps.track(new App({ controllers: [], logger: false }))
    const { port } = await apps.listening({
      controllers,
      middlewares: [inner.handler as Middleware, ...middlewares],
    })
    const inApp = await send(port, { path: '/never' })
    expect([inApp.status, inApp.text]).toEqual([500, 'ours: late true'])
  })
})

describe('an error middleware', () => {
  const apps = appsOfTest('off')

  it('causes a log line but no second response if it throws after next(error)', async () => {
    const logged: unknown[] = []
    const app = await apps.inProcess({
      controllers,
      logger: {
        info() {},
        warn() {},
        error: ({ err }: { err?: Error }) => logged.push(err?.message),
      },
      middlewares: [
        (_req, _res, next) => next(new Error('first')),
        (error, _req, _res, next) => {
          next(error)
          next(error)
          throw new Error('its own')
        },
      ],
    })
    expect((await app.request().get('/fine')).status).toBe(500)
    expect(logged).toEqual(['first', 'its own'])
  })

  it('causes a log line and leaves the status at 404 if it throws after next()', async () => {
    signals = new EventEmitter()
    const logged: unknown[] = []
    const own = new Error('its own')
    const app = await apps.inProcess({
      controllers,
      logger: {
        info() {},
        warn() {},
        error: ({ err }: { err?: Error }) => logged.push(err?.message),
      },
      middlewares: [
        (_req, _res, next) => next(new Error('first')),
        (_error, _req, _res, next) => {
          next()
          throw own
        },
      ],
    })
    expect((await app.request().get('/never')).status).toBe(404)
    expect(logged).toEqual(['first', 'its own'])
  })
})
