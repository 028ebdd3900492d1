import { type } from 'arktype'
import {
  Body,
  type Class,
  Controller,
  Get,
  Headers,
  Params,
  Post,
  Put,
  Query,
  type Request,
  type Schema,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import express from 'express'
import Type from 'typebox'
import * as v from 'valibot'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

/** Numbers, as JSON and as text, that are too large for JavaScript. */
const OVERFLOWING = [
  '1e400',
  '-1e999',
  '1E+400',
  '1e0000309',
  '9'.repeat(400),
  `${'9'.repeat(250)}e99`,
]

/** The number as a string, because JSON has no Infinity. */
const shown = (value: unknown): string => String((value as { n: unknown }).n)

/** A controller with one route for each part of a request. */
function takers(schema: Schema): Class {
  @Controller('take')
  class TakingController {
    @Post()
    @Body(schema)
    body({ body }: Request) {
      return { shown: shown(body) }
    }

    @Get()
    @Query(schema)
    query({ query }: Request) {
      return { shown: shown(query) }
    }

    @Get('headers')
    @Headers(schema)
    headers({ validated }: Request) {
      return { shown: shown(validated.headers) }
    }

    @Get('path/:n')
    @Params(schema)
    params({ params }: Request) {
      return { shown: shown(params) }
    }

    // Without a schema.
    @Put()
    any({ body }: Request) {
      return { shown: shown(body) }
    }
  }
  return TakingController
}

const ofText = {
  zod: z.object({ n: z.coerce.number() }),
  arktype: type({ n: 'string.numeric.parse' }),
  'valibot, with v.finite': v.object({ n: v.pipe(v.string(), v.toNumber(), v.finite()) }),
  'JSON Schema': { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
  integer: { type: 'object', properties: { n: { type: 'integer' } } },
  TypeBox: Type.Object({ n: Type.Number() }),
  'TypeBox, union': Type.Object({ n: Type.Union([Type.Number(), Type.Boolean()]) }),
  'several types': { type: 'object', properties: { n: { type: ['number', 'null'] } } },
  '2019-09': {
    $schema: 'https://json-schema.org/draft/2019-09/schema',
    type: 'object',
    properties: { n: { type: 'number' } },
  },
  'draft-07': {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { n: { type: 'integer', multipleOf: 1 } },
  },
} satisfies Record<string, Schema>

const ofJson = {
  zod: z.object({ n: z.number() }),
  'anything of zod': z.object({ n: z.any() }),
  valibot: v.object({ n: v.number() }),
  arktype: type({ n: 'number > 0' }),
  'JSON Schema': { type: 'object', properties: { n: { type: 'number' } } },
  'a JSON Schema without a type': { type: 'object', properties: { n: { minimum: 1 } } },
} satisfies Record<string, Schema>

describe('a number that overflows', () => {
  const apps: TestApp[] = []
  afterEach(async () => {
    await Promise.all(apps.splice(0).map((app) => app.close()))
  })
  const start = async (schema: Schema, options: object = {}) => {
    const app = await TestApp.create({ controllers: [takers(schema)], logger: false, ...options })
    apps.push(app)
    return app.request()
  }

  it.each(Object.entries(ofText))(
    'is refused in a query, path or header: %s',
    async (_name, schema) => {
      const request = await start(schema)
      for (const text of [...OVERFLOWING, 'Infinity', '-Infinity', 'NaN']) {
        for (const { status, body } of [
          await request.get('/take').query({ n: text }),
          await request.get(`/take/path/${text}`),
          await request.get('/take/headers').set('n', text),
        ]) {
          expect({ text, status, errors: body.errors?.slice(0, 1) }).toMatchObject({
            status: 400,
            errors: [{ path: 'n' }],
          })
        }
      }
      expect((await request.get('/take').query({ n: '12' })).body.data).toEqual({ shown: '12' })
    },
  )

  it('is refused, even if a schema transforms another string to Infinity', async () => {
    const read = (text: string) => (text === 'unlimited' ? Infinity : Number(text))
    for (const n of [z.string().transform(read), v.pipe(v.string(), v.transform(read))]) {
      const request = await start(n instanceof z.ZodType ? z.object({ n }) : v.object({ n }))
      expect((await request.get('/take?n=unlimited')).body.data).toEqual({ shown: 'Infinity' })
      expect((await request.get('/take?n=7')).body.data).toEqual({ shown: '7' })
      const { status, body } = await request.get('/take?n=1e400')
      expect(status).toBe(400)
      expect(body.errors).toEqual([{ in: 'query', path: 'n', message: 'must be a finite number' }])
    }
  })

  it('is refused in a query array, and accepted as a string when the schema allows it', async () => {
    const list = { type: 'object', properties: { n: { type: 'array', items: { type: 'number' } } } }
    const lists = await start(list)
    expect((await lists.get('/take?n=1&n=1e400')).body.errors).toMatchObject([{ path: 'n.1' }])
    expect((await lists.get('/take?n=1e400')).status).toBe(400)
    const either = { anyOf: [{ type: 'number' }, { type: 'string' }] }
    const request = await start({ type: 'object', properties: { n: either } })
    expect((await request.get('/take?n=1e400')).body.data).toEqual({ shown: '1e400' })
  })

  it.each(Object.entries(ofJson))(
    'is refused in JSON with any schema: %s',
    async (_name, schema) => {
      const request = await start(schema)
      for (const text of OVERFLOWING) {
        // The search for numbers that are too large must find this one, and not only the text that looks like one.
        for (const id of ['3e4001ab', 'plain']) {
          const sent = `{"id":"${id}","n":${text}}`
          const post = request.post('/take').type('json').send(sent)
          const { status, body } = await post
          expect({ text, status, code: body.code }).toEqual({
            text,
            status: 400,
            code: 'MALFORMED_JSON',
          })
        }
      }
    },
  )

  it('is refused in JSON without a schema', async () => {
    const request = await start(ofJson.zod)
    const put = (text: string) => request.put('/take').type('json').send(text)
    expect((await put('{"n":1e400}')).body).toMatchObject({
      status: 400,
      code: 'MALFORMED_JSON',
      message: 'The body contains a number that is too large',
    })
    expect((await put('1e400')).status).toBe(400)
    expect((await put(' [[ -1e400 ]]')).status).toBe(400)
    expect((await put('{"a\\"":[{"b":1e400}]}')).status).toBe(400)
    expect((await put('{"n":"1e400"}')).body.data).toEqual({ shown: '1e400' })
    expect((await put('{"n":1.7976931348623157e308}')).body.data.shown).toBe(
      '1.7976931348623157e+308',
    )
    expect((await put('{"n":1e-400}')).body.data.shown).toBe('0')
  })

  it('is refused by a JSON Schema when express.json() has parsed the body', async () => {
    for (const n of [{ type: 'number' }, { type: 'integer' }, { maximum: 5 }, { multipleOf: 2 }]) {
      const schema = { type: 'object', properties: { n } }
      const request = await start(schema, { middlewares: [express.json()] })
      const { status, body } = await request.post('/take').type('json').send('{"n":1e400}')
      expect({ n, status, errors: body.errors?.slice(0, 1) }).toMatchObject({
        status: 400,
        errors: [{ path: 'n' }],
      })
    }
  })
})
