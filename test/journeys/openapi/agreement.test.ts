import {
  ApiBody,
  ApiOperation,
  ApiResponseDoc,
  App,
  Body,
  Controller,
  Get,
  Header,
  HttpCode,
  Post,
  Query,
  Redirect,
  type Request,
  Tenant,
  type TenantOptions,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const Point = z.object({ x: z.number() })
const ByKind = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('circle'), radius: z.string() }),
  z.object({ kind: z.literal('square'), side: z.string() }),
])

@Controller('answers')
class AnswersController {
  @Post('created')
  @HttpCode(201)
  @ApiResponseDoc({ status: 200, description: 'It was there already' })
  created() {
    return { x: 1 }
  }

  @Get('moved')
  @Redirect('/elsewhere')
  @Header('X-Reason', 'moved')
  @ApiResponseDoc({ status: 200, description: 'It is still here' })
  moved() {}

  @Get('cached')
  @ApiResponseDoc({ status: 304, description: 'As before' })
  cached() {
    return { x: 1 }
  }

  @Get('stated')
  @ApiResponseDoc({
    status: 200,
    description: 'A point',
    schema: Point,
    contentType: 'application/json',
  })
  stated() {
    return { x: 1 }
  }

  @Get('table')
  @Header('Content-Type', 'text/csv')
  table() {
    return { x: 1 }
  }

  @Get('nothing')
  @HttpCode(204)
  @ApiResponseDoc({ status: 204, description: 'Nothing', schema: Point })
  nothing() {}

  @Get('shapes')
  @Query(ByKind)
  shapes(req: Request) {
    return req.query
  }

  @Get('search')
  @ApiBody({ schema: Point })
  search() {}

  @Post('raw')
  @ApiBody({ schema: Point })
  raw() {}

  @Post('checked')
  @Body(Point)
  checked() {}
}

async function answers() {
  const app = await TestApp.create({ contract: 'throw', controllers: [AnswersController] })
  const responsesOf = (method: 'get' | 'post', name: string) =>
    app.document.paths[`/answers/${name}`]?.[method]?.responses ?? {}
  return { app, responsesOf }
}

describe('the document', () => {
  it('matches the responses of @HttpCode and @Redirect, even if another status is documented', async () => {
    const { app, responsesOf } = await answers()
    expect((await app.request().post('/answers/created')).status).toBe(201)
    expect(Object.keys(responsesOf('post', 'created'))).toEqual(
      expect.arrayContaining(['200', '201']),
    )
    const moved = await app.request().get('/answers/moved').redirects(0)
    expect([moved.status, moved.headers['x-reason']]).toEqual([302, 'moved'])
    expect(responsesOf('get', 'moved')).toMatchObject({
      200: { description: 'It is still here' },
      302: { headers: { Location: {}, 'X-Reason': {} } },
    })
  })

  it('matches the responses of a route that documents no success status', async () => {
    const { app, responsesOf } = await answers()
    expect((await app.request().get('/answers/cached')).status).toBe(200)
    expect(Object.keys(responsesOf('get', 'cached'))).toEqual(
      expect.arrayContaining(['304', '2XX']),
    )
  })

  it('matches responses with an envelope if `contentType` is application/json', async () => {
    const { app, responsesOf } = await answers()
    const { body } = await app.request().get('/answers/stated')
    expect(body).toMatchObject({ statusCode: 'success', data: { x: 1 } })
    expect(responsesOf('get', 'stated')).toMatchObject({
      200: { content: { 'application/json': { schema: { properties: { data: {} } } } } },
    })
  })

  it('matches responses whose media type is set with @Header', async () => {
    const { app, responsesOf } = await answers()
    const { headers } = await app.request().get('/answers/table')
    expect(headers['content-type']).toMatch(/^text\/csv/)
    expect(responsesOf('get', 'table')['2XX']).toEqual({
      description: 'Success',
      content: { 'text/csv': { schema: { type: 'string' } } },
    })
  })

  it('matches responses with a status that allows no body', async () => {
    const { app, responsesOf } = await answers()
    expect((await app.request().get('/answers/nothing')).text).toBe('')
    expect(responsesOf('get', 'nothing')['204']).toEqual({ description: 'Nothing' })
  })

  it('describes the query parameters of every branch of a union', async () => {
    const { app } = await answers()
    expect((await app.request().get('/answers/shapes?kind=square&side=1')).status).toBe(200)
    const { parameters } = app.document.paths['/answers/shapes']?.get ?? {}
    expect(parameters?.map(({ name, required = false }) => [name, required])).toEqual([
      ['kind', true],
      ['radius', false],
      ['side', false],
    ])
    expect(parameters?.[0]?.schema).toEqual({ type: 'string', enum: ['circle', 'square'] })
  })

  it('contains the statuses 413 and 415 only for routes that read a body', async () => {
    const { app, responsesOf } = await answers()
    const packed = await app
      .request()
      .post('/answers/raw')
      .set({ 'Content-Type': 'application/json', 'Content-Encoding': 'zip' })
      .send('{}')
    expect(packed.status).toBe(415)
    expect(Object.keys(responsesOf('post', 'raw'))).toEqual(expect.arrayContaining(['413', '415']))
    expect(Object.keys(responsesOf('post', 'checked'))).toEqual(
      expect.arrayContaining(['413', '415']),
    )
    // A GET without @Body does not read the body.
    expect(Object.keys(responsesOf('get', 'search'))).not.toContain('413')
  })
})

describe('a document', () => {
  it('shares no object with other documents or the options', () => {
    const tags = [{ name: 'Answers' }]
    const make = () => new App({ controllers: [AnswersController], swagger: { tags } }).document
    const before = JSON.stringify(make())
    overwrite(make())
    expect(JSON.stringify(make())).toBe(before)
    expect(tags).toEqual([{ name: 'Answers' }])
  })

  it('contains no object twice, so tools can change it in place', () => {
    @Controller('refusals')
    class RefusalsController {
      @Post()
      @Tenant()
      @Body(Point.meta({ id: 'Point' }))
      @ApiResponseDoc({ status: 400, description: 'Not this point' })
      @ApiResponseDoc({ status: 404, description: 'No such point', schema: z.array(Point) })
      create() {}

      @Get()
      @Tenant()
      list() {}
    }
    const app = (tenant: TenantOptions) =>
      new App({
        controllers: [AnswersController, RefusalsController],
        tenant,
        rateLimit: true,
      })
    const seen = new Set<unknown>()
    const twice: string[] = []
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return
      if (seen.has(value)) twice.push(path)
      seen.add(value)
      for (const [key, child] of Object.entries(value)) visit(child, `${path}/${key}`)
    }
    visit(app({ jwtClaim: 'tenant', required: true }).document, 'first')
    visit(app({ jwtClaim: 'tenant', required: true }).document, 'second')
    // These operations also have the parameter of the tenant.
    const byHeader = () => app({ header: 'X-Shop' }).document
    visit(byHeader(), 'third')
    visit(byHeader(), 'fourth')
    expect(byHeader().paths['/refusals']?.get?.parameters).toHaveLength(1)
    expect(twice).toEqual([])
    expect(seen.size).toBeGreaterThan(100)
  })

  function overwrite(value: unknown): void {
    if (typeof value !== 'object' || value === null) return
    for (const child of Object.values(value)) overwrite(child)
    Object.assign(value, { overwritten: true })
  }
})

describe('the summary of an operation', () => {
  it('consists of method and path if the name of the handler has no letters', () => {
    @Controller('prices')
    class PricesController {
      @Get(':id')
      $() {}
    }
    const { paths } = new App({ controllers: [PricesController] }).document
    expect(paths['/prices/{id}']?.get?.summary).toBe('GET /prices/{id}')
  })
})

describe('operation IDs', () => {
  const idsOf = (...controllers: (new () => object)[]) =>
    Object.values(new App({ controllers }).document.paths).map(({ get }) => get?.operationId)

  it('are different for a path parameter and a path segment with the same name', async () => {
    @Controller('pages')
    class PagesController {
      @Get('id')
      @Get(':id')
      show() {}
    }
    await TestApp.create({ contract: 'throw', controllers: [PagesController] })
    expect(idsOf(PagesController)).toEqual([
      'Pages_show_get_2f_pages_2f_id',
      'Pages_show_get_2f_pages_2f__3a_id',
    ])
  })

  it('are different for names without ASCII letters', async () => {
    @Controller('один')
    class Ж {
      @Get()
      щ() {}
    }
    @Controller('два')
    class Ю {
      @Get()
      ы() {}
    }
    await TestApp.create({ contract: 'throw', controllers: [Ж, Ю] })
    expect(new Set(idsOf(Ж, Ю)).size).toBe(2)
  })

  it('have method and path as a suffix if the same ID is set for several routes', async () => {
    @Controller('things')
    class ThingsController {
      @Get('new')
      @Get('old')
      @ApiOperation({ operationId: 'listThings' })
      list() {}
    }
    await TestApp.create({ contract: 'throw', controllers: [ThingsController] })
    expect(idsOf(ThingsController)).toEqual([
      'listThings_get_things_new',
      'listThings_get_things_old',
    ])
  })
})
