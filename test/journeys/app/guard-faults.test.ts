import { runInNewContext } from 'node:vm'
import {
  Auth,
  Can,
  Controller,
  defineControllers,
  Get,
  type Middleware,
  type Request,
  ServiceUnavailableError,
  Tenant,
  tenantRouter,
} from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'

@Controller('vault')
class Vault {
  @Auth() @Get(':door') open() {
    return 'open'
  }

  @Can('open') @Get('can/:door') can() {
    return 'open'
  }

  @Auth() @Tenant() @Get('tenant/:door') tenant() {
    return 'open'
  }
}

const controllers = defineControllers(Vault)
const user: NonNullable<Request['user']> = { id: 'ann', roles: [] }

let app: TestApp
afterEach(() => app.close())

async function start(options: TestOptions) {
  const logged: Record<string, unknown>[] = []
  const logger = {
    info() {},
    warn() {},
    error: (facts: object, message: string) => void logged.push({ ...facts, message }),
  }
  app = await TestApp.create({ controllers, logger, contract: 'off', ...options })
  return logged
}

function foreignError(code: string): Error {
  return runInNewContext(code) as Error
}

const named = (name: string, facts: object = {}) =>
  Object.assign(new Error('what is said of it'), { name, ...facts })

const FAULTS: Record<string, () => unknown> = {
  'a TypeError': () => (undefined as unknown as { id: string }).id,
  'a ReferenceError': () => {
    throw new ReferenceError('user is not defined')
  },
  'a RangeError': () => 'x'.repeat(-1),
  'a SyntaxError': () => JSON.parse('{'),
  'a URIError': () => decodeURIComponent('%'),
  'a TypeError of another realm': () => {
    throw foreignError('new TypeError("elsewhere")')
  },
  'a rejected TypeError': () => Promise.reject(new TypeError('later')),
  'a server that is not there': () => fetch('http://127.0.0.1:1/keys'),
  'a name that is not found': () =>
    Promise.reject(named('Error', { code: 'ENOTFOUND', syscall: 'getaddrinfo' })),
  'a connection that was refused': () => Promise.reject(named('Error', { code: 'ECONNREFUSED' })),
  'a statement that PostgreSQL refuses': () =>
    Promise.reject(named('error', { code: '42P01', severity: 'ERROR' })),
  'a statement that MySQL refuses': () =>
    Promise.reject(named('Error', { code: 'ER_NO_SUCH_TABLE', sqlState: '42S02' })),
  'an error of a client': () => Promise.reject(named('PrismaClientInitializationError')),
  'one that has a fault as its cause': () =>
    Promise.reject(new Error('no keys', { cause: named('Error', { code: 'ETIMEDOUT' }) })),
  'one that has collected a fault': () =>
    Promise.reject(new AggregateError([new Error('expired'), new TypeError('no key')])),
}

const REFUSALS: Record<string, () => unknown> = {
  'an error of its own': () => {
    throw new Error('expired')
  },
  'what a library says of a token': () => Promise.reject(named('TokenExpiredError')),
  'a code of a library': () => Promise.reject(named('JWTExpired', { code: 'ERR_JWT_EXPIRED' })),
  'several tokens that do not fit': () =>
    Promise.reject(new AggregateError([new Error('expired'), new Error('forged')])),
  nothing: () => Promise.reject(),
  'a text': () => Promise.reject('no'),
  'a proxy that throws': () =>
    Promise.reject(
      new Proxy(
        {},
        {
          get() {
            throw new Error('never look')
          },
        },
      ),
    ),
  'causes in a circle': () => {
    const error = new Error('round')
    error.cause = error
    throw error
  },
  'a decision': () => {
    throw Object.assign(new Error('closed'), { status: 403, statusCode: 403, expose: true })
  },
  false: () => false,
}

describe('a guard that is broken', () => {
  it.each(Object.keys(FAULTS))('lets nobody in, and the log knows: %s', async (name) => {
    const guard = { canActivate: FAULTS[name] as () => boolean }
    const logged = await start({
      auth: { guard },
      middlewares: [
        (req, _res, next) => {
          req.id = 'r-1'
          next()
        },
      ],
    })
    const { status, body, headers } = await app.request().get('/vault/7')
    expect([status, body.code, headers['www-authenticate']]).toEqual([
      401,
      'UNAUTHORIZED',
      'Bearer',
    ])
    expect(logged).toEqual([
      {
        err: expect.anything(),
        method: 'GET',
        url: '/vault/7',
        route: '/vault/:door',
        requestId: 'r-1',
        status: 401,
        message: 'The guard failed, so the request was refused',
      },
    ])
  })

  it.each(Object.keys(REFUSALS))('is none where it turns somebody away: %s', async (name) => {
    const guard = { canActivate: REFUSALS[name] as () => boolean }
    const logged = await start({ auth: { guard } })
    const { status } = await app.request().get('/vault/7')
    expect(status).toBe(name === 'a decision' ? 403 : 401)
    expect(logged).toEqual([])
  })

  it('cannot be made to flood the log', async () => {
    const guard = { canActivate: FAULTS['a SyntaxError'] as () => boolean }
    const logged = await start({ auth: { guard } })
    // Time stands still from now on.
    await app.clock.advance('1s')
    for (let i = 0; i < 30; i++) expect((await app.request().get('/vault/7')).status).toBe(401)
    expect(logged).toHaveLength(20)
    await app.clock.advance('3s')
    for (let i = 0; i < 5; i++) await app.request().get('/vault/7')
    expect(logged).toHaveLength(23)
  })

  it('is known to the log before a router, too', async () => {
    const router = express.Router().get('/inner', (_req, res) => void res.json({}))
    const guard = { canActivate: FAULTS['a TypeError'] as () => boolean }
    const logged = await start({
      auth: { guard },
      tenant: {},
      middlewares: [tenantRouter(router, { path: '/old' }) as Middleware],
    })
    const { status } = await app.request().get('/old/inner').set('X-Tenant-ID', 'acme')
    expect(status).toBe(401)
    expect(logged).toMatchObject([{ err: { name: 'TypeError' }, status: 401 }])
    expect(logged[0]).not.toHaveProperty('route')
  })
})

describe('what is asked beside a guard', () => {
  const guard = {
    canActivate: (req: Request) => {
      req.user = user
      return true
    },
  }
  const broken = () => {
    throw new TypeError('broken')
  }

  it.each<[string, string, TestOptions]>([
    ['auth.can', '/vault/can/7', { auth: { guard, can: broken } }],
    [
      'tenant.authorize',
      '/vault/tenant/7',
      { auth: { guard }, tenant: { authorize: broken as never } },
    ],
    [
      'a strategy',
      '/vault/7',
      { auth: { guard }, tenant: { header: false, strategies: [broken] } },
    ],
    ['tenant.store', '/vault/7', { auth: { guard }, tenant: { store: { find: broken } } }],
  ])('fails loudly where it is broken: %s', async (_, path, options) => {
    const logged = await start(options)
    const { status } = await app.request().get(path).set('X-Tenant-ID', 'acme')
    expect(status).toBeGreaterThanOrEqual(500)
    expect(logged).toHaveLength(1)
    const { err } = logged[0] as { err: Error }
    expect(String(err.cause ?? err)).toBe('TypeError: broken')
  })

  it('keeps the status of what says that it cannot answer now', async () => {
    const logged = await start({
      auth: {
        guard: {
          canActivate() {
            throw new ServiceUnavailableError('no keys yet')
          },
        },
      },
    })
    expect((await app.request().get('/vault/7')).status).toBe(503)
    expect(logged).toMatchObject([{ status: 503, route: '/vault/:door' }])
  })
})
