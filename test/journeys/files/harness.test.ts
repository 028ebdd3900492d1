import {
  ApiResponseDoc,
  Body,
  Controller,
  fileResponse,
  Get,
  getTenantId,
  HttpCode,
  Post,
  Produces,
  type Req,
  type Request,
  Tenant,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { bootProblems } from '../../support.js'
import { folder, state } from './files-app.js'

const notes = new Map<string, string[]>()
/** Whether the text file shows the notes of all tenants. */
let leaks = false
const Note = z.object({ note: z.string() })

@Tenant()
@Controller('notes')
class NotesController {
  @ApiResponseDoc({ status: 200, content: 'application/pdf' })
  @Get('files/:name')
  file(req: Request) {
    return fileResponse(`${(req.params as { name: string }).name}.pdf`, { root: state.root })
  }

  @ApiResponseDoc({ status: 200, content: 'text/plain' })
  @Get('text')
  text() {
    const shown = leaks ? [...notes.values()].flat() : (notes.get(getTenantId() ?? '') ?? [])
    return Buffer.from(shown.join('\n'))
  }

  @HttpCode(204)
  @Body(Note)
  @Post()
  add(req: Req<{ body: typeof Note }>) {
    const tenant = getTenantId() ?? ''
    notes.set(tenant, [...(notes.get(tenant) ?? []), req.body.note])
  }

  @Produces('application/json', 'text/csv')
  @ApiResponseDoc({ status: 200, schema: z.array(Note) })
  @Get()
  list() {
    return (notes.get(getTenantId() ?? '') ?? []).map((note) => ({ note }))
  }
}

async function start() {
  folder({ 'a.pdf': '0123456789' })
  notes.clear()
  leaks = false
  const app = await TestApp.create({
    controllers: [NotesController],
    tenant: {},
    contract: 'throw',
    logger: false,
  })
  onTestFinished(() => app.close())
  return app
}

it('every file response matches the OpenAPI document', async () => {
  const app = await start()
  const get = (path: string) => app.asTenant('acme').request().get(path)
  const { headers } = await get('/notes/files/a').expect(200)
  await get('/notes/files/a').set('Range', 'bytes=0-1').expect(206, Buffer.from('01'))
  await get('/notes/files/a')
    .set('If-None-Match', headers['etag'] as string)
    .expect(304)
  await get('/notes/files/a').set('If-Match', '"other"').expect(412)
  await get('/notes/files/a').set('Range', 'bytes=99-').expect(416)
  await get('/notes/files/missing').expect(404)
  await app.asTenant('acme').request().head('/notes/files/a').expect(200)
  await get('/notes').set('Accept', 'text/csv').expect(200)
  await get('/notes').set('Accept', 'image/png').expect(406)
})

it.each(['3.0', '3.1', '3.2'] as const)('a file is described in OpenAPI %s', async (openapi) => {
  folder()
  const controllers = [NotesController]
  await using app = await TestApp.create({
    controllers,
    tenant: {},
    logger: false,
    swagger: { openapi },
  })
  const { responses } = app.document.paths['/notes/files/{name}']?.get ?? { responses: {} }
  const statuses = ['200', '206', '304', '400', '404', '412', '416', '500', '503']
  expect(Object.keys(responses)).toEqual(statuses)
  const [whole, part] = ['200', '206'].map(
    (status) => responses[status] as { content: object; headers: object },
  )
  expect(whole?.content).toMatchObject({
    'application/pdf': { schema: { type: 'string', format: 'binary' } },
  })
  expect(Object.keys(part?.headers ?? {}).sort()).toEqual([
    'Accept-Ranges',
    'Content-Range',
    'ETag',
  ])
})

it('routes with files pass app.fuzz(), and proveIsolation() finds a leak in a file', async () => {
  const app = await start()
  const report = await app.fuzz({ seed: 1, runs: 20 })
  expect(report).toMatchObject({ operations: 4, skipped: [] })
  const prove = async () =>
    (await app.proveIsolation({ seed: 1, rounds: 2, tenants: ['one', 'two'] })).leaks
  expect(await prove()).toEqual([])
  leaks = true
  const found = await prove()
  expect(found.length).toBeGreaterThan(0)
  expect(JSON.stringify(found)).toContain('/notes/text')
})

it('the `content` of a documented file must be a media type, without other options', async () => {
  const describe = (options: object) => {
    @Controller('x')
    class Described {
      @ApiResponseDoc({ status: 200, ...options }) @Get() get() {}
    }
    return bootProblems({ controllers: [Described] })
  }
  expect(await describe({ content: 'pdf' })).toMatchObject([
    {
      code: 'E_OPTION_INVALID',
      cause: expect.stringContaining('is not a media type'),
    },
  ])
  for (const other of [{ raw: true }, { schema: {} }, { contentType: 'text/csv' }]) {
    const problems = await describe({ content: 'application/pdf', ...other })
    expect(problems).toMatchObject([
      {
        code: 'E_DECORATOR_CONFLICT',
        remedy: expect.stringContaining(Object.keys(other)[0] as string),
      },
    ])
  }
})
