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
  'a request to a server that does not run': () => fetch('http://127.0.0.1:1/keys'),
  'a host name that cannot be resolved': () =>
    Promise.reject(named('Error', { code: 'ENOTFOUND', syscall: 'getaddrinfo' })),
  'a refused connection': () => Promise.reject(named('Error', { code: 'ECONNREFUSED' })),
  'an error of PostgreSQL': () =>
    Promise.reject(named('error', { code: '42P01', severity: 'ERROR' })),
  'an error of MySQL': () =>
    Promise.reject(named('Error', { code: 'ER_NO_SUCH_TABLE', sqlState: '42S02' })),
  'an error of a database client': () => Promise.reject(named('PrismaClientInitializationError')),
  'an error whose cause is a fault': () =>
    Promise.reject(new Error('no keys', { cause: named('Error', { code: 'ETIMEDOUT' }) })),
  'an AggregateError that contains a fault': () =>
    Promise.reject(new AggregateError([new Error('expired'), new TypeError('no key')])),
}

const REFUSALS: Record<string, () => unknown> = {
  'an Error': () => {
    throw new Error('expired')
  },
  'an error of a token library': () => Promise.reject(named('TokenExpiredError')),
  'an error with a code of a library': () =>
    Promise.reject(named('JWTExpired', { code: 'ERR_JWT_EXPIRED' })),
  'an AggregateError of two refusals': () =>
    Promise.reject(new AggregateError([new Error('expired'), new Error('forged')])),
  'a rejection without a reason': () => Promise.reject(),
  'a rejection with a string': () => Promise.reject('no'),
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
  'an error with the status 403': () => {
    throw Object.assign(new Error('closed'), { status: 403, statusCode: 403, expose: true })
  },
  'the return value false': () => false,
}

describe('the log of guard failures', () => {
  it.each(Object.keys(FAULTS))(
    'contains a fault that the client receives as a 401 response: %s',
    async (name) => {
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
    },
  )

  it.each(Object.keys(REFUSALS))('contains no refusal: %s', async (name) => {
    const guard = { canActivate: REFUSALS[name] as () => boolean }
    const logged = await start({ auth: { guard } })
    const { status } = await app.request().get('/vault/7')
    expect(status).toBe(name === 'an error with the status 403' ? 403 : 401)
    expect(logged).toEqual([])
  })

  it('contains at most 20 failures in a burst, and then one more per second', async () => {
    const guard = { canActivate: FAULTS['a SyntaxError'] as () => boolean }
    const logged = await start({ auth: { guard } })
    // From now on, only the test moves the clock.
    await app.clock.advance('1s')
    for (let i = 0; i < 30; i++) expect((await app.request().get('/vault/7')).status).toBe(401)
    expect(logged).toHaveLength(20)
    await app.clock.advance('3s')
    for (let i = 0; i < 5; i++) await app.request().get('/vault/7')
    expect(logged).toHaveLength(23)
  })

  it('contains a failure even after many refusals, and at most 20 failures after a long pause', async () => {
    let fails: () => unknown = () => {
      throw new Error('expired')
    }
    const canActivate = () => fails() as boolean
    const logged = await start({ auth: { guard: { canActivate } } })
    await app.clock.advance(0)
    const ask = () => app.request().get('/vault/7')
    for (let n = 0; n < 25; n++) expect((await ask()).status).toBe(401)
    expect(logged).toEqual([])
    fails = () => {
      throw new TypeError('broken')
    }
    await ask()
    expect(logged).toHaveLength(1)
    await app.clock.advance('1h')
    for (let n = 0; n < 25; n++) await ask()
    expect(logged).toHaveLength(21)
  })

  it('contains a failure of the guard in a tenantRouter()', async () => {
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

describe('a server error during authorization', () => {
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
      'a tenant strategy',
      '/vault/7',
      { auth: { guard }, tenant: { header: false, strategies: [broken] } },
    ],
    ['tenant.store.find', '/vault/7', { auth: { guard }, tenant: { store: { find: broken } } }],
  ])('is sent and logged if %s throws', async (_, path, options) => {
    const logged = await start(options)
    const { status } = await app.request().get(path).set('X-Tenant-ID', 'acme')
    expect(status).toBeGreaterThanOrEqual(500)
    expect(logged).toHaveLength(1)
    const { err } = logged[0] as { err: Error }
    expect(String(err.cause ?? err)).toBe('TypeError: broken')
  })

  it('has status 503 if the guard throws a ServiceUnavailableError', async () => {
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
