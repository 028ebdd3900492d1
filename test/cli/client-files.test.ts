import {
  ApiResponseDoc,
  App,
  Controller,
  fileResponse,
  Get,
  NotFoundError,
  Produces,
  type Request,
} from 'blazon'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { emitClient } from '../../src/cli/client/emit-client.js'
import { type AnyClient, importClient } from './import-client.js'

@Controller('files')
class FilesController {
  @ApiResponseDoc({ status: 200, content: 'application/pdf' })
  @Get('report')
  report() {
    return fileResponse(Buffer.from('0123456789'), { name: 'report.pdf', etag: 'v1' })
  }

  @ApiResponseDoc({ status: 200, content: 'text/csv' })
  @Get('table')
  table() {
    return Buffer.from('a,b')
  }

  @Produces('application/json', 'text/csv', {
    type: 'application/zip',
    serialize: () => Buffer.from('zip'),
  })
  @ApiResponseDoc({ status: 200, schema: z.array(z.object({ id: z.int() })) })
  @Get('rows')
  rows(req: Request) {
    if (req.query['fail'] !== undefined) throw new NotFoundError()
    return [{ id: 1 }]
  }
}

const app = new App({ controllers: [FilesController], logger: false })
let files: AnyClient[string] = {}
let text: string

beforeAll(async () => {
  const { port } = await app.listen(0, { host: '127.0.0.1', announce: false })
  text = emitClient(app.document)
  const { createClient } = await importClient('files', text)
  files = createClient({ baseUrl: `http://127.0.0.1:${port}` })['files'] as AnyClient[string]
})
afterAll(() => app.close())

const send = async (name: string, input?: object) => {
  const method = files[name]
  if (method === undefined) throw new Error(`The client has no ${name}`)
  return await method(input)
}

it('a client receives a file or a range of it as a Blob, and no data if its copy is current', async () => {
  const whole = await send('report')
  expect([whole.ok, whole.status, await whole.data.text()]).toEqual([true, 200, '0123456789'])
  const part = await send('report', { headers: { Range: 'bytes=2-4' } })
  expect([part.status, await part.data.text()]).toEqual([206, '234'])
  const same = await send('report', { headers: { 'If-None-Match': '"v1"' } })
  expect([same.ok, same.status, same.data]).toEqual([true, 304, undefined])
  const behind = await send('report', { headers: { Range: 'bytes=99-' } })
  expect(behind).toMatchObject({ ok: false, status: 416, error: { code: 'RANGE_NOT_SATISFIABLE' } })
})

it('a client receives a text file as a string', async () => {
  expect(await send('table')).toMatchObject({ ok: true, data: 'a,b' })
})

it('a client receives JSON by default, or the requested media type', async () => {
  expect(await send('rows')).toMatchObject({ status: 200, data: [{ id: 1 }] })
  expect(await send('rows', { accept: 'text/csv' })).toMatchObject({ data: 'id\r\n1\r\n' })
  const zip = await send('rows', { accept: 'application/zip' })
  expect(await zip.data.text()).toBe('zip')
  const failed = await send('rows', { accept: 'text/csv', query: { fail: 1 } })
  expect(failed).toMatchObject({ ok: false, status: 404 })
})

it('the types of a client describe the body of each media type', () => {
  expect(text).toContain('accept: "text/csv" }): Promise<Success<200, string> |')
  expect(text).toContain('accept: "application/zip" }): Promise<Success<200, Blob> |')
  expect(text).toMatch(/Success<200 \| 206, Blob>/)
  expect(text).toMatch(/Success<304, undefined>/)
})
