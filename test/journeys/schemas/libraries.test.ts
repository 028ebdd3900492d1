import { type } from 'arktype'
import {
  Body,
  Controller,
  Get,
  Headers,
  Params,
  Post,
  Query,
  type Request,
  type Schema,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import Type from 'typebox'
import * as v from 'valibot'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

interface Library {
  readonly name: string
  /** `{ name: string of at least 2, age: number, 0 by default }`. */
  readonly body: Schema
  /** `{ id: number }`, from text. */
  readonly params: Schema
  /** `{ page: number, 1 by default }`, from text. */
  readonly query: Schema
  /** `{ 'x-level': number, 3 by default }`, from text. */
  readonly headers: Schema
}

const toNumber = v.pipe(v.string(), v.regex(/^\d+$/), v.transform(Number))

const LIBRARIES: readonly Library[] = [
  {
    name: 'zod',
    body: z.object({ name: z.string().min(2), age: z.number().default(0) }),
    params: z.object({ id: z.coerce.number() }),
    query: z.object({ page: z.coerce.number().default(1) }),
    headers: z.object({ 'x-level': z.coerce.number().default(3) }),
  },
  {
    name: 'valibot',
    body: v.object({ name: v.pipe(v.string(), v.minLength(2)), age: v.optional(v.number(), 0) }),
    params: v.object({ id: toNumber }),
    query: v.object({ page: v.optional(toNumber, '1') }),
    headers: v.object({ 'x-level': v.optional(toNumber, '3') }),
  },
  {
    name: 'arktype',
    body: type({ name: 'string >= 2', age: 'number = 0' }),
    params: type({ id: 'string.numeric.parse' }),
    query: type({ page: type('string.numeric.parse').default('1') }),
    headers: type({ 'x-level': type('string.numeric.parse').default('3') }),
  },
  {
    name: 'TypeBox',
    body: Type.Object({
      name: Type.String({ minLength: 2 }),
      age: Type.Optional(Type.Number({ default: 0 })),
    }),
    params: Type.Object({ id: Type.Number() }),
    query: Type.Object({ page: Type.Optional(Type.Integer({ default: 1 })) }),
    headers: Type.Object({ 'x-level': Type.Optional(Type.Integer({ default: 3 })) }),
  },
  {
    name: 'JSON Schema',
    body: {
      type: 'object',
      properties: { name: { type: 'string', minLength: 2 }, age: { type: 'number', default: 0 } },
      required: ['name'],
    },
    params: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] },
    query: { type: 'object', properties: { page: { type: 'integer', default: 1 } } },
    headers: { type: 'object', properties: { 'x-level': { type: 'integer', default: 3 } } },
  },
]

function controllerOf({ body, params, query, headers }: Library) {
  @Controller('users')
  class UsersController {
    @Post()
    @Body(body)
    create(req: Request) {
      return { body: req.body, validated: req.validated.body }
    }

    @Get(':id')
    @Params(params)
    @Query(query)
    @Headers(headers)
    show(req: Request) {
      const { params, query, validated } = req
      return { params, query, validated, sent: req.headers['x-level'] ?? null }
    }
  }
  return UsersController
}

describe.each(LIBRARIES)('a schema of $name', (library) => {
  let app: TestApp
  const start = async () => {
    app = await TestApp.create({ contract: 'throw', controllers: [controllerOf(library)] })
    return app.request()
  }
  afterEach(() => app.close())

  it('passes the body with defaults to the handler', async () => {
    const request = await start()
    const { body, status } = await request.post('/users').send({ name: 'Ada' })
    expect(status).toBe(200)
    expect(body.data.body).toEqual({ name: 'Ada', age: 0 })
    expect(body.data.validated).toEqual({ name: 'Ada', age: 0 })
  })

  it('responds with 400 to an invalid body, with the path of the field', async () => {
    const request = await start()
    const { body, status } = await request.post('/users').send({ name: 'A' })
    expect(status).toBe(400)
    expect(body).toMatchObject({ statusCode: 'error', status: 400, code: 'VALIDATION_FAILED' })
    expect(body.errors).toEqual([{ in: 'body', path: 'name', message: expect.any(String) }])
    expect(body.errors[0].message).not.toBe('')
  })

  it('reports a missing field by its own path', async () => {
    const request = await start()
    const { body } = await request.post('/users').send({})
    expect(body.errors).toEqual([{ in: 'body', path: 'name', message: expect.any(String) }])
  })

  it('does not coerce a string in a body to a number', async () => {
    const request = await start()
    const { body, status } = await request.post('/users').send({ name: 'Ada', age: '36' })
    expect(status).toBe(400)
    expect(body.errors).toMatchObject([{ in: 'body', path: 'age' }])
  })

  it('responds with 400 when the body is missing', async () => {
    const request = await start()
    const { body, status } = await request.post('/users')
    expect(status).toBe(400)
    expect(body.errors).toMatchObject([{ in: 'body', path: '' }])
  })

  it('coerces strings in params, query and headers to numbers', async () => {
    const request = await start()
    const { body } = await request.get('/users/42?page=7').set('x-level', '9')
    expect(body.data.params).toEqual({ id: 42 })
    expect(body.data.query).toEqual({ page: 7 })
    expect(body.data.validated).toMatchObject({
      params: { id: 42 },
      query: { page: 7 },
      headers: { 'x-level': 9 },
    })
  })

  it('sets defaults of query and headers', async () => {
    const request = await start()
    const { body } = await request.get('/users/42')
    expect(body.data.query).toEqual({ page: 1 })
    expect(body.data.validated.headers).toMatchObject({ 'x-level': 3 })
  })

  it('does not change req.headers', async () => {
    const request = await start()
    const sent = await request.get('/users/42').set('x-level', '9')
    const unsent = await request.get('/users/42')
    expect(sent.body.data.sent).toBe('9')
    expect(unsent.body.data.sent).toBe(null)
  })

  it('reports the errors of all parts in one response', async () => {
    const request = await start()
    const { body, status } = await request.get('/users/x?page=y').set('x-level', 'z')
    expect(status).toBe(400)
    expect(
      body.errors.map((error: { in: string; path: string }) => [error.in, error.path]),
    ).toEqual([
      ['params', 'id'],
      ['query', 'page'],
      ['headers', 'x-level'],
    ])
  })
})
