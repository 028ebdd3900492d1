import {
  Auth,
  type AuthGuard,
  Body,
  Controller,
  defineControllers,
  ForbiddenError,
  Get,
  HttpError,
  Injectable,
  InjectionToken,
  inject,
  Post,
  type Request,
  ServiceUnavailableError,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { expectFailure, start } from './listening-app.js'
import { RawConnection, request } from './raw-connection.js'

let calls = 0
let app: TestApp | undefined

@Auth()
@Controller('vault')
class VaultController {
  @Get()
  open() {
    calls++
    return 'open'
  }

  @Post()
  @Body(z.object({ amount: z.number() }))
  put() {
    calls++
    return 'put'
  }
}

const controllers = defineControllers(VaultController)

/** Sends a request to a route with this guard. */
async function ask(canActivate: AuthGuard['canActivate'] | (() => unknown)) {
  const guard = { canActivate } as AuthGuard
  app = await TestApp.create({ contract: 'throw', controllers, auth: { guard }, logger: false })
  const { status, body, headers } = await app.request().get('/vault')
  return { status, code: body.code, challenge: headers['www-authenticate'] }
}

beforeEach(() => {
  calls = 0
})
afterEach(async () => {
  await app?.close()
  app = undefined
})

const DENIED = { status: 401, code: 'UNAUTHORIZED', challenge: 'Bearer' }

const throwing = (value: unknown) => () => {
  throw value
}

/** A value that throws at every access. */
const bomb = new Proxy(
  {},
  {
    get: throwing(new Error('get')),
    has: throwing(new Error('has')),
    getPrototypeOf: throwing(new Error('getPrototypeOf')),
    ownKeys: throwing(new Error('ownKeys')),
  },
)

const notTrue: [string, unknown][] = [
  ['false', false],
  ['undefined', undefined],
  ['null', null],
  ['0', 0],
  ['1', 1],
  ['an empty string', ''],
  ["'true'", 'true'],
  ['an object', {}],
  ['a boxed true', Object(true)],
  ['an array with true', [true]],
  ['a symbol', Symbol('true')],
  ['a function', () => true],
]

const thrown: [string, unknown][] = [
  ['null', null],
  ['undefined', undefined],
  ['false', false],
  ['true', true],
  ['0', 0],
  ['an empty string', ''],
  ["'route'", 'route'],
  ["'router'", 'router'],
  ['an Error', new Error('the key is 42')],
  ['an Error with a status', Object.assign(new Error('x'), { status: 200 })],
  [
    'an Error with a success status',
    Object.assign(new Error('x'), { status: 200, statusCode: 200, expose: true }),
  ],
  ['a function', () => true],
  ['a thenable', { then: (resolve: (value: true) => void) => resolve(true) }],
]

describe('a guard that does not return true', () => {
  it.each(notTrue)('denies access if it returns %s', async (_, value) => {
    expect(await ask(() => value)).toEqual(DENIED)
    expect(calls).toBe(0)
  })

  it.each(notTrue)('denies access if it resolves to %s', async (_, value) => {
    expect(await ask(async () => value)).toEqual(DENIED)
    expect(calls).toBe(0)
  })

  it.each(thrown)('denies access if it throws %s', async (_, value) => {
    expect(await ask(throwing(value))).toEqual(DENIED)
    expect(calls).toBe(0)
  })

  it.each(thrown)('denies access if it rejects with %s', async (_, value) => {
    expect(await ask(() => Promise.reject(value))).toEqual(DENIED)
    expect(calls).toBe(0)
  })

  it.each([
    ['resolves to false', { then: (resolve: (value: unknown) => void) => resolve(false) }],
    ['rejects', { then: (_: unknown, reject: (value: unknown) => void) => reject(undefined) }],
    [
      'resolves to false later',
      { then: (resolve: (value: unknown) => void) => void setTimeout(resolve, 1, false) },
    ],
    ['throws', { then: throwing(new Error('then')) }],
    ['throws at every access', bomb],
    ['throws in getPrototypeOf', new Proxy({}, { getPrototypeOf: throwing(new Error('trap')) })],
    [
      'is a promise with an own then, which resolves to false and true',
      Object.assign(Promise.resolve(false), {
        then(resolve: (value: unknown) => void) {
          resolve(false)
          resolve(true)
        },
      }),
    ],
    [
      'settles twice',
      {
        then: (resolve: (value: unknown) => void) => {
          resolve(false)
          resolve(true)
        },
      },
    ],
  ])('denies access if its thenable %s', async (_, thenable) => {
    expect(await ask(() => thenable)).toEqual(DENIED)
    expect(calls).toBe(0)
  })

  it.each([
    ['throws', throwing(bomb)],
    ['rejects with', () => Promise.reject(bomb)],
  ])('denies access if it %s a value that throws at every access', async (_, canActivate) => {
    expect((await ask(canActivate as () => unknown)).status).toBe(401)
    expect(calls).toBe(0)
  })
})

describe('a guard that returns true', () => {
  it.each([
    ['returns true', () => true],
    ['resolves to true', async () => true],
    [
      'returns a thenable that resolves to true',
      () => ({ then: (ok: (value: true) => void) => void ok(true) }),
    ],
  ])('runs the handler once if it %s', async (_, canActivate) => {
    expect((await ask(canActivate as () => unknown)).status).toBe(200)
    expect(calls).toBe(1)
  })

  it('runs the handler once even if its thenable resolves twice', async () => {
    const thenable = {
      then(resolve: (value: true) => void) {
        resolve(true)
        resolve(true)
      },
    }
    expect((await ask(() => thenable)).status).toBe(200)
    expect(calls).toBe(1)
  })
})

describe('a guard that throws an HttpError', () => {
  it.each([
    ['throws 403', throwing(new ForbiddenError('No')), 403, 'FORBIDDEN'],
    [
      'rejects with 503',
      () => Promise.reject(new ServiceUnavailableError()),
      503,
      'SERVICE_UNAVAILABLE',
    ],
    ['throws 418', throwing(new HttpError(418, 'x', { code: 'TEAPOT' })), 418, 'TEAPOT'],
  ])('results in the status of the error if it %s', async (_, canActivate, status, code) => {
    expect(await ask(canActivate as () => unknown)).toMatchObject({ status, code })
    expect(calls).toBe(0)
  })
})

describe('a guard that exceeds the handler timeout', () => {
  it.each(['GET', 'POST'])('causes a 503 response to a %s request', async (method) => {
    const guard = { canActivate: () => new Promise<boolean>(() => {}) }
    const { port } = await start({ controllers, auth: { guard }, timeouts: { handler: '30ms' } })
    const connection = await RawConnection.open(port)
    // More than the buffers hold: the rest of the body waits until the server reads it.
    const lines = method === 'POST' ? ['Content-Length: 9000000'] : []
    connection.write(request('/vault', lines, { method }))
    if (method === 'POST') connection.write(Buffer.alloc(300_000, ' '))
    const [answer] = await connection.answers(1)
    connection.destroy()
    expectFailure(answer, 503, 'HANDLER_TIMEOUT')
    expect(calls).toBe(0)
  })

  it('does not start the handler if it resolves to true after the 503 response', async () => {
    let allow = (_: boolean) => {}
    const verdict = new Promise<boolean>((resolve) => {
      allow = resolve
    })
    app = await TestApp.create({
      contract: 'throw',
      controllers,
      auth: { guard: { canActivate: () => verdict } },
      timeouts: { handler: '30ms' },
      logger: false,
    })
    expect((await app.request().get('/vault')).status).toBe(503)
    allow(true)
    await new Promise(setImmediate)
    expect(calls).toBe(0)
  })
})

describe('the guard of a route', () => {
  it('runs before the body is read', async () => {
    const { port, accepted } = await start({
      controllers,
      auth: { guard: { canActivate: () => false } },
    })
    for (const head of ['Content-Length: 500', 'Content-Type: text/plain', 'Content-Encoding: x']) {
      const lines = [head, 'Transfer-Encoding: chunked'].slice(0, head.includes('Length') ? 1 : 2)
      const connection = await RawConnection.open(port)
      // The body never arrives. If the framework waited for it, there would be no response.
      connection.write(request('/vault', lines, { method: 'POST' }))
      expectFailure((await connection.answers(1))[0], 401, 'UNAUTHORIZED')
      connection.destroy()
    }
    expect(accepted()).toBeLessThan(1000)
    expect(calls).toBe(0)
  })
})

describe('the option auth.guard', () => {
  const TOKEN = new InjectionToken<AuthGuard>('guard')
  const asked: string[] = []

  @Injectable()
  class Secrets {
    readonly key = 'sesame'
  }

  class KeyGuard implements AuthGuard {
    private readonly secrets = inject(Secrets)
    async canActivate(req: Request) {
      asked.push(this.secrets.key)
      return req.get('x-key') === this.secrets.key
    }
  }

  it.each([
    ['an instance', { canActivate: async (req: Request) => req.get('x-key') === 'sesame' }, []],
    ['a class', KeyGuard, []],
    ['an injection token', TOKEN, [{ provide: TOKEN, useClass: KeyGuard }]],
    ['a string token', 'guard', [{ provide: 'guard', useClass: KeyGuard }]],
  ])('can be %s', async (_, guard, providers) => {
    app = await TestApp.create({
      contract: 'throw',
      controllers,
      providers,
      auth: { guard },
      logger: false,
    })
    const agent = app.request()
    const statuses = [
      (await agent.get('/vault').set('x-key', 'sesame')).status,
      (await agent.get('/vault').set('x-key', 'wrong')).status,
      (await agent.get('/vault')).status,
    ]
    expect({ statuses, calls }).toEqual({ statuses: [200, 401, 401], calls: 1 })
  })

  it('can be missing, and then every protected route results in a 401 response', async () => {
    app = await TestApp.create({ contract: 'throw', controllers, logger: false })
    const { status } = await app.request().get('/vault').set('authorization', 'Bearer x')
    expect({ status, calls }).toEqual({ status: 401, calls: 0 })
  })
})
