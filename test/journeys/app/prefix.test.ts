import {
  type App,
  type AppOptions,
  Auth,
  BaseController,
  Controller,
  Get,
  type Module,
  Params,
  Post,
  publicRouter,
  type Req,
  type Request,
  type Response,
  tenantRouter,
} from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { emitClient } from '../../../src/cli/client/emit-client.js'
import { importClient } from '../../cli/import-client.js'
import { bootProblems, bootWarnings } from '../../support.js'

@Controller('orders')
class OrdersController extends BaseController {
  @Get(':id')
  get(req: Request, res: Response) {
    return this.ok(res, 'Found', req.params.id)
  }

  @Auth()
  @Post()
  create() {
    return 'created'
  }
}

@Controller('/users/')
class UsersController {
  @Get()
  list(req: Request) {
    return req.params
  }
}

@Controller()
class RootController {
  @Get()
  root() {
    return 'root'
  }
}

const running: { close(): Promise<void> }[] = []
afterEach(() => Promise.all(running.splice(0).map((app) => app.close())))

async function start(options: TestOptions): Promise<TestApp> {
  const app = await TestApp.create({ contract: 'throw', logger: false, ...options })
  running.push(app)
  return app
}

const pathsOf = (app: App) => app.getRouteTable().map(({ method, path }) => `${method} ${path}`)
const controllers = [OrdersController, UsersController, RootController]
const guard = { canActivate: () => true }

describe('the prefix option', () => {
  it.each(['api/v1', '/api/v1', 'api//v1/', '/api/v1/'])(
    'is added before the paths of all controllers: %s',
    async (prefix) => {
      const app = await start({ controllers, prefix, auth: { guard } })
      expect(pathsOf(app)).toEqual([
        'GET /api/v1/orders/:id',
        'POST /api/v1/orders',
        'GET /api/v1/users',
        'GET /api/v1',
      ])
      await app.request().get('/api/v1/orders/7').expect(200)
      await app.request().get('/API/V1/users/').expect(200)
      await app.request().get('/api/v1').expect(200)
      await app.request().get('/orders/7').expect(404)
      await app.request().get('/').expect(404)
    },
  )

  it.each(['', '/', undefined])('can be empty or missing: %j', async (prefix) => {
    const app = await start({
      controllers: [UsersController],
      ...(prefix !== undefined && { prefix }),
    })
    expect(pathsOf(app)).toEqual(['GET /users'])
    await app.request().get('/users').expect(200)
  })

  it('is part of the paths that 405 and OPTIONS responses, middlewares and guards use', async () => {
    const seen: unknown[] = []
    const middlewares: AppOptions['middlewares'] = [
      (req, _res, next) => {
        seen.push(req.path)
        next()
      },
    ]
    const noting = {
      canActivate(_req: Request, route?: { path: string }) {
        seen.push(route?.path)
        return true
      },
    }
    const app = await start({ controllers, prefix: 'api', middlewares, auth: { guard: noting } })
    await app.request().delete('/api/orders/7').expect(405).expect('Allow', 'GET, HEAD, OPTIONS')
    await app.request().options('/api/orders').expect(200).expect('Allow', 'POST, OPTIONS')
    await app.request().post('/api/orders').expect(200)
    expect(seen).toEqual(['/api/orders/7', '/api/orders', '/api/orders', '/api/orders'])
  })

  it('is part of the documented paths, but does not change swagger.path', async () => {
    const app = await start({ controllers, prefix: 'api', swagger: { path: '/docs' } })
    expect(Object.keys(app.document.paths)).toEqual([
      '/api',
      '/api/orders',
      '/api/orders/{id}',
      '/api/users',
    ])
    const names = (document: App['document']) =>
      Object.values(document.paths).flatMap((item) =>
        Object.values(item).map(({ operationId }) => operationId),
      )
    expect(names(app.document)).toEqual(names((await start({ controllers })).document))
    await app.request().get('/docs').expect(200)
    await app.request().get('/docs.json').expect(200)
    await app.request().get('/api/docs').expect(404)
  })

  it('does not change the paths of Express routers in `middlewares`', async () => {
    const legacy = express.Router().get('/rows', (_req, res) => void res.json({ path: 'legacy' }))
    const admitted = express.Router().get('/rows', (_req, res) => void res.json({ path: 'tenant' }))
    const app = await start({
      controllers,
      prefix: 'api',
      contract: 'off',
      tenant: {},
      auth: { guard },
      middlewares: [
        publicRouter(express.Router().use('/legacy', legacy)),
        tenantRouter(admitted, { path: '/admitted' }),
      ],
    })
    const ask = async (path: string) => (await app.asTenant('acme').request().get(path)).body
    expect(await ask('/legacy/rows')).toEqual({ path: 'legacy' })
    expect(await ask('/admitted/rows')).toEqual({ path: 'tenant' })
    expect(await ask('/api/legacy/rows')).toMatchObject({ status: 404 })
  })

  it('is part of the paths in the generated client', async () => {
    const app = await start({ controllers, prefix: 'api', auth: { guard } })
    const name = `prefix-${process.env['BLAZON_DIALECT']}`
    const { createClient } = await importClient(name, emitClient(app.document))
    const client = createClient({ baseUrl: 'http://in-process', fetch: app.fetch })
    const found = await client['orders']?.['get']?.({ params: { id: '7' } })
    expect(found).toMatchObject({ ok: true, status: 200, data: '7' })
  })

  it('can contain path parameters, which belong to every route', async () => {
    const ByOrganization = z.object({ organization: z.coerce.number(), id: z.string() })

    @Controller('members')
    class MembersController {
      @Get(':id')
      @Params(ByOrganization)
      get({ params }: Req<{ params: typeof ByOrganization }>) {
        return params
      }
    }
    const app = await start({ controllers: [MembersController], prefix: 'orgs/:organization' })
    const { body } = await app.request().get('/orgs/3/members/x').expect(200)
    expect(body.data).toEqual({ organization: 3, id: 'x' })
    await app.request().get('/orgs/x/members/x').expect(400)
    const operation = app.document.paths['/orgs/{organization}/members/{id}']?.get
    expect(operation?.parameters?.map(({ name }) => name)).toEqual(['organization', 'id'])
    await app.fuzz({ seed: 3, runs: 30 })
  })

  it('causes a warning if @Params lacks its parameter, and an error if a path repeats it', async () => {
    @Controller('members')
    class MembersController {
      @Get(':id')
      @Params(z.object({ id: z.string() }))
      get() {
        return null
      }
    }
    const controllers = [MembersController]
    const warnings = await bootWarnings({ controllers, prefix: ':organization' })
    expect(warnings).toMatchObject([{ code: 'W_PATH_PARAMETER_UNDESCRIBED' }])
    expect(warnings[0]?.text).toContain('/:organization/members/:id')
    expect(await bootProblems({ controllers, prefix: ':id' })).toMatchObject([
      { code: 'E_PATH_SYNTAX', cause: expect.stringContaining("'id' appears twice") },
    ])
  })

  it('is part of the paths that authMatrix() and fuzz() test', async () => {
    const app = await start({ controllers, prefix: 'api', auth: { guard } })
    const { rows } = await app.authMatrix({ anonymous: null })
    expect(rows.map(({ operation }) => operation).sort()).toEqual(pathsOf(app).sort())
    const report = await app.fuzz({ seed: 1, runs: 5 })
    expect([report.operations, report.skipped]).toEqual([4, []])
  })

  it('is part of the route paths in boot errors', async () => {
    class Copy extends OrdersController {}
    const problems = await bootProblems({ controllers: [OrdersController, Copy], prefix: 'api' })
    expect(problems[0]).toMatchObject({
      code: 'E_ROUTE_DUPLICATE',
      cause: 'GET /api/orders/:id is already handled by OrdersController.get.',
    })
  })

  it('does not change another application with the same controllers', async () => {
    const [first, second, third] = [
      await start({ controllers, prefix: 'a' }),
      await start({ controllers, prefix: 'b' }),
      await start({ controllers }),
    ]
    for (const [app, path] of [
      [first, '/a/users'],
      [second, '/b/users'],
      [third, '/users'],
    ] as const) {
      expect(pathsOf(app)).toContain(`GET ${path}`)
      expect(app.document.paths).toHaveProperty([path])
      await app.request().get(path).expect(200)
    }
    await first.request().get('/b/users').expect(404)
    await third.request().get('/a/users').expect(404)
  })

  it.each([
    ['api?x', "'?'"],
    ['api#x', "'#'"],
    ['*rest', 'wildcard'],
    ['*rest/api', 'wildcard'],
    ['http://host/api', "':'"],
    ['a b', "' '"],
    ['%61', "'%'"],
    [':a/:a', "'a' appears twice"],
    [7, '7 is not a path'],
    [null, 'null is not a path'],
  ])('is refused at boot if it is %j', async (prefix, cause) => {
    const problem = {
      code: 'E_OPTION_INVALID',
      cause: expect.stringContaining(cause),
      remedy: expect.stringContaining("'api'"),
    }
    const options = { controllers, prefix } as AppOptions
    expect(await bootProblems(options)).toMatchObject([{ ...problem, subject: 'prefix' }])
    const module = { name: 'shop', controllers, prefix } as Module
    expect(await bootProblems({ modules: [module] })).toMatchObject([
      { ...problem, subject: "module 'shop', prefix" },
    ])
  })
})

describe('the prefix option of a module', () => {
  const users: Module = { name: 'users', prefix: '/people/', controllers: [UsersController] }

  it('is added between the prefix of the application and the path of the controller', async () => {
    const orders: Module = { prefix: 'v1', imports: [users], controllers: [OrdersController] }
    const app = await start({
      controllers: [RootController],
      modules: [orders],
      prefix: 'api',
      auth: { guard },
    })
    expect(pathsOf(app)).toEqual([
      'GET /api',
      'GET /api/v1/orders/:id',
      'POST /api/v1/orders',
      'GET /api/people/users',
    ])
    await app.request().get('/api/people/users').expect(200)
    await app.request().get('/api/v1/users').expect(404)
  })

  it('applies to modules with exports, and can be the same in two modules', async () => {
    const own: Module = { prefix: 'people', controllers: [OrdersController], exports: [] }
    const app = await start({ modules: [users, own], auth: { guard } })
    expect(pathsOf(app).sort()).toEqual([
      'GET /people/orders/:id',
      'GET /people/users',
      'POST /people/orders',
    ])
    await app.request().get('/people/orders/1').expect(200)
  })

  it('can be the only field of a module, and causes a warning if it is misspelled', async () => {
    expect(await bootWarnings({ modules: [{ prefix: 'a' }] })).toEqual([])
    const modules = [{ prefx: 'a' } as Module]
    expect(await bootWarnings({ modules })).toMatchObject([{ code: 'W_OPTION_UNKNOWN' }])
  })

  it('causes an error if a controller is listed again with another prefix', async () => {
    const [problem, ...others] = await bootProblems({
      controllers: [UsersController],
      modules: [users],
    })
    expect(others).toEqual([])
    expect(problem).toMatchObject({
      code: 'E_PREFIX_CONFLICT',
      subject: 'UsersController',
      cause: expect.stringContaining(
        "in controllers (prefix /) and in module 'users' (prefix /people)",
      ),
      remedy: expect.stringContaining('class Other extends UsersController {}'),
    })
  })

  it('causes no error for a controller in two modules with equivalent prefixes, or for a subclass', async () => {
    class Again extends UsersController {}
    const modules: Module[] = [
      users,
      { name: 'same', prefix: 'people', controllers: [UsersController] },
      { name: 'old', prefix: 'v0', controllers: [Again] },
    ]
    const app = await start({ modules })
    expect(pathsOf(app)).toEqual(['GET /people/users', 'GET /v0/users'])
    await app.request().get('/v0/users').expect(200)
  })
})
