import {
  Body,
  type Class,
  ConfigError,
  Controller,
  Get,
  Headers,
  Post,
  Query,
  type Request,
  type Schema,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import Type from 'typebox'
import { afterEach, describe, expect, it } from 'vitest'

/** A controller that echoes its validated body or query. */
function echo(schema: Schema, prefix = 'echo'): Class {
  @Controller(prefix)
  class EchoController {
    @Post()
    @Body(schema)
    body(req: Request) {
      return req.body
    }

    @Get()
    @Query(schema)
    query(req: Request) {
      return req.query
    }
  }
  return EchoController
}

const object = (properties: Record<string, unknown>, more: object = {}) => ({
  type: 'object',
  properties,
  ...more,
})

describe('a JSON Schema', () => {
  const apps: TestApp[] = []
  const start = async (...controllers: Class[]) => {
    const app = await TestApp.create({ contract: 'throw', controllers, logger: false })
    apps.push(app)
    return app.request()
  }
  afterEach(async () => {
    await Promise.all(apps.splice(0).map((app) => app.close()))
  })

  it.each([
    ['email', 'ada@example.com', 'ada'],
    ['uuid', '0d3c6b1c-7f0e-4b8e-9a57-6a1f4f0f6a11', '1'],
    ['date-time', '2026-01-01T00:00:00Z', 'yesterday'],
    ['date', '2026-01-01', '2026-13-01'],
    ['uri', 'https://example.com/a', 'a b'],
    ['ipv4', '127.0.0.1', '127.0.0.300'],
  ])('checks the format %s', async (format, right, wrong) => {
    const request = await start(echo(object({ value: { type: 'string', format } })))
    expect((await request.post('/echo').send({ value: right })).status).toBe(200)
    const { status, body } = await request.post('/echo').send({ value: wrong })
    expect(status).toBe(400)
    expect(body.errors).toMatchObject([{ in: 'body', path: 'value' }])
  })

  it('sets defaults for each request, including nested defaults', async () => {
    const tags = { type: 'array', items: { type: 'string' }, default: [] }
    const request = await start(
      echo(object({ paging: object({ size: { type: 'integer', default: 10 } }), tags })),
    )
    const first = await request.post('/echo').send({ paging: {} })
    const second = await request.post('/echo').send({ paging: {}, tags: ['a'] })
    const third = await request.post('/echo').send({})
    expect(first.body.data).toEqual({ paging: { size: 10 }, tags: [] })
    expect(second.body.data).toEqual({ paging: { size: 10 }, tags: ['a'] })
    expect(third.body.data).toEqual({ tags: [] })
  })

  it('sets the default of a required field', async () => {
    const request = await start(echo(Type.Object({ size: Type.Integer({ default: 10 }) })))
    expect((await request.post('/echo').send({})).body.data).toEqual({ size: 10 })
  })

  it('coerces query strings to numbers, booleans and arrays', async () => {
    const request = await start(
      echo(
        object({
          size: { type: 'integer' },
          deep: { type: 'boolean' },
          tags: { type: 'array', items: { type: 'integer' } },
        }),
      ),
    )
    const { body } = await request.get('/echo?size=3&deep=false&tags=1')
    expect(body.data).toEqual({ size: 3, deep: false, tags: [1] })
    expect((await request.get('/echo?tags=1&tags=2')).body.data).toEqual({ tags: [1, 2] })
    expect((await request.get('/echo?size=3.5')).status).toBe(400)
    expect((await request.get('/echo?size=')).status).toBe(400)
  })

  it('reports additional fields by their own path', async () => {
    const request = await start(echo(object({ a: object({}, { additionalProperties: false }) })))
    const { body } = await request.post('/echo').send({ a: { 'b/c': 1, 'd~e': 2 } })
    expect(body.errors.map((e: { path: string }) => e.path)).toEqual(['a.b/c', 'a.d~e'])
  })

  it('validates TypeBox tuples, unions, records, enums and intersections', async () => {
    const schema = Type.Object({
      tuple: Type.Tuple([Type.String(), Type.Number()]),
      union: Type.Union([Type.Literal('a'), Type.Literal('b')]),
      record: Type.Record(Type.String(), Type.Boolean()),
      member: Type.Enum(['x', 'y']),
      both: Type.Intersect([Type.Object({ a: Type.Number() }), Type.Object({ b: Type.Number() })]),
    })
    const right = {
      tuple: ['a', 1],
      union: 'a',
      record: { on: true },
      member: 'y',
      both: { a: 1, b: 2 },
    }
    const request = await start(echo(schema))
    expect((await request.post('/echo').send(right)).body.data).toEqual(right)
    const wrongs = [
      { tuple: [1, 'a'] },
      { tuple: ['a'] },
      { tuple: ['a', 1, 2] },
      { union: 'c' },
      { record: { on: 1 } },
      { member: 'z' },
      { both: { a: 1 } },
    ]
    for (const wrong of wrongs) {
      const { status } = await request.post('/echo').send({ ...right, ...wrong })
      expect([status, wrong]).toEqual([400, wrong])
    }
  })

  it('validates recursive TypeBox types', async () => {
    const Tree = Type.Cyclic(
      { Node: Type.Object({ id: Type.Number(), nodes: Type.Array(Type.Ref('Node')) }) },
      'Node',
    )
    const request = await start(echo(Tree))
    expect(
      (await request.post('/echo').send({ id: 1, nodes: [{ id: 2, nodes: [] }] })).status,
    ).toBe(200)
    const { body } = await request.post('/echo').send({ id: 1, nodes: [{ id: '2', nodes: [] }] })
    expect(body.errors).toMatchObject([{ path: 'nodes.0.id' }])
  })

  it.each([
    ['2020-12', 'https://json-schema.org/draft/2020-12/schema', 'prefixItems'],
    ['2019-09', 'https://json-schema.org/draft/2019-09/schema', 'items'],
    ['07', 'http://json-schema.org/draft-07/schema#', 'items'],
  ])('is validated according to the draft in $schema: %s', async (_draft, $schema, tuple) => {
    const list = { type: 'array', [tuple]: [{ type: 'string' }, { type: 'number' }] }
    const request = await start(echo(object({ list }, { $schema })))
    expect((await request.post('/echo').send({ list: ['a', 1] })).status).toBe(200)
    expect((await request.post('/echo').send({ list: [1, 'a'] })).status).toBe(400)
  })

  it('validates tuples with items and with prefixItems in one schema', async () => {
    const item = [{ type: 'string' }]
    const schema = object({
      old: { type: 'array', items: item },
      new: { type: 'array', prefixItems: item },
    })
    const request = await start(echo(schema))
    expect((await request.post('/echo').send({ old: ['a'], new: ['a'] })).status).toBe(200)
    expect((await request.post('/echo').send({ old: [1] })).status).toBe(400)
    expect((await request.post('/echo').send({ new: [1] })).status).toBe(400)
  })

  it('ignores keywords of other tools', async () => {
    const request = await start(
      echo(object({ a: { type: 'string', example: 'x', 'x-order': 1, xml: {} } })),
    )
    expect((await request.post('/echo').send({ a: 'b' })).status).toBe(200)
  })

  it('is kept separate from a schema with the same $id in another application', async () => {
    const [text, number] = await Promise.all([
      start(echo({ $id: 'same', ...object({ a: { type: 'string' } }) })),
      start(echo({ $id: 'same', ...object({ a: { type: 'number' } }) })),
    ])
    expect((await text.post('/echo').send({ a: 'b' })).status).toBe(200)
    expect((await number.post('/echo').send({ a: 'b' })).status).toBe(400)
    expect((await number.post('/echo').send({ a: 1 })).status).toBe(200)
  })

  it('can be shared by routes of one application under an $id', async () => {
    const shared = { $id: 'shared', ...object({ a: { type: 'integer' } }) }
    const request = await start(echo(shared, 'one'), echo(shared, 'two'))
    expect((await request.post('/one').send({ a: 1 })).status).toBe(200)
    expect((await request.get('/two?a=1')).body.data).toEqual({ a: 1 })
    expect((await request.post('/two').send({ a: 'b' })).status).toBe(400)
  })

  it('does not change req.headers when it coerces headers', async () => {
    @Controller()
    class LevelController {
      @Get()
      @Headers(object({ 'x-level': { type: 'integer' }, 'x-other': { default: 'filled in' } }))
      show({ headers, validated }: Request) {
        return [headers['x-level'], 'x-other' in headers, validated.headers['x-level']]
      }
    }
    const request = await start(LevelController)
    expect((await request.get('/').set('x-level', '4')).body.data).toEqual(['4', false, 4])
  })

  it('causes a boot error with its route if it does not compile', async () => {
    const error = await start(
      echo({ type: 'strng' }, 'one'),
      echo({ $ref: '#/nowhere' }, 'two'),
      echo({ type: 'object' }, 'right'),
    ).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ConfigError)
    const { problems } = error as ConfigError
    expect(problems.map(({ code, subject }) => `${code} ${subject}`).sort()).toEqual([
      'E_SCHEMA_INVALID EchoController.body',
      'E_SCHEMA_INVALID EchoController.body',
      'E_SCHEMA_INVALID EchoController.query',
      'E_SCHEMA_INVALID EchoController.query',
    ])
    expect(problems.some(({ cause }) => cause.includes('of its body does not compile'))).toBe(true)
  })

  it('causes a boot error if it is a class', async () => {
    class Dto {}
    const starting = start(echo(Dto as unknown as Schema))
    await expect(starting).rejects.toThrow(/EchoController\.body[\s\S]*@Body is the class Dto/)
  })
})
