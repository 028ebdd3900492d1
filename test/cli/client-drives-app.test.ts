import {
  App,
  Auth,
  BaseController,
  Body,
  Controller,
  Delete,
  Get,
  NotFoundError,
  Params,
  Post,
  Query,
  type Request,
  type Response,
} from 'blazon'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { emitClient } from '../../src/cli/client/emit-client.js'
import { type AnyClient, importClient } from './import-client.js'

const Note = z.object({ title: z.string().min(1), tags: z.array(z.string()).default([]) })

@Controller('notes')
class NotesController extends BaseController {
  @Get(':name')
  @Params(z.object({ name: z.string() }))
  @Query(z.object({ tags: z.array(z.string()).optional(), page: z.coerce.number().default(1) }))
  read(req: Request) {
    if (req.params['name'] === 'missing') throw new NotFoundError('No such note')
    return { ...req.params, ...(req.query as object) }
  }

  @Auth()
  @Post()
  @Body(Note)
  write(req: Request, res: Response) {
    return this.ok(res, 'Written', req.body, 201)
  }

  @Delete(':name')
  remove(_: Request, res: Response) {
    res.status(204).end()
  }
}

const app = new App({
  controllers: [NotesController],
  auth: { guard: { canActivate: async (req) => req.get('authorization') === 'Bearer s3cret' } },
  logger: false,
})
let client: AnyClient
let stranger: AnyClient

beforeAll(async () => {
  const { port } = await app.listen(0, '127.0.0.1')
  const { createClient } = await importClient('app', emitClient(app.document))
  const baseUrl = `http://127.0.0.1:${port}`
  client = createClient({ baseUrl, token: 's3cret' })
  stranger = createClient({ baseUrl, token: 'wrong' })
})

afterAll(() => app.close())

describe('the client of a running application', () => {
  it('sends a path parameter and a query', async () => {
    const name = 'a/b ?é'
    const result = await client['notes']?.['read']?.({
      params: { name },
      query: { tags: ['x', 'y'] },
    })
    expect(result).toMatchObject({
      ok: true,
      status: 200,
      data: { name, tags: ['x', 'y'], page: 1 },
    })
    expect(result.body).toMatchObject({ statusCode: 'success', data: result.data })
  })

  it('returns the data of the envelope', async () => {
    const result = await client['notes']?.['write']?.({ body: { title: 'x' } })
    expect(result).toMatchObject({ ok: true, status: 201, data: { title: 'x', tags: [] } })
  })

  it('receives the validation errors', async () => {
    const result = await client['notes']?.['write']?.({ body: { title: '' } })
    expect(result).toMatchObject({
      ok: false,
      status: 400,
      error: { code: 'VALIDATION_FAILED', errors: [{ in: 'body', path: 'title' }] },
    })
  })

  it('is refused without the right token', async () => {
    const result = await stranger['notes']?.['write']?.({ body: { title: 'x' } })
    expect(result).toMatchObject({ ok: false, status: 401, error: { statusCode: 'error' } })
  })

  it('treats an error of a handler as a failure', async () => {
    const result = await client['notes']?.['read']?.({ params: { name: 'missing' } })
    expect(result).toMatchObject({ ok: false, status: 404, error: { message: 'No such note' } })
  })

  it('accepts a response without a body', async () => {
    const result = await client['notes']?.['remove']?.({ params: { name: 'x' } })
    expect(result).toMatchObject({ ok: true, status: 204, data: undefined })
  })

  it('can be aborted', async () => {
    const signal = AbortSignal.abort()
    const call = client['notes']?.['read']?.({ params: { name: 'x' }, signal })
    await expect(call).rejects.toMatchObject({ name: 'AbortError' })
  })
})
