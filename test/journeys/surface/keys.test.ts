import { type } from 'arktype'
import {
  Body,
  type Class,
  Controller,
  Get,
  Headers,
  type InputSource,
  Params,
  Patch,
  type Plugin,
  Post,
  Put,
  Query,
  type Request,
} from 'blazon'
import type { AppModel } from 'blazon/plugin'
import { TestApp, type TestOptions } from 'blazon/testing'
import Type from 'typebox'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems, bootWarnings } from '../../support.js'

const start = (controllers: Class[], options: TestOptions = {}) =>
  TestApp.create({ controllers, contract: 'throw', ...options })

/** The schemas of a number in text, and of a list of texts, in every library. */
const libraries = {
  zod: { page: z.coerce.number().int().default(1), tags: z.array(z.string()).optional() },
  valibot: {
    page: v.optional(v.pipe(v.string(), v.toNumber(), v.integer()), '1'),
    tags: v.optional(v.array(v.string())),
  },
  arktype: {
    page: type('string.integer.parse | undefined').pipe((page) => page ?? 1),
    tags: type('string[] | undefined'),
  },
  'JSON Schema': {
    page: { type: 'integer', default: 1 },
    tags: Type.Optional(Type.Array(Type.String())),
  },
} as const

describe.each(Object.entries(libraries))('query keys with %s', (_, { page, tags }) => {
  @Controller('items')
  class Items {
    @Get()
    @Query('page', page)
    @Query('tag', tags)
    list({ query }: Request) {
      return query
    }
  }

  it('are validated, converted and filled with defaults individually', async () => {
    await using app = await start([Items])
    const ask = async (path: string) => (await app.request().get(path)).body.data
    expect(await ask('/items?page=2&tag=a&tag=b')).toEqual({ page: 2, tag: ['a', 'b'] })
    expect(await ask('/items')).toEqual({ page: 1 })
    expect(await ask('/items?tag=a&other=1')).toEqual({ page: 1, tag: ['a'] })
  })

  it('cause a 400 with the path of the invalid key', async () => {
    await using app = await start([Items])
    const { status, body } = await app.request().get('/items?page=x')
    expect(status).toBe(400)
    expect(body).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ in: 'query', path: 'page' }],
    })
    expect(body.errors).toHaveLength(1)
  })

  it('are optional parameters in the document', async () => {
    await using app = await start([Items])
    const parameters = app.document.paths['/items']?.get?.parameters
    expect(parameters?.map(({ name, in: place, required }) => [name, place, required])).toEqual([
      ['page', 'query', undefined],
      ['tag', 'query', undefined],
    ])
    expect(parameters?.[1]?.schema.type).toBe('array')
  })
})

const Line = { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] } as const

@Controller('orders/:shop')
class Orders {
  @Put(':id')
  @Params('id', z.coerce.number().int())
  @Headers('X-Trace', z.uuid())
  @Body('title', v.pipe(v.string(), v.minLength(2)))
  @Body('lines', { type: 'array', items: Line, minItems: 1 })
  @Body('note', z.string().optional())
  replace(req: Request<{ id: number; shop: string }, { title: string; note?: string }>) {
    const { params, body, validated } = req
    return { params, body, trace: validated.headers['x-trace'] }
  }

  @Post()
  @Body(
    'slug',
    z.string().refine(async (slug) => slug !== 'taken', 'is taken'),
  )
  @Body('name', z.string())
  create({ body }: Request) {
    return body
  }
}

const trace = '00000000-0000-4000-8000-000000000000'
const order = { title: 'Socks', lines: [{ sku: 'a' }] }

describe('keys in all parts of a request, with schemas of several libraries', () => {
  it('are the only keys that a body keeps, while a path keeps its other parameters', async () => {
    await using app = await start([Orders])
    const response = await app
      .request()
      .put('/orders/north/7')
      .set('x-trace', trace)
      .send({ ...order, isAdmin: true })
    expect(response.body.data).toEqual({
      params: { id: 7, shop: 'north' },
      body: order,
      trace,
    })
  })

  it('are all validated, and each error has the path of its key', async () => {
    await using app = await start([Orders])
    const { body } = await app
      .request()
      .put('/orders/north/seven')
      .send({ title: 'x', lines: [{ sku: 'a' }, {}], note: 3 })
    const places = body.errors.map((error: { in: InputSource; path: string }) => [
      error.in,
      error.path,
    ])
    expect(places).toEqual([
      ['params', 'id'],
      ['headers', 'x-trace'],
      ['body', 'title'],
      ['body', 'lines.1.sku'],
      ['body', 'note'],
    ])
  })

  it.each([undefined, '[]', '"text"', 'null', '1'])(
    'refuse a body that is not an object: %s',
    async (text) => {
      await using app = await start([Orders])
      const request = app.request().put('/orders/north/7').set('x-trace', trace)
      const { status, body } = await (text === undefined
        ? request
        : request.set('content-type', 'application/json').send(text))
      expect(status).toBe(400)
      expect(body.errors).toEqual([{ in: 'body', path: '', message: 'must be an object' }])
    },
  )

  it('read only own properties of the body', async () => {
    @Controller('names')
    class Names {
      @Post()
      @Body('toString', z.any())
      @Body('valueOf', z.string().optional())
      create({ body }: Request) {
        return Object.keys(body)
      }
    }
    await using app = await start([Names])
    expect((await app.request().post('/names').send({})).body.data).toEqual([])
    const named = await app.request().post('/names').send({ toString: 1, valueOf: 'x' })
    expect(named.body.data).toEqual(['toString', 'valueOf'])
  })

  it('can have asynchronous schemas', async () => {
    await using app = await start([Orders])
    const create = (body: object) => app.request().post('/orders/north').send(body)
    expect((await create({ slug: 'free', name: 'Free' })).body.data.slug).toBe('free')
    const { body } = await create({ slug: 'taken', name: 3 })
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(['slug', 'name'])
  })

  it('are required in the document unless the schema accepts undefined', async () => {
    await using app = await start([Orders])
    const operation = app.document.paths['/orders/{shop}/{id}']?.put
    const parameters = operation?.parameters?.map(({ name, in: place, required, schema }) => [
      place,
      name,
      required,
      schema.type,
    ])
    expect(parameters).toEqual([
      ['path', 'shop', true, 'string'],
      ['path', 'id', true, 'integer'],
      ['header', 'x-trace', true, 'string'],
    ])
    const schema = operation?.requestBody?.content['application/json']?.schema
    expect(schema).toMatchObject({
      type: 'object',
      properties: {
        title: { type: 'string', minLength: 2 },
        lines: { type: 'array', items: { required: ['sku'] } },
        note: { type: 'string' },
      },
      required: ['title', 'lines'],
    })
  })

  it('cause generic error messages with the names of the keys', async () => {
    await using app = await start([Orders], { validation: { messages: 'generic' } })
    const { body } = await app.request().put('/orders/north/x').set('x-trace', trace).send(order)
    expect(body.errors).toEqual([{ in: 'params', path: 'id', message: 'is not valid' }])
  })

  it('accept the requests of fuzz()', async () => {
    await using app = await start([Orders])
    const report = await app.fuzz({ seed: 3, runs: 20 })
    expect(report.operations).toBe(2)
  })
})

describe('a key with references in its schema', () => {
  const Node = z.object({
    name: z.string(),
    get children() {
      return z.array(Node).optional()
    },
  })
  const Plain = {
    $defs: { name: { type: 'string', minLength: 3 } },
    type: 'array',
    items: { $ref: '#/$defs/name' },
  }

  @Controller('trees')
  class Trees {
    @Post()
    @Body('tree', Node)
    @Body('names', Plain)
    create({ body }: Request) {
      return body
    }
  }

  it('is validated, and is documented without `$defs`', async () => {
    await using app = await start([Trees])
    const send = (body: object) => app.request().post('/trees').send(body)
    const tree = { name: 'a', children: [{ name: 'b' }] }
    expect((await send({ tree, names: ['abc'] })).body.data).toEqual({ tree, names: ['abc'] })
    const { errors } = (await send({ tree: { name: 'a', children: [{}] }, names: ['ab'] })).body
    expect(errors.map(({ path }: { path: string }) => path)).toEqual([
      'tree.children.0.name',
      'names.0',
    ])
    const text = JSON.stringify(app.document)
    expect(text).toContain('"minLength":3')
    expect(text).not.toContain('$defs')
  })
})

describe('keys that a subclass declares', () => {
  class Base {
    @Get()
    @Query('page', z.coerce.number())
    @Query('size', z.coerce.number())
    list({ query }: Request) {
      return query
    }
  }

  @Controller('more')
  class More extends Base {
    @Query('size', z.string())
    override list({ query }: Request) {
      return query
    }
  }

  it('replace all keys of the same part in the base class', async () => {
    await using app = await start([More])
    expect((await app.request().get('/more?page=1&size=2')).body.data).toEqual({ size: '2' })
  })
})

describe('the boot check of keys', () => {
  const Whole = z.object({ page: z.string() })

  it('refuses two schemas for one key, and a key together with a schema of the whole part', async () => {
    @Controller('a')
    class Twice {
      @Get('key')
      @Query('page', z.string())
      @Query('page', z.number())
      key() {}

      @Get('whole')
      @Query('page', z.string())
      @Query(Whole)
      whole() {}

      @Get('route', { query: Whole })
      @Query('size', z.string())
      route() {}

      @Get('fine')
      @Query('page', z.string())
      @Query('size', z.string())
      fine() {}
    }
    const problems = await bootProblems({ controllers: [Twice] })
    expect(problems.map(({ code, subject }) => `${code} ${subject}`)).toEqual([
      'E_INPUT_TWICE Twice.key',
      'E_INPUT_TWICE Twice.whole',
      'E_INPUT_TWICE Twice.route',
    ])
    expect(problems[0]?.cause).toContain("@Query('page') and @Query('page')")
  })

  it('refuses a missing schema, an empty key and a value that is not a schema', async () => {
    @Controller('b')
    class Wrong {
      @Get('missing')
      @Query('page', undefined as never)
      missing() {}

      @Get('empty')
      @Query('', z.string())
      empty() {}

      @Get('text')
      @Query('page', 'string' as never)
      text() {}
    }
    const problems = await bootProblems({ controllers: [Wrong] })
    expect(problems.map(({ code, subject }) => `${code} ${subject}`)).toEqual([
      'E_SCHEMA_INVALID Wrong.missing',
      'E_OPTION_INVALID Wrong.empty',
      'E_SCHEMA_INVALID Wrong.text',
    ])
    expect(problems[0]?.cause).toContain("@Query('page')")
  })

  it('refuses a key that the path lacks, but accepts path parameters without a schema', async () => {
    @Controller('c')
    class Paths {
      @Get(':a/:b')
      @Params('a', z.string())
      fine() {}

      @Patch(':a')
      @Params('id', z.string())
      unknown() {}
    }
    const problems = await bootProblems({ controllers: [Paths], strict: true })
    expect(problems.map(({ code, subject }) => `${code} ${subject}`)).toEqual([
      'E_PARAMS_UNKNOWN_KEY Paths.unknown',
    ])
  })

  it('refuses a key whose JSON Schema does not compile', async () => {
    @Controller('d')
    class Broken {
      @Get()
      @Query('page', { type: 'strnig' })
      list() {}
    }
    const [problem] = await bootProblems({ controllers: [Broken] })
    expect([problem?.code, problem?.subject]).toEqual(['E_SCHEMA_INVALID', 'Broken.list'])
  })

  it('reports nothing for valid keys', async () => {
    expect(await bootWarnings({ controllers: [Orders] })).toEqual([])
  })
})

describe('the schema of keys in the application model', () => {
  it('is a Standard Schema that other code can use', async () => {
    let model: AppModel | undefined
    const setup: Plugin['setup'] = (context) => {
      model = context.model
    }
    await using _app = await start([Orders], { plugins: [{ name: 'reader', setup }] })
    const route = model?.routes.find(({ handler }) => handler === 'replace')
    const schema = route?.inputs.body as z.ZodType
    expect(await schema['~standard'].validate({ ...order, other: 1 })).toEqual({ value: order })
    const { issues } = await schema['~standard'].validate({ lines: [] })
    expect(issues?.map(({ path }) => path?.[0])).toEqual(['title', 'lines'])
  })
})
