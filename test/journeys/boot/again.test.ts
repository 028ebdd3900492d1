import {
  App,
  type AppOptions,
  Body,
  Controller,
  Get,
  inject,
  Params,
  Post,
  type Request,
  type SwaggerOptions,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'

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
