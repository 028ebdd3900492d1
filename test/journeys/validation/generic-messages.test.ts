import { type } from 'arktype'
import { Body, Controller, Headers, Params, Post, Query, type Schema } from 'blazon'
import { TestApp } from 'blazon/testing'
import * as v from 'valibot'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems } from '../../support.js'

const SECRET = 'hunter2-hunter2'

const schemas: Record<string, Schema> = {
  zod: z.strictObject({
    kind: z.enum(['a', 'b']),
    mail: z.email(),
    short: z.string().max(3),
    record: z.record(z.string().max(3), z.number()),
    list: z.array(z.object({ id: z.number() })),
    own: z.string().refine(() => false, { error: ({ input }) => `not ${input}` }),
    needed: z.string(),
  }),
  valibot: v.strictObject({
    kind: v.picklist(['a', 'b']),
    mail: v.pipe(v.string(), v.email()),
    short: v.pipe(v.string(), v.maxLength(3)),
    record: v.record(v.pipe(v.string(), v.maxLength(3)), v.number()),
    list: v.array(v.object({ id: v.number() })),
    own: v.pipe(
      v.string(),
      v.check(
        () => false,
        ({ input }) => `not ${input}`,
      ),
    ),
    needed: v.string(),
  }),
  arktype: type({
    kind: "'a'|'b'",
    mail: 'string.email',
    short: 'string<3',
    record: 'Record<string, number>',
    list: type({ id: 'number' }).array(),
    own: 'string<2',
    needed: 'string',
    '+': 'reject',
  }) as unknown as Schema,
  'JSON Schema': {
    type: 'object',
    additionalProperties: false,
    required: ['needed'],
    properties: {
      kind: { enum: ['a', 'b'] },
      mail: { type: 'string', format: 'email' },
      short: { type: 'string', maxLength: 3 },
      record: {
        type: 'object',
        propertyNames: { maxLength: 3 },
        additionalProperties: { type: 'number' },
      },
      list: { type: 'array', items: { type: 'object', properties: { id: { type: 'number' } } } },
      own: { type: 'string', pattern: '^$' },
      needed: { type: 'string' },
    },
  },
}

const sent = {
  kind: SECRET,
  mail: SECRET,
  short: SECRET,
  record: { [SECRET]: SECRET, 12345: SECRET },
  list: [{ id: 1 }, { id: SECRET }],
  own: SECRET,
  [SECRET]: SECRET,
}

let app: TestApp
afterEach(() => app.close())

const post = async (schema: Schema, body: unknown, messages?: 'library' | 'generic') => {
  @Controller('things')
  class ThingsController {
    @Post()
    @Body(schema)
    add() {}
  }
  app = await TestApp.create({
    controllers: [ThingsController],
    contract: 'throw',
    ...(messages && { validation: { messages } }),
  })
  const answer = await app
    .request()
    .post('/things')
    .send(body as object)
  expect(answer.status).toBe(400)
  return answer.body.errors as { in: string; path: string; message: string }[]
}

describe.each(Object.entries(schemas))('generic messages about a schema of %s', (_, schema) => {
  it('contain no value or name from the request', async () => {
    const errors = await post(schema, sent, 'generic')
    expect(JSON.stringify(errors)).not.toMatch(/hunter|12345/)
    const said = errors.map(({ path, message }) => `${path} ${message}`)
    expect(said).toEqual([...new Set(said)])
    expect(said).toEqual(
      expect.arrayContaining([
        'kind is not valid',
        'mail is not valid',
        'list.1.id is not valid',
        'record.* is not valid',
        'needed is missing',
      ]),
    )
    for (const { message } of errors) expect(message).toMatch(/^is (?:missing|not valid)$/)
  })

  it('are not the default', async () => {
    const errors = await post(schema, sent)
    expect(JSON.stringify(errors)).toContain(SECRET)
    await app.close()
    expect(await post(schema, sent, 'library')).toEqual(errors)
  })
})

describe('generic messages', () => {
  it('report the errors of every part', async () => {
    @Controller('things')
    class ThingsController {
      @Post(':id')
      @Params(z.object({ id: z.coerce.number() }))
      @Query(z.object({ page: z.coerce.number(), tag: z.array(z.string()).max(1) }))
      @Headers(z.object({ 'x-trace': z.uuid() }))
      @Body(z.object({ name: z.string() }))
      add() {}
    }
    app = await TestApp.create({
      controllers: [ThingsController],
      validation: { messages: 'generic' },
      contract: 'throw',
    })
    const { body } = await app
      .request()
      .post(`/things/${SECRET}?page=${SECRET}&tag=${SECRET}&tag=${SECRET}`)
      .set('X-Trace', SECRET)
    const said = body.errors.map((each: { in: string; path: string; message: string }) =>
      [each.in, each.path, each.message].join(' '),
    )
    expect(said.sort()).toEqual([
      'body  is missing',
      'headers x-trace is not valid',
      'params id is not valid',
      'query page is not valid',
      'query tag is not valid',
    ])
  })

  it('contain no field names if the schema cannot be represented as JSON Schema', async () => {
    const opaque: Schema = {
      '~standard': {
        version: 1,
        vendor: 'own',
        validate: () => ({
          issues: [
            { path: ['name'], message: SECRET },
            { path: [{ key: 'toString' }], message: '' },
          ],
        }),
      },
    }
    const errors = await post(opaque, { name: SECRET }, 'generic')
    expect(errors).toEqual([
      { in: 'body', path: '*', message: 'is not valid' },
      { in: 'body', path: '*', message: 'is missing' },
    ])
  })

  it('are limited to 20 per response', async () => {
    const many = Array.from({ length: 100 }, () => ({ id: SECRET }))
    expect(await post(z.array(z.object({ id: z.number() })), many, 'generic')).toHaveLength(20)
  })

  it('are not necessary for other errors, which contain no input', async () => {
    await post(z.object({ name: z.string() }), {})
    const caller = () => app.request().post('/things').set('Content-Type', 'application/json')
    const malformed = await caller().send(`{"${SECRET}": ${SECRET}`)
    const wrong = await app.request().get('/things')
    const typed = await app.request().post('/things').set('Content-Type', 'text/plain').send(SECRET)
    expect([malformed.status, wrong.status, typed.status]).toEqual([400, 405, 415])
    expect(JSON.stringify([malformed.body, wrong.body, typed.body])).not.toContain('hunter')
  })

  it.each([
    [{ messages: 'none' }, 'validation.messages'],
    [{ messages: false }, 'validation.messages'],
    [{ message: 'generic' }, 'validation.message'],
    ['generic', 'validation'],
  ])('cause a boot error if their option is invalid: %j', async (validation, subject) => {
    app = await TestApp.create()
    const problems = await bootProblems({ validation: validation as never })
    expect(problems.map((each) => each.subject)).toEqual([subject])
  })
})
