import {
  All,
  App,
  Body,
  type Class,
  Controller,
  Delete,
  Get,
  Head,
  Headers,
  type InputSchemas,
  Options,
  Params,
  Patch,
  Post,
  Put,
  Query,
  type Req,
  type Request,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import express from 'express'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems } from '../../support.js'

const Item = z.object({ name: z.string(), size: z.coerce.number().default(1) })
const ById = z.object({ id: z.coerce.number().int() })
const Mode = z.object({ dry: z.stringbool().default(false) })
const Trace = z.object({ 'x-trace': z.string().min(3) })
const replacement = { params: ById, body: Item, query: Mode, headers: Trace }

@Controller('options')
class OptionsController {
  @Post('', { body: Item })
  create({ body }: Req<{ body: typeof Item }>) {
    return body
  }

  @Put(':id', replacement)
  replace({ params, body, query, validated }: Req<typeof replacement>) {
    return { ...params, ...body, ...query, trace: validated.headers['x-trace'] }
  }

  @Get('search', { query: Mode })
  @Get('find', { query: Mode })
  search({ query }: Req<{ query: typeof Mode }>) {
    return query
  }

  @Post('untyped', { body: { type: 'object', properties: { n: { type: 'integer' } } } })
  untyped(req: Request) {
    return req.body
  }
}

/** The same routes with separate decorators. */
@Controller('options')
class DecoratedController {
  @Post()
  @Body(Item)
  create({ body }: Req<{ body: typeof Item }>) {
    return body
  }

  @Put(':id')
  @Params(ById)
  @Body(Item)
  @Query(Mode)
  @Headers(Trace)
  replace({ params, body, query, validated }: Req<typeof replacement>) {
    return { ...params, ...body, ...query, trace: validated.headers['x-trace'] }
  }

  @Get('search')
  @Get('find')
  @Query(Mode)
  search({ query }: Req<{ query: typeof Mode }>) {
    return query
  }

  @Post('untyped')
  @Body({ type: 'object', properties: { n: { type: 'integer' } } })
  untyped(req: Request) {
    return req.body
  }
}

describe('schemas in the options of a route', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await TestApp.create({ controllers: [OptionsController] })
  })
  afterAll(() => app.close())

  it('validate and coerce every part of a request', async () => {
    const ask = () => app.request().put('/options/7?dry=true')
    const answer = await ask().set('x-trace', 'abc').send({ name: 'a', size: '3' })
    expect(answer.body.data).toEqual({ id: 7, name: 'a', size: 3, dry: true, trace: 'abc' })
    const refused = await app.request().put('/options/x?dry=maybe').set('x-trace', 'a').send({})
    expect(refused.status).toBe(400)
    const parts = refused.body.errors.map((error: { in: string }) => error.in)
    expect(new Set(parts)).toEqual(new Set(['params', 'body', 'query', 'headers']))
  })

  it('result in the same 415 and 400 responses as @Body', async () => {
    const create = () => app.request().post('/options')
    expect((await create().type('text').send('x')).status).toBe(415)
    expect((await create()).status).toBe(400)
    expect((await create().send({ name: 1 })).body.errors[0].path).toBe('name')
  })

  it('can be specified for each of several routes of a method', async () => {
    for (const path of ['search', 'find']) {
      expect((await app.request().get(`/options/${path}?dry=maybe`)).status).toBe(400)
      expect((await app.request().get(`/options/${path}?dry=on`)).body.data).toEqual({ dry: true })
    }
  })

  it('produce the same document as decorators', async () => {
    const other = await TestApp.create({ controllers: [DecoratedController] })
    const [ours, theirs] = await Promise.all(
      [app, other].map(async (each) => (await each.request().get('/api-docs.json')).text),
    )
    await other.close()
    expect(ours?.replaceAll('Options', 'Decorated').replaceAll('options', 'decorated')).toBe(
      theirs?.replaceAll('options', 'decorated'),
    )
    expect(ours).toContain('x-trace')
  })

  it('are used in a mounted application and for HEAD', async () => {
    const inner = new App({ controllers: [OptionsController], logger: false })
    const outer = express().use('/api', inner.handler)
    expect((await request(outer).post('/api/options').send({})).status).toBe(400)
    expect((await request(outer).head('/api/options/search?dry=maybe')).status).toBe(400)
    await inner.close()
  })
})

describe.each(Object.entries({ Get, Post, Put, Patch, Delete, Head, Options, All }))(
  'the @%s decorator',
  (name, verb) => {
    it('accepts schemas in its options', async () => {
      @Controller()
      class One {
        @verb(':id', { params: ById })
        handle(_req: Req<{ params: typeof ById }>) {}
      }
      const app = await TestApp.create({ controllers: [One] })
      const method = name === 'All' ? 'post' : (name.toLowerCase() as 'post')
      expect((await app.request()[method]('/x')).status).toBe(400)
      expect((await app.request()[method]('/1')).status).toBeLessThan(300)
      await app.close()
    })
  },
)

describe('the inheritance of route options', () => {
  it('keeps the schemas of an overridden method unless it declares its own', async () => {
    abstract class Base {
      @Post('kept', { body: Item })
      kept(req: Req<{ body: typeof Item }>): unknown {
        return req.body
      }
      @Post('anew', { body: Item })
      anew(req: Req<{ body: typeof Item }>): unknown {
        return req.body
      }
    }
    @Controller()
    class Derived extends Base {
      override kept(req: Req<{ body: typeof Item }>) {
        return [req.body]
      }
      @Post('anew', { body: z.object({ other: z.string() }) as unknown as typeof Item })
      override anew(req: Req<{ body: typeof Item }>) {
        return req.body
      }
    }
    const app = await TestApp.create({ controllers: [Derived] })
    expect((await app.request().post('/kept').send({})).status).toBe(400)
    expect((await app.request().post('/anew').send({ name: 'x' })).status).toBe(400)
    expect((await app.request().post('/anew').send({ other: 'x' })).status).toBe(200)
    await app.close()
  })
})

describe('invalid options of a route', () => {
  /** Applied as functions, as in plain JavaScript: the types refuse all of these. */
  function controllerOf(options: unknown, ...more: unknown[]): Class {
    @Controller()
    class Items {
      create() {}
    }
    const place = [
      Items.prototype,
      'create',
      Object.getOwnPropertyDescriptor(Items.prototype, 'create'),
    ]
    for (const decorator of [Post('', options as InputSchemas), ...more]) {
      Reflect.apply(decorator as never, undefined, place)
    }
    return Items
  }

  async function problemOf(controller: Class) {
    const problems = await bootProblems({ controllers: [controller] })
    expect(problems).toHaveLength(1)
    return problems[0]
  }

  it('include a schema for a part that another decorator also describes', async () => {
    for (const more of [Body(Item), Body(z.object({}))]) {
      const problem = await problemOf(controllerOf({ body: Item }, more))
      expect(problem).toMatchObject({ code: 'E_INPUT_TWICE', subject: 'Items.create' })
      expect(problem?.cause).toContain('@Body')
      expect(problem?.cause).toContain('@Post')
    }
    const two = await problemOf(controllerOf({ body: Item }, Put('x', { body: z.object({}) })))
    expect(two?.code).toBe('E_INPUT_TWICE')
  })

  it.each([
    ['an unknown name', { boddy: Item }, 'E_OPTION_INVALID', 'boddy'],
    ['the option `auth`', { auth: true }, 'E_OPTION_INVALID', 'add @Auth()'],
    ['a schema in place of options', Item, 'E_OPTION_INVALID', '{ body: schema }'],
    ['undefined in place of options', undefined, 'E_OPTION_INVALID', 'circular'],
    ['null', null, 'E_OPTION_INVALID', '{ body: schema }'],
    ['a list', [Item], 'E_OPTION_INVALID', '{ body: schema }'],
    ['a class', class Dto {}, 'E_OPTION_INVALID', '{ body: schema }'],
    ['an undefined schema', { body: undefined }, 'E_SCHEMA_INVALID', 'circular'],
    ['fields in place of a schema', { body: { name: z.string() } }, 'E_SCHEMA_INVALID', 'z.object'],
    ['an empty list of bodies', { body: [] }, 'E_SCHEMA_INVALID', 'is not a schema'],
  ])('are reported with their location: %s', async (_, options, code, text) => {
    const problem = await problemOf(controllerOf(options))
    expect(problem).toMatchObject({ code, subject: 'Items.create' })
    expect(`${problem?.cause} ${problem?.remedy}`).toContain(text)
    expect(problem?.cause).toContain('@Post')
  })

  it('include a body on GET if `strict` is set', async () => {
    const problems = await bootProblems({
      strict: true,
      controllers: [
        (() => {
          @Controller()
          class Items {
            @Get('', { body: Item }) list() {}
          }
          return Items
        })(),
      ],
    })
    expect(problems.map(({ code }) => code)).toEqual(['W_BODY_ON_GET'])
  })
})
