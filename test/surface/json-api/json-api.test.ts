import {
  ApiResponseDoc,
  type AppOptions,
  BaseController,
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  NotFoundError,
  Params,
  Post,
  type Request,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { emitClient } from '../../../src/cli/client/emit-client.js'
import { type AnyClient, importClient } from '../../cli/import-client.js'
import { jsonApi, jsonApiErrors, MEDIA_TYPE } from './index.js'

// An application whose wire format is given from outside: https://jsonapi.org/format/1.1/

const Article = z
  .object({
    type: z.literal('articles'),
    id: z.string(),
    attributes: z.object({ title: z.string() }),
  })
  .meta({ id: 'Article' })

const NewArticle = z.object({
  data: z.object({
    type: z.literal('articles'),
    attributes: z.object({ title: z.string().min(1) }),
  }),
})

const stored = new Map<string, string>()
const articleOf = (id: string) => {
  const title = stored.get(id)
  if (title === undefined) throw new NotFoundError(`There is no article ${id}`)
  return { type: 'articles' as const, id, attributes: { title } }
}

@ApiResponseDoc({ status: 404 })
@Controller('articles')
class ArticlesController extends BaseController {
  @Get()
  @ApiResponseDoc({ status: 200, schema: z.array(Article) })
  list() {
    return [...stored.keys()].map(articleOf)
  }

  @Get(':id')
  @Params(z.object({ id: z.string().regex(/^\d{1,6}$/) }))
  @ApiResponseDoc({ status: 200, schema: Article })
  get(req: Request<{ id: string }>, res: Response) {
    return this.ok(res, 'Found', articleOf(req.params.id))
  }

  @Post()
  @HttpCode(201)
  @Body(NewArticle)
  @ApiResponseDoc({ status: 201, schema: Article })
  create(req: Request) {
    const id = String(stored.size + 1)
    stored.set(id, req.body.data.attributes.title)
    return articleOf(id)
  }

  @Delete(':id')
  @Params(z.object({ id: z.string() }))
  @ApiResponseDoc({ status: 204 })
  remove(req: Request<{ id: string }>) {
    articleOf(req.params.id)
    stored.delete(req.params.id)
  }
}

const options: AppOptions = {
  controllers: [ArticlesController],
  envelope: jsonApi,
  errors: jsonApiErrors,
}

let app: TestApp
beforeEach(async () => {
  stored.clear()
  app = await TestApp.create({ ...options, contract: 'throw' })
})
afterEach(() => app.close())

const create = (title: unknown) =>
  app
    .request()
    .post('/articles')
    .send({ data: { type: 'articles', attributes: { title } } })
const parsed = ({ text }: { text: string }) => JSON.parse(text)

describe('an application that uses JSON:API', () => {
  it('sends JSON:API documents with the exact media type', async () => {
    const made = await create('One')
    expect(made.status).toBe(201)
    expect(made.headers['content-type']).toBe(MEDIA_TYPE)
    const article = { type: 'articles', id: '1', attributes: { title: 'One' } }
    const jsonapi = { version: '1.1' }
    expect(parsed(made)).toEqual({ jsonapi, links: { self: '/articles' }, data: article })
    const found = await app.request().get('/articles/1')
    expect(parsed(found)).toEqual({ jsonapi, links: { self: '/articles/1' }, data: article })
    expect((await app.request().delete('/articles/1')).status).toBe(204)
    expect(parsed(await app.request().get('/articles')).data).toEqual([])
  })

  it('sends JSON:API error objects', async () => {
    const rejected = await create('')
    expect([rejected.status, rejected.headers['content-type']]).toEqual([422, MEDIA_TYPE])
    expect(parsed(rejected)).toEqual({
      errors: [
        {
          status: '422',
          code: 'VALIDATION_FAILED',
          title: expect.any(String),
          source: { pointer: '/data/attributes/title' },
        },
      ],
    })
    expect(parsed(await app.request().get('/articles/x')).errors[0].source).toEqual({
      parameter: 'id',
    })
    expect(parsed(await app.request().get('/articles/7')).errors).toEqual([
      { status: '404', code: 'NOT_FOUND', title: 'There is no article 7' },
    ])
    expect(parsed(await app.request().put('/articles')).errors[0].status).toBe('405')
  })

  it('has an OpenAPI document with JSON:API schemas, and without framework schemas', () => {
    const { components, paths } = app.document
    expect(Object.keys(components.schemas ?? {}).sort()).toEqual(['Article', 'Errors'])
    const types = new Set<string>()
    for (const item of Object.values(paths)) {
      for (const { responses } of Object.values(item)) {
        for (const response of Object.values(responses)) {
          if ('content' in response) for (const type in response.content) types.add(type)
        }
      }
    }
    for (const { content } of Object.values(components.responses ?? {})) {
      for (const type in content) types.add(type)
    }
    expect([...types]).toEqual([MEDIA_TYPE])
  })

  it('matches its document for every generated request', async () => {
    const report = await app.fuzz({ seed: 7, runs: 30 })
    expect(report.skipped).toEqual([])
  })

  it('sends complete documents and errors to a generated client', async () => {
    const { port } = await app.listen(0, '127.0.0.1')
    const { createClient } = await importClient('json-api', emitClient(app.document))
    const client: AnyClient = createClient({ baseUrl: `http://127.0.0.1:${port}` })
    const body = { data: { type: 'articles', attributes: { title: 'One' } } }
    const made = await client['articles']?.['create']?.({ body })
    expect(made).toMatchObject({ ok: true, status: 201, data: { data: { id: '1' } } })
    const wrong = await client['articles']?.['get']?.({ params: { id: 'x' } })
    expect(wrong).toMatchObject({ ok: false, status: 422, error: { errors: [{ status: '422' }] } })
  })
})
