import {
  All,
  Auth,
  Can,
  Controller,
  Delete,
  Get,
  Post,
  Put,
  RateLimit,
  type RateLimitPolicy,
  type Request,
} from 'blazon'
import { describe, expect, it } from 'vitest'
import { appsOfTest, namedGuard, statuses } from './support.js'

@Controller('items')
class ItemsController {
  @Get()
  list() {
    return []
  }

  @Get(':id')
  get(req: Request) {
    return { id: req.params.id }
  }

  @RateLimit({ limit: 1, window: 60 })
  @Get('mine/latest')
  latest() {
    return {}
  }

  @RateLimit(false)
  @Get('free/ones')
  free() {
    return {}
  }
}

const two = { limit: 2, window: 60 } as const

describe('the rate limit of an application', () => {
  const apps = appsOfTest()

  it('is off if `policies` is empty', async () => {
    const app = await apps.inProcess({
      controllers: [ItemsController],
      rateLimit: { policies: [] },
    })
    const { status, headers } = await app.request().get('/items')
    expect(status).toBe(200)
    expect(headers).not.toHaveProperty('ratelimit')
  })

  it('is 100 requests per minute if the option is true', async () => {
    const app = await apps.inProcess({ controllers: [ItemsController], rateLimit: true })
    const all = await Promise.all(Array.from({ length: 120 }, () => app.request().get('/items')))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(100)
    expect(all.filter(({ status }) => status === 429)).toHaveLength(20)
    expect(all[0]?.headers['ratelimit-policy']).toBe('"default";q=100;w=60')
  })

  it('counts all routes without @RateLimit together', async () => {
    const app = await apps.inProcess({ controllers: [ItemsController], rateLimit: two })
    expect(await statuses(app, '/items', '/items/1', '/items/2', '/items')).toEqual([
      200, 200, 429, 429,
    ])
  })

  it('is replaced by the @RateLimit of a route, which counts separately', async () => {
    const app = await apps.inProcess({ controllers: [ItemsController], rateLimit: two })
    const paths = ['/items/mine/latest', '/items/mine/latest', '/items/free/ones']
    expect(await statuses(app, ...paths, ...paths)).toEqual([200, 429, 200, 429, 429, 200])
    expect(await statuses(app, '/items', '/items', '/items')).toEqual([200, 200, 429])
    const free = await app.request().get('/items/free/ones')
    expect(free.status).toBe(200)
    expect(free.headers).not.toHaveProperty('ratelimit')
  })

  it('also counts requests without a route: 404, 405, 400 and OPTIONS', async () => {
    const app = await apps.inProcess({
      controllers: [ItemsController],
      rateLimit: { limit: 4, window: 60 },
    })
    const answers = [
      await app.request().get('/nowhere'),
      await app.request().delete('/items'),
      await app.request().options('/items'),
      await app.request().get('/%ff'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 405, 200, 400])
    expect(answers.map(({ headers }) => headers['ratelimit'])).toEqual(
      [3, 2, 1, 0].map((left) => `"default";r=${left};t=60`),
    )
    expect(await statuses(app, '/nowhere', '/items', '/%ff')).toEqual([429, 429, 429])
    expect((await app.request().options('/items')).status).toBe(429)
  })

  it('counts HEAD as GET, and every spelling of a path as the same path', async () => {
    const app = await apps.inProcess({
      controllers: [ItemsController],
      rateLimit: { limit: 5, window: 60 },
    })
    expect((await app.request().head('/items')).status).toBe(200)
    expect(await statuses(app, '/items/', '/ITEMS', '/items?x=1', '/%69tems', '/items')).toEqual([
      200, 200, 200, 200, 429,
    ])
    expect((await app.request().head('/items')).status).toBe(429)
  })

  it('is checked before the guard, so it also counts requests that the guard refuses', async () => {
    @Auth()
    @Controller('secrets')
    class SecretsController {
      @Get()
      list() {
        return []
      }
    }
    const auth = { guard: namedGuard }
    const app = await apps.inProcess({ controllers: [SecretsController], auth, rateLimit: two })
    expect(await statuses(app, '/secrets', '/secrets', '/secrets')).toEqual([401, 401, 429])
    const signedIn = await app.request().get('/secrets').set('x-user', 'ada')
    expect(signedIn.status).toBe(429)
  })

  it('does not count requests for the documentation', async () => {
    const app = await apps.inProcess({ controllers: [ItemsController], rateLimit: two })
    const paths = Array.from({ length: 4 }, () => '/api-docs.json')
    expect(await statuses(app, ...paths)).toEqual([200, 200, 200, 200])
  })

  it('does not count requests to which a middleware responds', async () => {
    const app = await apps.inProcess({
      controllers: [ItemsController],
      rateLimit: two,
      middlewares: [(req, res, next) => (req.path === '/health' ? res.end() : next())],
    })
    await statuses(app, '/health', '/health', '/health')
    expect(await statuses(app, '/items')).toEqual([200])
  })
})

describe('the @RateLimit decorator', () => {
  const apps = appsOfTest()
  const rateLimit = { policies: [] }

  it('counts the routes of a class together, except routes with their own limit', async () => {
    @RateLimit(two)
    @Controller('orders')
    class OrdersController {
      @Get()
      list() {
        return []
      }

      @Get(':id')
      get() {
        return {}
      }

      @RateLimit({ limit: 1, window: 60 })
      @Delete(':id')
      remove() {
        return {}
      }
    }
    const controllers = [OrdersController, ItemsController]
    const app = await apps.inProcess({ controllers, rateLimit })
    const paths = ['/orders', '/orders/1', '/orders/2', '/items']
    expect(await statuses(app, ...paths)).toEqual([200, 200, 429, 200])
    const removals = [
      await app.request().delete('/orders/1'),
      await app.request().delete('/orders/2'),
    ]
    expect(removals.map(({ status }) => status)).toEqual([200, 429])
    expect(removals[0]?.headers['ratelimit-policy']).toBe('"Orders.remove";q=1;w=60')
  })

  it('counts the routes of one method together', async () => {
    @Controller('session')
    class SessionController {
      @RateLimit(two)
      @Put()
      @Post()
      @Post('open')
      open() {
        return {}
      }
    }
    const app = await apps.inProcess({ controllers: [SessionController], rateLimit })
    const answers = [
      await app.request().put('/session'),
      await app.request().post('/session'),
      await app.request().post('/session/open'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
  })

  it('counts methods with the same policy object separately', async () => {
    @Controller('both')
    class BothController {
      @RateLimit(two)
      @Get('one')
      one() {
        return {}
      }

      @RateLimit(two)
      @Get('other')
      other() {
        return {}
      }
    }
    const app = await apps.inProcess({ controllers: [BothController], rateLimit })
    const paths = ['/both/one', '/both/one', '/both/one', '/both/other']
    expect(await statuses(app, ...paths)).toEqual([200, 200, 429, 200])
  })

  it('counts limits with the same name together', async () => {
    const guesses: RateLimitPolicy = { name: 'guesses', limit: 2, window: '15m' }
    @Controller('login')
    class LoginController {
      @RateLimit(guesses)
      @Post()
      login() {
        return {}
      }
    }
    @RateLimit(guesses)
    @Controller('password')
    class PasswordController {
      @Post()
      reset() {
        return {}
      }
    }
    const app = await apps.inProcess({
      controllers: [LoginController, PasswordController],
      rateLimit,
    })
    const answers = [
      await app.request().post('/login'),
      await app.request().post('/password'),
      await app.request().post('/login'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(answers[2]?.headers['ratelimit']).toBe('"guesses";r=0;t=900')
  })

  it('is inherited, and counts separately for each subclass', async () => {
    class Base {
      @RateLimit(two)
      @Get()
      list() {
        return []
      }

      @RateLimit({ limit: 1, window: 60 })
      @Get('others')
      others() {
        return []
      }
    }
    @Controller('cats')
    class CatsController extends Base {}
    @Controller('dogs')
    class DogsController extends Base {
      @RateLimit(false)
      override others() {
        return []
      }

      override list() {
        return []
      }
    }
    const app = await apps.inProcess({ controllers: [CatsController, DogsController], rateLimit })
    const paths = ['/cats', '/cats', '/cats', '/dogs', '/dogs', '/dogs']
    expect(await statuses(app, ...paths)).toEqual([200, 200, 429, 200, 200, 429])
    const others = ['/cats/others', '/cats/others', '/dogs/others', '/dogs/others']
    expect(await statuses(app, ...others)).toEqual([200, 429, 200, 200])
  })

  it('counts two classes with the same name separately', async () => {
    const make = (path: string) => {
      @RateLimit({ limit: 1, window: 60 })
      @Controller(path)
      class ThingsController {
        @All()
        any() {
          return {}
        }
      }
      return ThingsController
    }
    const app = await apps.inProcess({ controllers: [make('a'), make('b')], rateLimit })
    expect(await statuses(app, '/a', '/b', '/a', '/b')).toEqual([200, 200, 429, 429])
  })

  it('runs after the guard if it counts by user, and then ignores refused requests', async () => {
    @RateLimit({ limit: 1, window: 60, by: 'user' })
    @Controller('reports')
    class ReportsController {
      @Auth()
      @Get()
      list() {
        return []
      }

      @Can('admin')
      @Get('all')
      all() {
        return []
      }
    }
    const auth = { guard: namedGuard }
    const app = await apps.inProcess({ controllers: [ReportsController], auth, rateLimit })
    expect(await statuses(app, '/reports', '/reports')).toEqual([401, 401])
    const ada = app.with({ 'x-user': 'ada' })
    expect((await ada.request().get('/reports/all')).status).toBe(403)
    expect((await ada.request().get('/reports')).status).toBe(200)
    expect((await ada.request().get('/reports')).status).toBe(429)
  })

  it('does not count a request in later limits if an earlier limit refuses it', async () => {
    @RateLimit({ name: 'burst', limit: 2, window: 1 }, { name: 'daily', limit: 3, window: '1d' })
    @Controller('search')
    class SearchController {
      @Get()
      search() {
        return []
      }
    }
    const app = await apps.inProcess({ controllers: [SearchController], rateLimit })
    const get = () => app.request().get('/search')
    const first = await get()
    expect(first.headers['ratelimit-policy']).toBe('"burst";q=2;w=1, "daily";q=3;w=86400')
    expect(first.headers['ratelimit']).toBe('"burst";r=1;t=1, "daily";r=2;t=86400')
    expect(await statuses(app, '/search', '/search', '/search')).toEqual([200, 429, 429])
    await app.clock.advance(1)
    const last = await get()
    expect(last.headers['ratelimit']).toBe('"burst";r=1;t=1, "daily";r=0;t=86399')
    const refused = await get()
    expect(refused.status).toBe(429)
    expect(refused.headers['retry-after']).toBe('86399')
  })
})
