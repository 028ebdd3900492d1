import {
  Auth,
  type AuthGuard,
  Controller as ControllerOf,
  Get,
  RateLimit,
  type RateLimitBy,
  type RateLimitPolicy,
  type RateLimitStore,
  type Request,
  Tenant,
  Version,
} from 'blazon'
import { type RateLimitCount, setKeyId } from 'blazon/plugin'
import { describe, expect, it } from 'vitest'
import { bootProblems, bootWarnings } from '../../support.js'
import { appsOfTest, statuses } from './support.js'

const apps = appsOfTest()

@ControllerOf('items')
class ItemsController {
  @Get() list() {
    return []
  }

  @Get('other') other() {
    return []
  }
}

const controllers = [ItemsController]

/** With this option, a TestApp applies only @RateLimit. */
const rateLimit = { policies: [] } as const

describe('a rate limit at a border of the allowed values', () => {
  const MOST = 999_999_999_999_999
  const long = 'x'.repeat(64)
  it.each<[Partial<RateLimitPolicy>, string]>([
    [{ limit: MOST }, `"default";q=${MOST};w=60`],
    [{ window: 1 }, '"default";q=100;w=1'],
    [{ window: '1000ms' }, '"default";q=100;w=1'],
    // In milliseconds, this is 66000.00000000001.
    [{ window: '1.1m' }, '"default";q=100;w=66'],
    [{ name: long }, `"${long}";q=100;w=60`],
    [{ by: 'key' }, '"default";q=100;w=60'],
  ])('is accepted: %j', async (rateLimit, policy) => {
    const app = await apps.inProcess({ controllers, rateLimit })
    const { headers } = await app.request().get('/items').expect(200)
    expect(headers['ratelimit-policy']).toBe(policy)
  })
})

describe('the @RateLimit decorator', () => {
  it('counts two methods separately, even if another decorator is on the class', async () => {
    @Tenant({ optional: true })
    @ControllerOf('things')
    class ThingsController {
      @RateLimit({ limit: 1, window: 60 })
      @Get('a')
      a() {}

      @RateLimit({ limit: 1, window: 60 })
      @Get('b')
      b() {}
    }
    const app = await apps.inProcess({ controllers: [ThingsController], tenant: {}, rateLimit })
    expect(await statuses(app, '/things/a', '/things/b', '/things/a')).toEqual([204, 204, 429])
  })

  it('refuses `false` together with a limit', async () => {
    const mixed = RateLimit as (...args: unknown[]) => ReturnType<typeof RateLimit>
    class Things {
      @mixed(false, { limit: 1, window: 60 }) @Get() list() {}
    }
    ControllerOf('things')(Things as never, undefined as never)
    const problems = await bootProblems({ controllers: [Things] })
    expect(problems).toMatchObject([
      { code: 'E_OPTION_INVALID', subject: 'Things.list @RateLimit' },
    ])
  })

  it('can be written as a route option with a list of limits', async () => {
    const limits = [
      { limit: 5, window: 60 },
      { limit: 9, window: 3600 },
    ] as const
    class Things {
      @Get('', { rateLimit: limits }) list() {
        return []
      }
    }
    ControllerOf('things')(Things as never, undefined as never)
    const app = await apps.inProcess({ controllers: [Things], rateLimit })
    const { headers } = await app.request().get('/things').expect(200)
    expect(headers['ratelimit-policy']).toBe('"Things.list";q=5;w=60, "Things.list-2";q=9;w=3600')
  })
})

describe('the name of an unnamed limit', () => {
  const policyOf = async (Class: new () => object, path: string, options: object = {}) => {
    RateLimit({ limit: 5, window: 60 })(Class as never, undefined as never)
    const app = await apps.inProcess({ controllers: [Class], rateLimit, ...options })
    return (await app.request().get(path)).headers['ratelimit-policy']
  }

  it('is the whole name of a class `Controller`, and `Routes` for a class without a name', async () => {
    class Controller {
      @Get() list() {}
    }
    ControllerOf('named')(Controller as never, undefined as never)
    expect(await policyOf(Controller, '/named')).toBe('"Controller";q=5;w=60')
    class Nameless {
      @Get() list() {}
    }
    Object.defineProperty(Nameless, 'name', { value: '' })
    ControllerOf('nameless')(Nameless as never, undefined as never)
    expect(await policyOf(Nameless, '/nameless')).toBe('"Routes";q=5;w=60')
  })

  it('contains the version of the routes', async () => {
    class Things {
      @Get() list() {}
    }
    ControllerOf('things')(Things as never, undefined as never)
    Version('2')(Things as never, undefined as never)
    const policy = await policyOf(Things, '/v2/things', { versions: { by: 'path' } })
    expect(policy).toBe('"Things.v2";q=5;w=60')
  })
})

describe('the key of a rate limit behind several guards', () => {
  const userGuard: AuthGuard & { credentials: string[] } = {
    credentials: ['x-user'],
    canActivate(req: Request) {
      req.user = { id: 7 }
      setKeyId(req, 'k1')
      return true
    },
  }
  const guards = { user: userGuard, partner: { ...userGuard, credentials: ['x-partner'] } }

  @Auth('user', 'partner')
  @ControllerOf('shared')
  class SharedController {
    @Get() list() {
      return []
    }
  }

  it.each<[RateLimitBy & string, string[]]>([
    ['user', ['g:user:7', 'g:partner:7']],
    ['key', ['h:user:k1', 'h:partner:k1']],
  ])('contains the guard if it counts by %s', async (by, expected) => {
    const keys: string[] = []
    const store: RateLimitStore = {
      consume({ key }: RateLimitCount) {
        keys.push(key.replace(/^default:/, ''))
        return { isAllowed: true, remaining: 1, resetMs: 1000 }
      },
    }
    const app = await apps.inProcess({
      controllers: [SharedController],
      auth: { guards },
      rateLimit: { by, store, limit: 9 },
    })
    for (const name of ['x-user', 'x-partner'])
      await app.request().get('/shared').set(name, '1').expect(200)
    expect(keys).toEqual(expected)
  })
})

describe('a rate limit by a function', () => {
  it('is recorded with the key `own`', async () => {
    const app = await apps.inProcess({ controllers, rateLimit: { by: () => 'a', limit: 9 } })
    const { decisions } = app.explain(await app.request().get('/items'))
    expect(decisions.find(({ by }) => by === 'limit')?.facts).toMatchObject({ key: 'own' })
  })

  it('causes one warning for all routes of the limit', async () => {
    const by = (() => undefined) as never
    const app = await apps.inProcess({ controllers, rateLimit: { by, limit: 9 } })
    expect(await statuses(app, '/items', '/items/other')).toEqual([200, 200])
    expect(app.logs.filter(({ level }) => level === 'warn')).toHaveLength(1)
  })
})

it('a limit of a single route also causes W_RATE_LIMIT_FORGEABLE if every proxy is trusted', async () => {
  class Things {
    @RateLimit({ limit: 1, window: 60 }) @Get() list() {}
  }
  ControllerOf('things')(Things as never, undefined as never)
  const warnings = await bootWarnings({ controllers: [Things], trustProxy: true })
  expect(warnings).toMatchObject([{ code: 'W_RATE_LIMIT_FORGEABLE' }])
})
