import {
  App,
  type AppOptions,
  Auth,
  Body,
  type Class,
  Controller,
  Get,
  inject,
  Params,
  Post,
  Query,
  type Request,
  type SwaggerOptions,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems, bootWarnings } from '../../support.js'

class Counter {
  count = 0
}

@Controller('things')
class ThingsController {
  readonly #counter = inject(Counter)

  @Get(':id')
  @Params(z.object({ id: z.string() }))
  read(req: Request) {
    this.#counter.count++
    return `${req.params['id']} ${this.#counter.count}`
  }

  @Post()
  @Body(z.object({ at: z.custom(() => true) }))
  create() {
    return null
  }
}

const options: AppOptions = { controllers: [ThingsController], providers: [Counter], logger: false }

/** Starts an application and closes it, so that a test can compare several of them. */
async function withApp<T>(own: AppOptions, use: (app: TestApp) => T | Promise<T>): Promise<T> {
  const app = await TestApp.create({ ...options, ...own })
  try {
    return await use(app)
  } finally {
    await app.close()
  }
}

it('boot creates new controllers for every application', async () => {
  const ask = async (app: TestApp) => (await app.request().get('/things/a')).body.data
  expect(await withApp({}, ask)).toBe('a 1')
  expect(await withApp({}, ask)).toBe('a 1')
})

it('boot creates a new document for every application', async () => {
  const first = await withApp({}, (app) => app.document)
  for (const path of Object.keys(first.paths)) Reflect.deleteProperty(first.paths, path)
  const second = await withApp({}, (app) => app.document)
  expect(Object.keys(second.paths)).toEqual(['/things', '/things/{id}'])
})

it('boot repeats its warnings for every application', async () => {
  const warningsOf = async () => {
    const codes: string[] = []
    const warn = ({ code }: { code?: string }) => void codes.push(String(code))
    const app = await App.create({ ...options, logger: { info() {}, error() {}, warn } })
    await app.close()
    return codes
  }
  expect(await warningsOf()).toEqual(['W_SCHEMA_NOT_REPRESENTABLE'])
  expect(await warningsOf()).toEqual(['W_SCHEMA_NOT_REPRESENTABLE'])
  const strict = () => App.create({ ...options, strict: true })
  await expect(strict()).rejects.toThrow('W_SCHEMA_NOT_REPRESENTABLE')
  await expect(strict()).rejects.toThrow('W_SCHEMA_NOT_REPRESENTABLE')
})

it('boot reads the options again for each application, even if their object has changed', async () => {
  const swagger: SwaggerOptions & { title?: string } = { title: 'One' }
  const read = () => withApp({ swagger }, (app) => app.document.info.title)
  expect(await read()).toBe('One')
  swagger.title = 'Two'
  expect(await read()).toBe('Two')
  const guard = { canActivate: async () => true }
  const access = (own: AppOptions) =>
    withApp(own, (app) => app.getRouteTable().map(({ isProtected }) => isProtected))
  expect(await access({})).toEqual([false, false])
  expect(await access({ auth: { guard, default: 'protected' } })).toEqual([true, true])
})

it('boot calls a function in the options again for every application', async () => {
  const wanted = { path: '/things' }
  const include: SwaggerOptions['include'] = ({ path }) => path === wanted.path
  const read = () => withApp({ swagger: { include } }, (app) => Object.keys(app.document.paths))
  expect(await read()).toEqual(['/things'])
  wanted.path = '/things/:id'
  expect(await read()).toEqual(['/things/{id}'])
})

it('an application serves only the documents of its own options', async () => {
  const statusOf = async (path: string) => (app: TestApp) =>
    app
      .request()
      .get(`${path}.json`)
      .then(({ status }) => status)
  expect(await withApp({ swagger: { path: '/one' } }, await statusOf('/one'))).toBe(200)
  expect(await withApp({ swagger: { path: '/two' } }, await statusOf('/one'))).toBe(404)
  expect(await withApp({ swagger: { path: '/two' } }, await statusOf('/two'))).toBe(200)
  expect(await withApp({ swagger: { enabled: false } }, await statusOf('/two'))).toBe(404)
})

it('an application has a route that was declared after another application started', async () => {
  @Controller('growing')
  class GrowingController {
    @Get()
    list() {
      return []
    }

    late() {
      return 'late'
    }
  }
  const controllers = [GrowingController]
  expect(await withApp({ controllers }, (app) => app.getRouteTable().length)).toBe(1)
  const { prototype } = GrowingController
  const descriptor = Object.getOwnPropertyDescriptor(prototype, 'late') as PropertyDescriptor
  const decorate = Get('late') as unknown as (...args: unknown[]) => void
  decorate(prototype, 'late', descriptor)
  const ask = async (app: TestApp) => (await app.request().get('/growing/late')).body.data
  expect(await withApp({ controllers }, ask)).toBe('late')
})

/** Declares the same controller again, so that nothing is known about it. */
function declareItems(): Class {
  @Controller('items')
  class ItemsController {
    @Get(':id')
    @Query(z.object({ filter: z.object({ a: z.string() }) }))
    read() {
      return {}
    }

    @Get()
    list() {
      return []
    }

    @Auth()
    @Post()
    @Body(z.object({ name: z.string() }))
    create() {
      return {}
    }
  }
  return ItemsController
}

const guard = { canActivate: () => true }
const key = { type: 'apiKey', in: 'header', name: 'x-key' } as const

const unlimited: AppOptions = { timeouts: { handler: false } }
const unprocessable: AppOptions = { errors: { status: { validation: 422 } } }

it.each<[name: string, own: AppOptions, before?: AppOptions]>([
  ['prefix', { prefix: 'v1' }],
  ['defaultStatus', { defaultStatus: { POST: 201 } }],
  ['envelope', { envelope: false }],
  ['responses', { responses: { documented: [{ status: 451, description: 'No' }] } }],
  ['auth.guard', { auth: { guard } }],
  ['auth.default', { auth: { guard, default: 'protected' } }],
  ['auth.guards', { auth: { guards: { key: guard, token: guard } } }],
  ['auth.guard.security', { auth: { guard: { ...guard, security: key } } }, { auth: { guard } }],
  ['timeouts.handler', { timeouts: { handler: false } }],
  ['limits.body', { limits: { body: '2kb' } }],
  ['errors', { errors: 'problem' }],
  ['errors.status', { errors: { status: { validation: 422 } } }],
  ['requestIds', { requestIds: true }],
  ['capacity', { ...unlimited, capacity: { concurrent: 10 } }, unlimited],
  ['rateLimit', { rateLimit: { limit: 5, window: '1m' } }],
  ['tenant', { tenant: { required: true } }],
  ['swagger.openapi', { swagger: { openapi: '3.1' } }],
  ['swagger.servers', { swagger: { servers: [{ url: '/v1' }] } }],
  [
    'plugins.explain',
    { ...unprocessable, plugins: [{ name: 'p', explain: () => undefined }] },
    unprocessable,
  ],
  ['plugins', { plugins: [{ name: 'p', contract: () => ({ errors: [410] }) }] }],
])(
  'a second application with the same controllers has the document of its own option %s',
  (...row) => {
    const [, own, others = {}] = row
    const Items = declareItems()
    const read = (controller: Class, more: AppOptions) => {
      const app = new App({ controllers: [controller], logger: false, ...more })
      return { document: app.document, routes: app.getRouteTable() }
    }
    const before = read(Items, others)
    const found = read(Items, own)
    expect(found).toEqual(read(declareItems(), own))
    expect(found).not.toEqual(before)
    expect(read(Items, others)).toEqual(before)
  },
)

it('a second application with the same controllers has the warnings for its own query parser', () => {
  const Items = declareItems()
  const codes = (parser?: string) => {
    const app = new App({ controllers: [Items], logger: false })
    if (parser !== undefined) app.express.set('query parser', parser)
    return app.documents[0]?.problems.map(({ code }) => code)
  }
  expect(codes()).toEqual(['W_QUERY_NESTED'])
  expect(codes('extended')).toEqual([])
  expect(codes()).toEqual(['W_QUERY_NESTED'])
})

it('a second application has the routes of its own list of controllers', () => {
  @Controller('other')
  class OtherController {
    @Get()
    list() {
      return []
    }
  }
  const Items = declareItems()
  const read = (...controllers: Class[]) =>
    new App({ controllers, logger: false }).getRouteTable().map(({ path }) => path)
  expect(read(Items)).toEqual(['/items/:id', '/items', '/items'])
  expect(read(Items, OtherController)).toEqual(['/items/:id', '/items', '/items', '/other'])
  expect(read(Items)).toEqual(['/items/:id', '/items', '/items'])
})

it('boot checks the guards of each application with the same controllers', async () => {
  @Controller('own')
  class OwnController {
    @Auth()
    @Get()
    list() {
      return []
    }

    @Auth('key')
    @Get('key')
    key() {
      return []
    }
  }
  const controllers = [OwnController]
  const unknown = [{ code: 'E_AUTH_GUARD_UNKNOWN', subject: 'OwnController.key' }]
  expect(await bootProblems({ controllers, auth: { guard } })).toMatchObject(unknown)
  expect(await bootWarnings({ controllers, auth: { guards: { key: guard } } })).toEqual([])
  expect(await bootProblems({ controllers, auth: { guards: { other: guard } } })).toMatchObject(
    unknown,
  )
  const Items = [declareItems()]
  const codes = async (auth?: AppOptions['auth']) =>
    (await bootWarnings({ controllers: Items, ...(auth && { auth }) })).map(({ code }) => code)
  expect(await codes()).toContain('W_AUTH_WITHOUT_GUARD')
  expect(await codes({ guard })).not.toContain('W_AUTH_WITHOUT_GUARD')
  expect(await codes()).toContain('W_AUTH_WITHOUT_GUARD')
})
