import { Auth, Controller, Get, Params, Post, type Req, Tenant } from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { findRoutes } from '../../../src/app/explain/explain-route.js'
import { emitClient } from '../../../src/cli/client/emit-client.js'
import type { AppModel } from '../../../src/contracts/route-model.js'
import { importClient } from '../../cli/import-client.js'

const Place = z.object({ lat: z.coerce.number(), lng: z.coerce.number() })
const Book = z.object({ id: z.string() })
const File = z.object({ name: z.string(), ext: z.string() })
const Name = z.object({ constructor: z.string() })

@Controller('near')
class NearController {
  @Get(':lat,:lng')
  @Params(Place)
  find({ params }: Req<{ params: typeof Place }>) {
    return params
  }
}

@Controller('Bücher')
class BooksController {
  @Get('\\{all\\}')
  list() {
    return 'all'
  }

  @Get('seiten\\:batchGet')
  batch() {
    return 'batch'
  }

  @Auth()
  @Post(':id\\:publish')
  @Params(Book)
  publish({ params }: Req<{ params: typeof Book }>) {
    return params.id
  }
}

@Controller('files')
class FilesController {
  @Get(':name.:ext')
  @Params(File)
  get({ params }: Req<{ params: typeof File }>) {
    return params
  }

  @Get(':constructor')
  @Params(Name)
  other({ params }: Req<{ params: typeof Name }>) {
    return params.constructor
  }
}

const controllers = [NearController, BooksController, FilesController]

const running: { close(): Promise<void> }[] = []
afterEach(() => Promise.all(running.splice(0).map((app) => app.close())))

async function start(options: Partial<TestOptions> = {}): Promise<TestApp> {
  const app = await TestApp.create({
    contract: 'throw',
    logger: false,
    controllers,
    auth: { guard: { canActivate: () => true } },
    ...options,
  })
  running.push(app)
  return app
}

describe('paths with literal characters or several parameters in a segment', () => {
  it('appear in the document as encoded path templates', async () => {
    const { paths } = (await start()).document
    expect(Object.keys(paths)).toEqual([
      '/B%C3%BCcher/%7Ball%7D',
      '/B%C3%BCcher/seiten:batchGet',
      '/B%C3%BCcher/{id}:publish',
      '/files/{constructor}',
      '/files/{name}.{ext}',
      '/near/{lat},{lng}',
    ])
    const names = (path: string) => paths[path]?.get?.parameters?.map(({ name }) => name)
    expect(names('/near/{lat},{lng}')).toEqual(['lat', 'lng'])
    expect(names('/files/{name}.{ext}')).toEqual(['name', 'ext'])
  })

  it('pass the parameter values of the generated client to the handler', async () => {
    const app = await start()
    const name = `paths-${process.env['BLAZON_DIALECT']}`
    const { createClient } = await importClient(name, emitClient(app.document))
    const client = createClient({ baseUrl: 'http://in-process', fetch: app.fetch })
    const dataOf = async (group: string, method: string, params?: object) =>
      (await client[group]?.[method]?.(params && { params }))?.data
    expect(await dataOf('near', 'find', { lat: 1.5, lng: -2 })).toEqual({ lat: 1.5, lng: -2 })
    expect(await dataOf('books', 'publish', { id: 'a:b/ü' })).toBe('a:b/ü')
    expect(await dataOf('books', 'batch')).toBe('batch')
    expect(await dataOf('books', 'list')).toBe('all')
    const file = { name: 'Jahr.2026,%', ext: 'PDF' }
    expect(await dataOf('files', 'get', file)).toEqual(file)
    expect(await dataOf('files', 'other', { constructor: 'README' })).toBe('README')
  })

  it('are tested by fuzz() and authMatrix()', async () => {
    const app = await start()
    expect(await app.fuzz({ seed: 1, runs: 20 })).toMatchObject({ operations: 6, skipped: [] })
    const { rows } = await app.authMatrix({ anonymous: null })
    expect(rows.map(({ operation }) => operation)).toContain('POST /Bücher/:id\\:publish')
  })

  it('are tested by proveIsolation()', async () => {
    @Tenant()
    @Controller('notes')
    class NotesController {
      @Get('@:author,:id')
      get(req: Req) {
        return req.params
      }
    }
    const app = await start({ controllers: [NotesController], tenant: {} })
    const report = await app.proveIsolation({ seed: 1, rounds: 2, tenants: ['one', 'two'] })
    expect(report.leaks).toEqual([])
    expect(String(report)).toContain('GET /notes/@{author},{id}')
  })

  it('are found by their pattern in the route table and by the path of a request', async () => {
    const table = (await start()).getRouteTable()
    const literal = { method: 'GET', path: '/files/constructor' }
    const routes = [...table, literal].map(({ method, path }, index) => ({ index, method, path }))
    const model = { routes } as unknown as AppModel
    for (const route of routes) {
      const { method, path } = route
      expect(findRoutes(model, { method, path }).found).toEqual([route])
    }
    expect(findRoutes(model, { method: null, path: '/near/1,2' }).found).toHaveLength(1)
    expect(findRoutes(model, { method: null, path: '/near/1' }).found).toEqual([])
  })

  it('are unchanged in the labels of metrics', async () => {
    const app = await start({ metrics: {} })
    await app.request().post('/b%C3%BCcher/7:PUBLISH').expect(200)
    const { text } = await app.request().get('/metrics')
    expect(text).toContain(String.raw`route="/Bücher/:id\\:publish"`)
  })

  it('do not change the path syntax of Express routers in `middlewares`', async () => {
    const router = express
      .Router()
      .get('/own{/:id}.json', ({ params }, res) => void res.json({ ...params }))
    const app = await start({ contract: 'off', middlewares: [router] })
    expect((await app.request().get('/own/7.json')).body).toEqual({ id: '7' })
  })
})
