import { createServer } from 'node:http'
import {
  App,
  Auth,
  Controller,
  createTenantMiddleware,
  defineControllers,
  Get,
  getTenantId,
  type Middleware,
  NotFoundError,
  publicRouter,
  type Request,
  type Response,
  tenantRouter,
} from 'blazon'
import express from 'express'
import { beforeEach, describe, expect, it } from 'vitest'
import { appsOfTest, send } from './support.js'

/** The names of the middlewares and routes that ran, in order. */
let ran: string[] = []

beforeEach(() => {
  ran = []
})

@Controller()
class Routes {
  @Get('route') route(_req: Request, res: Response) {
    ran.push('route')
    res.json(ran)
  }

  @Get('fails') fails() {
    throw new Error('of the route')
  }

  @Get('missing-row') missing() {
    throw new NotFoundError('No such row')
  }

  @Get('guarded') @Auth() guarded() {
    ran.push('guarded')
    return 'secret'
  }
}

const controllers = defineControllers(Routes)
const note =
  (name: string): Middleware =>
  (_req, _res, next) => {
    ran.push(name)
    next()
  }
const failing =
  (name: string): Middleware =>
  (_req, _res, next) => {
    ran.push(name)
    next(new Error(name))
  }
const throwing: Middleware = async () => {
  ran.push('throwing')
  throw new Error('thrown')
}
/** Calls next() in place of the error, with these arguments. */
const swallow =
  (...args: unknown[]): Middleware =>
  (error, _req, _res, next) => {
    ran.push(`swallow ${error.message}`)
    next(...(args as []))
  }
const swallowLater: Middleware = (_error, _req, _res, next) => {
  ran.push('later')
  setImmediate(next)
}
const passOn: Middleware = (error, _req, _res, next) => {
  ran.push(`pass ${error.message}`)
  next(error)
}
const router = (...inner: Middleware[]): Middleware => {
  const made = express.Router()
  made.use(...(inner as never[]))
  return made as Middleware
}

/** The middlewares for Express and for the App. The route follows them. */
const STACKS: Record<string, () => Middleware[]> = {
  'one error middleware': () => [failing('a'), swallow(), note('b')],
  'several middlewares': () => [failing('a'), note('skipped'), swallow(), note('b')],
  'next(null)': () => [failing('a'), swallow(null), note('b')],
  'next(undefined)': () => [failing('a'), swallow(undefined), note('b')],
  "next('route')": () => [failing('a'), swallow('route'), note('b')],
  "next('router') with status 404": () => [failing('a'), swallow('router'), note('b')],
  'after a rejection': () => [throwing, swallow(), note('b')],
  'next() later': () => [failing('a'), swallowLater, note('b')],
  'the second error middleware': () => [failing('a'), passOn, swallow(), note('b')],
  'another error middleware after it': () => [failing('a'), swallow(), passOn, note('b')],
  'two errors': () => [failing('a'), swallow(), failing('b'), swallow(), note('c')],
  'two calls of next': () => [
    failing('a'),
    (_error, _req, _res, next) => {
      next()
      next()
    },
    note('b'),
  ],
  'an error of a router': () => [router(note('in'), failing('a')), swallow(), note('b')],
  'an error middleware in a router': () => [router(failing('a'), swallow(), note('in')), note('b')],
  'an error of an application': () => [
    express().use(failing('a') as express.RequestHandler) as Middleware,
    swallow(),
    note('b'),
  ],
}

describe('an error middleware that calls next() without an error', () => {
  const apps = appsOfTest('off')

  async function both(stack: () => Middleware[], path: string) {
    const bare = express()
    bare.use(...(stack() as never[]))
    bare.get('/route', (_req, res) => {
      ran.push('route')
      res.json(ran)
    })
    const { port } = await apps.listening({ controllers, middlewares: stack() })
    const ports = [await apps.serving(createServer(bare)), port]
    const [theirs, ours] = await inOrder(ports, async (each) => {
      ran = []
      const { status } = await send(each, { path })
      return { status, ran }
    })
    return { theirs, ours }
  }

  it.each(Object.keys(STACKS))('continues the request exactly as in Express: %s', async (name) => {
    const { theirs, ours } = await both(STACKS[name] as () => Middleware[], '/route')
    expect(ours).toEqual(theirs)
    expect(ours?.status).toBe(name.endsWith('404') ? 404 : 200)
  })

  it('receives errors of later middlewares, and continues after them', async () => {
    // Express calls only the error middlewares that follow the error.
    const app = await apps.inProcess({
      controllers,
      middlewares: [swallow(), note('a'), failing('b'), note('c')],
    })
    const { body } = await app.request().get('/route')
    expect(body).toEqual(['a', 'b', 'swallow b', 'c', 'route'])
  })

  it('causes a 404 response if the route itself has failed', async () => {
    const seen: string[] = []
    const app = await apps.inProcess({
      controllers,
      middlewares: [
        swallow(),
        (error, _req, _res, next) => {
          seen.push(`${error.name} ${error.status}`)
          next(error)
        },
      ],
    })
    for (const path of ['/fails', '/missing-row']) {
      const { status, body } = await app.request().get(path)
      expect([status, body.code, body.message]).toEqual([404, 'NOT_FOUND', 'Not Found'])
    }
    expect(seen).toEqual(['NotFoundError 404', 'NotFoundError 404'])
    const bare = express()
    bare.get('/fails', () => {
      throw new Error('of the route')
    })
    bare.use(swallow() as unknown as express.ErrorRequestHandler)
    const port = await apps.serving(createServer(bare))
    expect((await send(port, { path: '/fails' })).status).toBe(404)
  })

  it('cannot continue a request that the guard has refused', async () => {
    const middlewares = [swallow()]
    const app = await apps.inProcess({
      controllers,
      middlewares,
      auth: { guard: { canActivate: () => false } },
    })
    expect((await app.request().get('/guarded')).status).toBe(404)
    expect(ran).toEqual(['swallow Authentication is required'])
  })

  it.each([
    ['a path without a route', 'GET', '/nowhere', {}, 404, 'NOT_FOUND'],
    ['a method without a route', 'PUT', '/route', {}, 405, 'METHOD_NOT_ALLOWED'],
    ['a path that cannot be decoded', 'GET', '/%E0%A4%A', {}, 400, 'MALFORMED_URL'],
    ['a target with another host', 'GET', 'http://b.example/route', {}, 400, 'MALFORMED_URL'],
    ['an invalid tenant', 'GET', '/route', { 'x-tenant-id': '../x' }, 400, 'TENANT_INVALID'],
    ['too many headers', 'GET', '/route', manyHeaders(), 431, 'REQUEST_HEADER_FIELDS_TOO_LARGE'],
  ])('cannot continue a request with %s', async (_, method, path, headers, status, code) => {
    const { port } = await apps.listening({
      controllers,
      middlewares: [swallow(), note('b')],
      tenant: {},
    })
    const answer = await send(port, { method, path, headers })
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([status, code])
    expect(ran).not.toContain('route')
  })

  it('cannot continue a request that CORS has refused', async () => {
    const origin = (_origin: unknown, done: (error: Error) => void) => done(new Error('no origin'))
    const { port } = await apps.listening({
      controllers,
      middlewares: [swallow(), note('b')],
      security: { helmet: false, cors: { origin } as never },
    })
    const { status } = await send(port, {
      path: '/route',
      headers: { origin: 'https://a.example' },
    })
    expect(status).toBe(500)
    expect(ran).toEqual(['swallow no origin'])
  })

  it('causes one log entry for the error, and does not abort req.signal', async () => {
    const logged: unknown[] = []
    let failed: unknown
    const app = await apps.inProcess({
      controllers,
      logger: { info() {}, warn() {}, error: (facts: object) => logged.push(facts) },
      middlewares: [
        failing('a'),
        swallowLater,
        (req, _res, next) => {
          failed = req.signal.aborted
          next()
        },
      ],
    })
    expect((await app.request().get('/route')).status).toBe(200)
    expect(logged).toMatchObject([{ err: { message: 'a' }, status: 500 }])
    expect(failed).toBe(false)
  })

  it('continues the request after a waiting middleware that a late error has stopped', async () => {
    const app = await apps.inProcess({
      controllers,
      middlewares: [
        (_req, _res, next) => {
          setImmediate(next, new Error('late'))
          next()
        },
        () => {
          ran.push('hangs')
        },
        swallow(),
        note('b'),
      ],
    })
    expect((await app.request().get('/route')).body).toEqual([
      'hangs',
      'swallow late',
      'b',
      'route',
    ])
  })

  it('cannot continue the request after the response or after the handler timeout', async () => {
    const done: Promise<void>[] = []
    const app = await apps.inProcess({
      controllers,
      timeouts: { handler: '20ms' },
      middlewares: [
        failing('a'),
        (_error, req, res, next) => {
          if (req.query.answer !== undefined) {
            res.status(409).json({})
            return next()
          }
          done.push(
            new Promise((resolve) => {
              res.once('finish', () => {
                next()
                resolve()
              })
            }),
          )
        },
      ],
    })
    expect((await app.request().get('/route?answer')).status).toBe(409)
    expect((await app.request().get('/route')).status).toBe(503)
    await Promise.all(done)
    expect(ran).toEqual(['a', 'a'])
  })

  it('continues without the tenant and the user that a tenantRouter() has set', async () => {
    const guard = {
      canActivate: (req: Request) => {
        req.user = { id: 'ann' }
        return true
      },
    }
    const seen: unknown[] = []
    const look = (place: string): Middleware => {
      return (req, _res, next) => {
        seen.push([place, getTenantId(), req.user])
        next()
      }
    }
    const inner = express.Router()
    inner.use(
      look('in') as express.RequestHandler,
      failing('of the router') as express.RequestHandler,
    )
    const app = await apps.inProcess({
      controllers,
      auth: { guard },
      tenant: { authorize: () => true },
      middlewares: [
        tenantRouter(inner),
        (_error, _req, _res, next) => {
          seen.push(['error', getTenantId()])
          next()
        },
        publicRouter(express.Router().use(look('after') as express.RequestHandler)),
      ],
    })
    const { status } = await app.request().get('/route').set('X-Tenant-ID', 'acme')
    expect(status).toBe(200)
    expect(seen).toEqual([
      ['in', 'acme', { id: 'ann' }],
      ['error', 'acme'],
      ['after', undefined, undefined],
    ])
  })

  it.each<[string, Middleware, number]>([
    ['createTenantMiddleware because of an invalid ID', createTenantMiddleware({}), 400],
    [
      'createTenantMiddleware because of a missing ID',
      createTenantMiddleware({ required: true, header: 'x-other' }),
      400,
    ],
    [
      'createTenantMiddleware because of an unknown tenant',
      createTenantMiddleware({ store: { find: async () => null } }),
      404,
    ],
    ['tenantRouter', tenantRouter(express.Router()), 401],
  ])('cannot continue a request that is refused by %s', async (_, middleware, status) => {
    const app = await apps.inProcess({
      controllers,
      middlewares: [middleware, swallow(), note('b')],
      ...(status === 401 ? { auth: { guard: { canActivate: () => false } }, tenant: {} } : {}),
    })
    const id = status === 400 ? '../x' : 'acme'
    const answer = await app.request().get('/route').set('X-Tenant-ID', id)
    expect(answer.status).toBe(status)
    expect(ran).not.toContain('b')
  })

  it('continues in the outer application if no route matches', async () => {
    const app = apps.track(
      new App({ controllers, middlewares: [failing('a'), swallow()], logger: false }),
    )
    const host = express()
    host.use(app.handler)
    host.get('/theirs', (_req, res) => {
      res.send('theirs')
    })
    const port = await apps.serving(createServer(host))
    expect((await send(port, { path: '/theirs' })).text).toBe('theirs')
    expect((await send(port, { path: '/route' })).status).toBe(200)
  })
})

function manyHeaders(): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 220 }, (_, index) => [`x-${index}`, '1']))
}

async function inOrder<T, U>(list: readonly T[], run: (each: T) => Promise<U>): Promise<U[]> {
  const results: U[] = []
  for (const each of list) results.push(await run(each))
  return results
}
