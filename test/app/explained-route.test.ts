import {
  All,
  ApiResponseDoc,
  type AppOptions,
  Auth,
  Body,
  Cache,
  Can,
  Controller,
  defineControllers,
  Get,
  Header,
  InjectionToken,
  Limits,
  Params,
  type Plugin,
  Post,
  Public,
  Query,
  QueryMethod,
  RateLimit,
  type Request,
  ResponseFields,
  Tenant,
  Use,
  Version,
} from 'blazon'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readApp } from './read-app.js'

const Known = z.object({ id: z.string(), pay: z.number().meta({ visibleTo: ['pay', 'all'] }) })

class Timing {
  intercept(_req: Request, next: () => unknown) {
    return next()
  }
}

const Audit = new InjectionToken<Timing>('Audit')

function byAccount(req: Request) {
  return String(req.headers['x-account'])
}

@Controller('orders')
class OrdersController {
  @Get(':id')
  @Auth()
  @Can('orders:read', 'orders:all')
  @Params(z.object({ id: z.string() }))
  @Query({ type: 'object', properties: { page: { type: 'string' } } })
  @Header('X-Kind', 'order')
  @Cache({ ttl: '5m', staleWhileRevalidate: '1m', tags: ['orders', 'all'] })
  @RateLimit({ limit: 2, window: '1m', by: 'user', name: 'reads' })
  read() {
    return {}
  }

  @Post()
  @Body(z.object({ name: z.string() }))
  @Limits({ body: '2kb', depth: 3, timeout: false })
  @Use(function upload(_req, _res, next) {
    next()
  })
  @Use(Timing, Audit, new Timing())
  @RateLimit({ limit: 3, window: 30, by: byAccount, name: 'writes' })
  create() {
    return {}
  }

  @Public()
  @Get('shared/list')
  @ResponseFields('strip')
  @ApiResponseDoc({ status: 200, description: 'All', schema: Known })
  @Cache({
    ttl: 1,
    shared: true,
    key: function byPath() {
      return ''
    },
    tags: () => ['a'],
  })
  list() {
    return {}
  }

  @QueryMethod('search')
  @Cache({ ttl: 60 })
  search() {
    return {}
  }

  @All('any') any() {
    return {}
  }
}

@Tenant()
@Controller('owned')
class OwnedController {
  @Get() list() {
    return []
  }
}

const controllers = defineControllers(OrdersController, OwnedController)

async function explain(path: string, options: AppOptions = {}, method: string | null = 'GET') {
  const { description } = await readApp({ controllers, ...options })
  return await description.explain({ method, path })
}

/** The lines about what each step uses, by the name of the step. */
async function sourcesOf(path: string, options?: AppOptions, method?: string) {
  const result = await explain(path, options, method)
  if (result.kind !== 'route') throw new Error('There is more than one route.')
  return Object.fromEntries(result.route.steps.map(({ name, sources }) => [name, sources]))
}

class Token {
  canActivate() {
    return true
  }
}
const mayRead = () => true

describe('the explanation of a route', () => {
  it('shows abilities, headers, limits, cache, schemas and time limit', async () => {
    expect(await sourcesOf('/orders/7', { auth: { guard: Token } })).toMatchObject({
      guard: ['Token'],
      can: ['orders:read', 'orders:all'],
      userRateLimit: ['reads: 2 requests in 60 s by user'],
      cache: ['fresh for 300 s, then stale for 60 s', 'key: default', 'tags: orders, all'],
      validate: ['params (zod)', 'query (JSON Schema)'],
      headers: ['X-Kind: order'],
      handler: ['OrdersController.read, at most 30 s'],
    })
  })

  it('shows the limits of the route, middlewares and interceptors of the application and of @Use', async () => {
    const interceptors = [new (class Trace extends Timing {})(), Audit]
    expect(await sourcesOf('/orders', { interceptors }, 'POST')).toMatchObject({
      userRateLimit: ['writes: 3 requests in 30 s by function byAccount'],
      use: ['upload'],
      body: ['at most 2048 bytes, nested at most 3 levels deep'],
      validate: ['body (zod)'],
      intercept: [
        'Trace (interceptors[0])',
        'token Audit (interceptors[1])',
        'Timing (@Use)',
        'token Audit (@Use)',
        'Timing (@Use)',
      ],
      handler: ['OrdersController.create'],
    })
  })

  it('shows a shared cache with its functions, visible fields and the mode of fields', async () => {
    expect(await sourcesOf('/orders/shared/list')).toMatchObject({
      cache: ['fresh for 1 s', 'key: byPath, shared by all callers', 'tags: tags'],
      visibility: ['pay: all, pay'],
      fields: ['strip'],
    })
    const { cache, queryCache } = await sourcesOf('/orders/search', {}, 'QUERY')
    expect([cache, queryCache]).toEqual([undefined, ['fresh for 60 s', 'key: default']])
  })

  it('shows that no guard is configured, or the function auth.can', async () => {
    const { guard } = await sourcesOf('/orders/7')
    expect(guard).toEqual(['no guard is configured: every request gets a 401 response'])
    const { can } = await sourcesOf('/orders/7', { auth: { guard: Token, can: mayRead } })
    expect(can).toEqual(['orders:read', 'orders:all', 'decided by auth.can: mayRead'])
  })

  it.each<[string, unknown, string]>([
    ['a class', Token, 'Token'],
    ['an instance', new Token(), 'Token'],
    ['an object', { canActivate: () => true }, 'anonymous object'],
    ['a string', 'guard', "'guard'"],
    ['a symbol', Symbol('guard'), 'Symbol(guard)'],
    ['a token', new InjectionToken('Guard'), 'token Guard'],
    ['a class without a name', (() => class extends Token {})(), 'anonymous'],
  ])('shows the name of a guard that is %s', async (_, guard, name) => {
    expect((await sourcesOf('/orders/7', { auth: { guard: guard as never } })).guard).toEqual([
      name,
    ])
  })

  it.each<[string, string, AppOptions, string[]]>([
    ['the default header', '/owned', { tenant: {} }, ['header x-tenant-id']],
    [
      'all sources in order',
      '/owned',
      {
        tenant: {
          header: 'x-org',
          jwtClaim: 'org',
          strategies: [
            function fromHost() {
              return undefined
            },
          ],
          store: { find: () => null },
        },
        auth: { guard: { canActivate: () => true, tenantOf: () => 'a' } },
      },
      [
        'header x-org',
        'claim org of the bearer token',
        'strategy fromHost',
        'verified credential',
        'confirmed by tenant.store',
      ],
    ],
    ['no option', '/owned', {}, ['set by middlewares of the application']],
    [
      'a public route with authorize',
      '/orders/search',
      { tenant: { authorize: mayRead }, auth: { guard: Token } },
      ['no tenant: `tenant.authorize` does not run on public routes without @Tenant'],
    ],
  ])('shows where the tenant comes from: %s', async (_, path, options, lines) => {
    const method = path === '/owned' ? 'GET' : 'QUERY'
    const { scope, authorizeTenant } = await sourcesOf(path, options, method)
    expect([scope, authorizeTenant]).toEqual([lines, undefined])
  })

  it('shows the function that authorizes tenants', async () => {
    const options = { tenant: { authorize: mayRead }, auth: { guard: Token } }
    const { authorizeTenant } = await sourcesOf('/owned', options)
    expect(authorizeTenant).toEqual(['tenant.authorize: mayRead'])
  })

  it('shows middlewares with their places, but no error middlewares, and what plugins may add', async () => {
    const onError = (_error: unknown, _req: unknown, _res: unknown, next: () => void) => next()
    const plugins = [
      { name: 'traces', steps: () => null, middlewares: [(_a, _b, next) => next()] },
      { name: 'silent' },
    ] as Plugin[]
    const options: AppOptions = {
      plugins,
      middlewares: [
        [
          function requestLog(_req, _res, next) {
            next()
          },
        ],
        onError,
      ],
    }
    const result = await explain('/orders/search', options, 'QUERY')
    if (result.kind !== 'route') throw new Error('There is more than one route.')
    expect(result.route.before).toEqual([
      { name: 'requestLog', from: 'middlewares[0][0]' },
      { name: 'anonymous', from: "plugin 'traces', middlewares[0]" },
    ])
    const enter = result.route.steps.find(({ name }) => name === 'enter')
    expect(enter).toMatchObject({ isCertain: false, sources: ["plugin 'traces'"] })
    expect(result.route).toMatchObject({ method: 'QUERY', path: '/orders/search' })
  })
})

describe('the search for a route', () => {
  const candidatesOf = async (path: string, method: string | null, options?: AppOptions) => {
    const result = await explain(path, options, method)
    return result.kind === 'route'
      ? [result.route.handler]
      : result.candidates.map(({ handler }) => handler)
  }

  it('finds one route, or lists all routes of the path', async () => {
    expect(await candidatesOf('/orders/any', null)).toEqual(['any'])
    expect(await candidatesOf('/orders/search', null)).toEqual(['read', 'search'])
    expect(await candidatesOf('/orders/any', 'ALL')).toEqual(['any'])
    expect(await candidatesOf('/orders/any', 'DELETE')).toEqual(['any'])
    expect(await candidatesOf('/orders/{id}', 'GET')).toEqual(['read'])
    expect(await candidatesOf('/orders', 'GET')).toEqual(['create'])
    expect(await candidatesOf('/none', 'GET')).toEqual([])
  })
})

describe('the versions of an explained route', () => {
  @Version('1', '2')
  @Controller('users')
  class UsersController {
    @Get() list() {
      return []
    }
  }

  it('are searched one by one, or only the version of the query', async () => {
    const options: AppOptions = {
      controllers: [UsersController],
      versions: { by: { header: 'X-Version' } },
    }
    const { description } = await readApp(options)
    const both = await description.explain({ method: 'GET', path: '/users' })
    expect(both).toMatchObject({
      kind: 'candidates',
      candidates: [{ version: '1' }, { version: '2' }],
    })
    const one = await description.explain({ method: 'GET', path: '/users', version: '2' })
    expect(one).toMatchObject({ kind: 'route', route: { version: '2' } })
  })
})
