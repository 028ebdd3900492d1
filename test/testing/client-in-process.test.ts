import {
  ApiResponseDoc,
  Auth,
  Body,
  Controller,
  Get,
  NotFoundError,
  Params,
  Post,
  type Request,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { emitClient } from '../../src/cli/client/emit-client.js'
import { type AnyClient, type AnyClientOptions, importClient } from '../cli/import-client.js'

const Note = z.object({ title: z.string().min(1) })

@Controller('notes')
class NotesController {
  @Get(':name')
  @Params(z.object({ name: z.string() }))
  @ApiResponseDoc({ status: 200, description: 'Found', schema: z.object({ name: z.string() }) })
  @ApiResponseDoc({ status: 404, description: 'Missing' })
  read(req: Request) {
    const name = req.params['name']
    if (name === 'missing') throw new NotFoundError('No such note')
    // The document does not describe `secret`.
    return name === 'lie' ? { name, secret: true } : { name }
  }

  @Get(':name/size')
  @Params(z.object({ name: z.string() }))
  @ApiResponseDoc({ status: 200, description: 'Its size', schema: z.int(), raw: true })
  size(req: Request) {
    return String(req.params['name']).length
  }

  @Get(':name/text')
  @Params(z.object({ name: z.string() }))
  @ApiResponseDoc({ status: 200, description: 'Its text', contentType: 'text/plain' })
  text(req: Request) {
    return `Text of ${req.params['name']}`
  }

  @Auth()
  @Post()
  @Body(Note)
  write(req: Request) {
    return req.body
  }
}

let app: TestApp
let createClient: (options: Partial<AnyClientOptions>) => AnyClient

beforeAll(async () => {
  const guard = {
    canActivate: async (req: Request) => req.get('authorization') === 'Bearer s3cret',
  }
  app = await TestApp.create({ controllers: [NotesController], auth: { guard }, contract: 'throw' })
  const client = await importClient('in-process', emitClient(app.document))
  createClient = (options) => client.createClient({ baseUrl: 'http://in-process', ...options })
})
afterAll(() => app.close())

describe('a generated client in the process of the test', () => {
  it('calls the application through app.fetch, without a listening server', async () => {
    const client = createClient({ fetch: app.fetch, token: 's3cret' })
    const found = await client['notes']?.['read']?.({ params: { name: 'a/b é' } })
    expect(found).toMatchObject({ ok: true, status: 200, data: { name: 'a/b é' } })
    const written = await client['notes']?.['write']?.({ body: { title: 'x' } })
    expect(written).toMatchObject({ ok: true, data: { title: 'x' } })
    const missing = await client['notes']?.['read']?.({ params: { name: 'missing' } })
    expect(missing).toMatchObject({ ok: false, status: 404, error: { message: 'No such note' } })
    const size = await client['notes']?.['size']?.({ params: { name: 'abc' } })
    expect(size).toMatchObject({ ok: true, data: 3 })
    const text = await client['notes']?.['text']?.({ params: { name: 'abc' } })
    expect(text).toMatchObject({ ok: true, data: 'Text of abc' })
    expect(app.server.listening).toBe(false)
  })

  it('sends requests as the user of app.as()', async () => {
    const body = { title: 'x' }
    const user = createClient({ fetch: app.as({ id: 7 }).fetch })
    expect(await user['notes']?.['write']?.({ body })).toMatchObject({ ok: true })
    const nobody = createClient({ fetch: app.as(null).fetch })
    expect(await nobody['notes']?.['write']?.({ body })).toMatchObject({ ok: false, status: 401 })
  })

  it('fails for a response that the document does not describe', async () => {
    const client = createClient({ fetch: app.fetch })
    const lie = client['notes']?.['read']?.({ params: { name: 'lie' } })
    await expect(lie).rejects.toThrow('data.secret is not documented')
  })
})
