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

/** Asks with a guard that does as told. */
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

/** A value that runs code, and throws, however it is looked at. */
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
  ['a list of true', [true]],
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
    'an Error that poses as a success',
    Object.assign(new Error('x'), { status: 200, statusCode: 200, expose: true }),
  ],
  ['a function', () => true],
  ['a thenable', { then: (resolve: (value: true) => void) => resolve(true) }],
]

describe('a guard that does not say true', () => {
  it.each(notTrue)('denies by returning %s', async (_, value) => {
    expect(await ask(() => value)).toEqual(DENIED)
    expect(calls).toBe(0)
  })

  it.each(notTrue)('denies by resolving to %s', async (_, value) => {
    expect(await ask(async () => value)).toEqual(DENIED)
    expect(calls).toBe(0)
  })

  it.each(thrown)('denies by throwing %s', async (_, value) => {
    expect(await ask(throwing(value))).toEqual(DENIED)
    expect(calls).toBe(0)
  })

  it.each(thrown)('denies by rejecting with %s', async (_, value) => {
    expect(await ask(() => Promise.reject(value))).toEqual(DENIED)
    expect(calls).toBe(0)
  })

  it.each([
    ['resolves to false', { then: (resolve: (value: unknown) => void) => resolve(false) }],
    ['rejects', { then: (_: unknown, reject: (value: unknown) => void) => reject(undefined) }],
    [
      'says false later',
      { then: (resolve: (value: unknown) => void) => void setTimeout(resolve, 1, false) },
    ],
    ['throws', { then: throwing(new Error('then')) }],
    ['throws when it is looked at', bomb],
    ['does not say what it is', new Proxy({}, { getPrototypeOf: throwing(new Error('trap')) })],
    [
      'is a promise with a then of its own, which says both',
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
  ])('denies by a thenable that %s', async (_, thenable) => {
    expect(await ask(() => thenable)).toEqual(DENIED)
    expect(calls).toBe(0)
  })

  it.each([
    ['throws', throwing(bomb)],
    ['rejects with', () => Promise.reject(bomb)],
  ])('denies when it %s what cannot be looked at', async (_, canActivate) => {
    expect((await ask(canActivate as () => unknown)).status).toBe(401)
    expect(calls).toBe(0)
  })
})

describe('a guard that says true', () => {
  it.each([
    ['returns it', () => true],
    ['resolves to it', async () => true],
    ['makes a thenable of it', () => ({ then: (ok: (value: true) => void) => void ok(true) })],
  ])('allows once when it %s', async (_, canActivate) => {
    expect((await ask(canActivate as () => unknown)).status).toBe(200)
    expect(calls).toBe(1)
  })

  it('allows once when its thenable says so twice', async () => {
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

describe('a guard that decides for another status', () => {
  it.each([
    ['throws 403', throwing(new ForbiddenError('No')), 403, 'FORBIDDEN'],
    [
      'rejects with 503',
      () => Promise.reject(new ServiceUnavailableError()),
      503,
      'SERVICE_UNAVAILABLE',
    ],
    ['throws 418', throwing(new HttpError(418, 'x', { code: 'TEAPOT' })), 418, 'TEAPOT'],
  ])('keeps it when it %s', async (_, canActivate, status, code) => {
    expect(await ask(canActivate as () => unknown)).toMatchObject({ status, code })
    expect(calls).toBe(0)
  })
})

describe('a guard that never answers', () => {
  it.each(['GET', 'POST'])('ends in 503 after the handler timeout of a %s', async (method) => {
    const guard = { canActivate: () => new Promise<boolean>(() => {}) }
    const { port } = await start({ controllers, auth: { guard }, timeouts: { handler: '30ms' } })
    const connection = await RawConnection.open(port)
    // Far more than is buffered: the rest of the body waits for somebody to read it.
    const lines = method === 'POST' ? ['Content-Length: 9000000'] : []
    connection.write(request('/vault', lines, { method }))
    if (method === 'POST') connection.write(Buffer.alloc(300_000, ' '))
    const [answer] = await connection.answers(1)
    connection.destroy()
    expectFailure(answer, 503, 'HANDLER_TIMEOUT')
    expect(calls).toBe(0)
  })

  it('does not run the handler when it says true after the 503', async () => {
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

describe('the order of things', () => {
  it('asks the guard before the body is looked at', async () => {
    const { port, accepted } = await start({
      controllers,
      auth: { guard: { canActivate: () => false } },
    })
    for (const head of ['Content-Length: 500', 'Content-Type: text/plain', 'Content-Encoding: x']) {
      const lines = [head, 'Transfer-Encoding: chunked'].slice(0, head.includes('Length') ? 1 : 2)
      const connection = await RawConnection.open(port)
      // The body never comes; whoever waited for it would not answer.
      connection.write(request('/vault', lines, { method: 'POST' }))
      expectFailure((await connection.answers(1))[0], 401, 'UNAUTHORIZED')
      connection.destroy()
    }
    expect(accepted()).toBeLessThan(1000)
    expect(calls).toBe(0)
  })
})

describe('where a guard comes from', () => {
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
    ['a token', TOKEN, [{ provide: TOKEN, useClass: KeyGuard }]],
    ['a string', 'guard', [{ provide: 'guard', useClass: KeyGuard }]],
  ])('may be %s', async (_, guard, providers) => {
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

  it('may be nowhere: then every protected route is 401', async () => {
    app = await TestApp.create({ contract: 'throw', controllers, logger: false })
    const { status } = await app.request().get('/vault').set('authorization', 'Bearer x')
    expect({ status, calls }).toEqual({ status: 401, calls: 0 })
  })
})
