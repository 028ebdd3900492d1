import {
  App,
  Auth,
  type AuthGuard,
  Controller,
  Get,
  type Middleware,
  type Request,
  type RequestHandler,
  schemeOf,
  Use,
} from 'blazon'
import { keyIdOf, keySchemeOf, setKeyId, tenantOf } from 'blazon/plugin'
import { TestApp, type TestOptions } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

const seen = (req: Request) => ({
  user: req.user?.id ?? null,
  key: keyIdOf(req) ?? null,
  scheme: schemeOf(req) ?? null,
  tenant: tenantOf(req) ?? null,
})
const NOBODY = { user: null, key: null, scheme: null, tenant: null }

@Controller()
class Routes {
  @Auth() @Get('required') required(req: Request) {
    return seen(req)
  }

  @Auth({ optional: true }) @Get('optional') optional(req: Request) {
    return seen(req)
  }
}

@Controller()
class Both {
  @Auth('first', 'second') @Get('both') both(req: Request) {
    return seen(req)
  }
}

/** Asks a route, and returns what it and the error middlewares have seen of the request. */
async function ask(options: TestOptions, path: string, headers: Record<string, string> = {}) {
  const failed: unknown[] = []
  const look: Middleware = (error, req, _res, next) => {
    failed.push(seen(req as Request))
    next(error)
  }
  const app = await TestApp.create({
    controllers: [Routes],
    logger: false,
    ...options,
    middlewares: [...(options.middlewares ?? []), look],
  })
  onTestFinished(() => app.close())
  const { status, body } = await app.request().get(path).set(headers)
  return { status, data: body.data, failed }
}

describe('a guard that sets a user and then fails', () => {
  it.each<[string, () => never | Promise<never>]>([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
  ])('leaves no user for error middlewares if it %s', async (_, fail) => {
    const guard: AuthGuard = {
      canActivate(req: Request) {
        req.user = { id: 'unsure' }
        return fail()
      },
    }
    const { status, failed } = await ask({ auth: { guard } }, '/required')
    expect([status, failed]).toEqual([401, [NOBODY]])
  })
})

describe('the `tenantOf` function of a guard', () => {
  const guard = { canActivate: () => true }

  it('can return null for a credential without a tenant', async () => {
    const auth = { guard: { ...guard, tenantOf: () => null as never } }
    expect(await ask({ auth, tenant: {} }, '/required')).toMatchObject({
      status: 200,
      data: NOBODY,
    })
  })

  it('results in a 401 response if it returns a promise, even if the promise rejects', async () => {
    const auth = { guard: { ...guard, tenantOf: () => Promise.reject(new Error('late')) as never } }
    expect((await ask({ auth, tenant: {} }, '/required')).status).toBe(401)
  })
})

describe('a guard whose `tenantOf` throws', () => {
  const failing: AuthGuard = {
    credentials: ['x-first'],
    canActivate(req: Request) {
      req.user = { id: 'own' }
      return true
    },
    tenantOf() {
      throw new Error('broken')
    },
  }
  const identify: Middleware = (req, _res, next) => {
    req.user = { id: 'earlier' }
    next()
  }

  it.each([
    ['alone', '/required', Routes],
    ['one of several', '/both', Both],
  ])(
    'is recorded once, and leaves the user that a middleware has set, if it is %s',
    async (_, path, controller) => {
      const users: unknown[] = []
      const look: Middleware = (error, req, _res, next) => {
        users.push((req as Request).user?.id)
        next(error)
      }
      await using app = await TestApp.create({
        controllers: [controller],
        auth: { guards: { first: failing, second: { ...failing, credentials: ['x-second'] } } },
        tenant: {},
        middlewares: [identify, look],
        logger: false,
      })
      const response = await app.request().get(path).set('x-first', '1')
      const verdicts = app
        .explain(response)
        .decisions.filter(({ by }) => by === 'guard')
        .map(({ verdict, reason }) => [verdict, reason])
      expect([response.status, users]).toEqual([401, ['earlier']])
      expect(verdicts).toEqual([['refused', 'it threw Error: broken']])
    },
  )
})

describe('the `carries` function of a guard', () => {
  const guard: AuthGuard = {
    credentials: ['authorization'],
    carries: (req) => req.headers['x-signature'] !== undefined,
    canActivate(req: Request) {
      req.user = { id: 'signer' }
      return true
    },
  }

  it.each([
    ['x-signature', 'signer'],
    ['authorization', 'signer'],
    ['x-other', null],
  ])('decides on optional routes, beside the places of `credentials`: %s', async (name, user) => {
    const { data } = await ask({ auth: { guards: { guard } } }, '/optional', { [name]: 'a' })
    expect(data.user).toBe(user)
  })
})

it('each of several guards receives the request without the user of another guard', async () => {
  const users: unknown[] = []
  const guardOf = (id: string): AuthGuard => ({
    credentials: [`x-${id}`],
    canActivate(req: Request) {
      users.push(req.user?.id)
      req.user = { id }
      return true
    },
  })
  const guards = { first: guardOf('first'), second: guardOf('second') }
  const { data } = await ask({ auth: { guards }, controllers: [Both] }, '/both', {
    'x-first': '1',
    'x-second': '1',
  })
  expect([users, data.user]).toEqual([[undefined, undefined], 'first'])
})

describe('the key ID that a middleware has set', () => {
  const guardOf = (header: string, key?: string): AuthGuard => ({
    credentials: [header],
    canActivate(req: Request) {
      if (key !== undefined) setKeyId(req, key)
      return req.get(header) === 'right'
    },
  })
  const identify: Middleware = (req, _res, next) => {
    setKeyId(req, 'earlier')
    next()
  }
  const askBoth = (key: string | undefined, second: string) =>
    ask(
      {
        auth: { guards: { first: guardOf('x-first', key), second: guardOf('x-second') } },
        controllers: [Both],
        middlewares: [identify],
      },
      '/both',
      { 'x-first': 'right', 'x-second': second },
    )

  it('stays if several guards allow the request and none of them sets a key ID', async () => {
    expect((await askBoth(undefined, 'right')).data).toMatchObject({ key: 'earlier' })
    expect((await askBoth('own', 'right')).data).toMatchObject({ key: 'own' })
  })

  it('is there again for error middlewares if one of several guards refuses the request', async () => {
    const { status, failed } = await askBoth('own', 'wrong')
    expect([status, failed]).toEqual([401, [{ ...NOBODY, key: 'earlier' }]])
  })
})

describe('the key ID that a guard has set', () => {
  it('is on the request again when a mounted App passes it back, even if the guard has no name', async () => {
    const inner = new App({ controllers: [], logger: false })
    await inner.init()
    onTestFinished(() => inner.close())
    @Controller('kept')
    class Kept {
      @Auth() @Use(inner.handler as RequestHandler) @Get() get(req: Request) {
        return seen(req)
      }
    }
    const guard: AuthGuard = {
      canActivate(req: Request) {
        setKeyId(req, '1')
        return true
      },
    }
    const { data } = await ask({ controllers: [Kept], auth: { guard } }, '/kept')
    expect(data).toEqual({ ...NOBODY, key: '1' })
  })

  it('is missing, like its scheme, if the guard has a name but sets no key ID', async () => {
    @Controller('schemes')
    class Schemes {
      @Auth() @Get() get(req: Request) {
        return { scheme: schemeOf(req), keyScheme: keySchemeOf(req) ?? null }
      }
    }
    const plain: AuthGuard = { credentials: ['x-plain'], canActivate: () => true }
    const { data } = await ask(
      { controllers: [Schemes], auth: { guards: { plain } } },
      '/schemes',
      {
        'x-plain': '1',
      },
    )
    expect(data).toEqual({ scheme: 'plain', keyScheme: null })
  })
})
