import 'reflect-metadata'
import {
  Body,
  type Class,
  Controller,
  Cookies,
  Get,
  Headers,
  Params,
  Patch,
  Post,
  Put,
  Query,
  Req,
  type Request,
} from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems } from '../../support.js'

const start = (controllers: Class[], options: TestOptions = {}) =>
  TestApp.create({ controllers, contract: 'throw', ...options })

const Whole = z.object({ title: z.string().trim(), size: z.number().default(1) })

@Controller('books')
class Books {
  @Put(':shelf/:id')
  put(
    @Params('id', z.coerce.number()) id: number,
    @Params('shelf') shelf: string,
    @Query('page', z.coerce.number().default(1)) page: number,
    @Query('q') q: unknown,
    @Headers('X-Trace', z.uuid().optional()) trace: string | undefined,
    @Body('title', z.string()) title: string,
    @Body('note') note: unknown,
    @Req() req: Request,
  ) {
    return { id, shelf, page, q, trace, title, note, query: req.query, body: req.body }
  }

  @Patch(':shelf/:id')
  patch(
    @Body('title') title: string,
    @Body('size') size: number,
    @Body(Whole) body: z.infer<typeof Whole>,
  ) {
    return { title, size, body }
  }

  @Get(':shelf')
  list(
    @Params('shelf') shelf: string,
    @Query('q') q: unknown,
    @Headers('X-Trace') trace: unknown,
    @Headers('Accept') accept: unknown,
    @Query() query: unknown,
  ) {
    return { shelf, q, trace, accept, query }
  }

  @Post()
  add(@Body('title') title: unknown, @Body('constructor') inherited: unknown) {
    return { title, inherited }
  }
}

describe('a handler parameter for one key', () => {
  it('receives the validated value if it has a schema, or else the original value', async () => {
    await using app = await start([Books])
    const { body } = await app
      .request()
      .put('/books/top/7?q=a&q=b&other=1')
      .send({ title: 'Dune', note: 3, other: 1 })
    expect(body.data).toEqual({
      id: 7,
      shelf: 'top',
      page: 1,
      q: ['a', 'b'],
      title: 'Dune',
      note: 3,
      query: { page: 1, q: ['a', 'b'] },
      body: { title: 'Dune', note: 3 },
    })
  })

  it('causes a 400 with the path of the key if the value is invalid', async () => {
    await using app = await start([Books])
    const { status, body } = await app
      .request()
      .put('/books/top/x?page=y')
      .set('x-trace', 'z')
      .send({})
    expect(status).toBe(400)
    const places = body.errors.map((error: { in: string; path: string }) => [error.in, error.path])
    expect(places).toEqual([
      ['params', 'id'],
      ['query', 'page'],
      ['headers', 'x-trace'],
      ['body', 'title'],
    ])
  })

  it('receives the validated value of its key if a schema describes the whole input', async () => {
    await using app = await start([Books])
    const { body } = await app.request().patch('/books/top/7').send({ title: ' Dune ' })
    expect(body.data).toEqual({ title: 'Dune', size: 1, body: { title: 'Dune', size: 1 } })
  })

  it('receives a header even if the schema spells its name in another case', async () => {
    @Controller('traces')
    class Traces {
      @Get()
      list(
        @Headers(z.object({ 'X-Trace': z.string().trim(), 'X-None': z.string().optional() }))
        _: unknown,
        @Headers('X-Trace') trace: string,
        @Headers('x-none') none: unknown,
      ) {
        return { trace, isNone: none === undefined }
      }
    }
    await using app = await start([Traces])
    const { body } = await app.request().get('/traces').set('x-TRACE', ' a ')
    expect(body.data).toEqual({ trace: 'a', isNone: true })
    const { parameters } = app.document.paths['/traces']?.get ?? {}
    expect(parameters?.map(({ name }) => name)).toEqual(['X-Trace', 'X-None'])
  })

  it('receives a cookie without a schema', async () => {
    @Controller('cookies')
    class Visits {
      @Get()
      get(@Cookies('seen') seen: unknown, @Cookies() all: unknown) {
        return { seen, all }
      }
    }
    await using app = await start([Visits])
    const { body } = await app.request().get('/cookies').set('cookie', 'seen=a%20b; other=1')
    expect(body.data).toEqual({ seen: 'a b', all: { seen: 'a b', other: '1' } })
    const { parameters } = app.document.paths['/cookies']?.get ?? {}
    expect(parameters).toEqual([{ name: 'seen', in: 'cookie', schema: { type: 'string' } }])
  })

  it('leaves a part of the request unchanged if the part has no schema', async () => {
    await using app = await start([Books])
    const { body } = await app.request().get('/books/top?q=a&p=b').set('x-trace', 'z')
    expect(body.data).toEqual({
      shelf: 'top',
      q: 'a',
      trace: 'z',
      query: { q: 'a', p: 'b' },
    })
  })

  it('is undefined if the key is missing or the input is not an object', async () => {
    await using app = await start([Books])
    const add = (body: object) => app.request().post('/books').send(body)
    expect((await add({})).body.data).toEqual({})
    expect((await add([1])).body.data).toEqual({})
    expect((await app.request().post('/books')).body.data).toEqual({})
    expect((await add({ title: 1 })).body.data).toEqual({ title: 1 })
  })

  it('appears in the document, with or without a schema', async () => {
    await using app = await start([Books])
    const describe = (
      parameters: readonly { in: string; name: string; required?: boolean }[] = [],
    ) => parameters.map(({ in: place, name, required = false }) => `${place} ${name} ${required}`)
    const paths = app.document.paths
    expect(describe(paths['/books/{shelf}/{id}']?.put?.parameters)).toEqual([
      'path shelf true',
      'path id true',
      'query page false',
      'header x-trace false',
      'query q false',
    ])
    expect(describe(paths['/books/{shelf}']?.get?.parameters)).toEqual([
      'path shelf true',
      'query q false',
      'header x-trace false',
    ])
    const content = paths['/books/{shelf}/{id}']?.put?.requestBody?.content['application/json']
    expect(content?.schema).toMatchObject({ required: ['title'] })
  })

  it('accepts the requests of fuzz()', async () => {
    await using app = await start([Books])
    expect((await app.fuzz({ seed: 5, runs: 15 })).operations).toBe(4)
  })
})

describe('a handler parameter for one key at boot', () => {
  it('causes an error if the path lacks the key, even without a schema', async () => {
    @Controller('a')
    class Paths {
      @Get(':id')
      get(@Params('idd') _id: string) {}
    }
    const problems = await bootProblems({ controllers: [Paths] })
    expect(problems.map(({ code, subject }) => [code, subject])).toEqual([
      ['E_PARAMS_UNKNOWN_KEY', 'Paths.get'],
    ])
  })

  it.each([
    ['@Query', 'undefined', () => Query(undefined as never)],
    ['@Body', 'undefined', () => Body('title', undefined as never)],
  ])(
    'causes an error if %s has the schema %s, which would validate nothing',
    async (_, __, decorate) => {
      @Controller('b')
      class Circular {
        @Post()
        create(@(decorate() as ParameterDecorator) _value: unknown) {}
      }
      const problems = await bootProblems({ controllers: [Circular] })
      expect(problems.map(({ code, subject }) => [code, subject])).toEqual([
        ['E_SCHEMA_INVALID', 'Circular.create'],
      ])
    },
  )

  it('causes an error if it has a type but no schema, unless it is a string in a path or header', async () => {
    const typed = (decorate: unknown, type: unknown): Class => {
      @Controller(':id')
      class Typed {
        @Post()
        @Reflect.metadata('design:paramtypes', [type])
        create(@(decorate as ParameterDecorator) _value: unknown) {}
      }
      return Typed
    }
    for (const [decorate, type] of [
      [Query('q'), String],
      [Query('q'), Number],
      [Params('id'), Number],
      [Headers('x-a'), Date],
      [Body('title'), String],
    ] as const) {
      const [problem] = await bootProblems({ controllers: [typed(decorate, type)] })
      expect(problem?.code).toBe('E_INPUT_UNCHECKED')
      expect(problem?.remedy).toMatch(/^Write @\w+\('[\w-]+', schema\)/)
    }
    for (const [decorate, type] of [
      [Params('id'), String],
      [Headers('x-a'), String],
      [Query('q'), Object],
      [Query('q', z.coerce.number()), Number],
    ] as const) {
      const app = await start([typed(decorate, type)], { strict: true })
      await app.close()
    }
  })

  it('causes only one error if it has several decorators', async () => {
    @Controller('several')
    class Several {
      @Get()
      get(
        @Query('a') @Query('b') @Query('c') _first: unknown,
        @Query('d') _second: unknown,
        @Headers('x-a') @Req() _third: unknown,
      ) {}
    }
    const problems = await bootProblems({ controllers: [Several] })
    expect(problems.map(({ code, cause }) => [code, cause.split(' has ')[0]])).toEqual([
      ['E_DECORATOR_CONFLICT', expect.stringMatching(/parameter [02]$/)],
      ['E_DECORATOR_CONFLICT', expect.stringMatching(/parameter [02]$/)],
    ])
  })
})
