import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type } from 'arktype'
import { App, Controller, Get, Headers, type Request, type Schema, secret } from 'blazon'
import { TestApp } from 'blazon/testing'
import Type from 'typebox'
import * as v from 'valibot'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

const KEY = 'Idempotency-Key'

/** A library that cannot describe its schemas, and that reads own properties only. */
const undescribed: StandardSchemaV1<unknown, Record<string, unknown>> = {
  '~standard': {
    version: 1,
    vendor: 'own',
    validate(value) {
      const headers = value as Record<string, unknown>
      const names = [KEY, 'X-Count', 'x-plain'].filter((name) => Object.hasOwn(headers, name))
      const isThere = KEY in headers && typeof headers[KEY] === 'string'
      if (!isThere) return { issues: [{ path: [KEY], message: 'is required' }] }
      const values = names.map((name) => [name, headers[name]] as const)
      const read = Object.fromEntries(values)
      return {
        value: {
          ...read,
          ...(read['X-Count'] !== undefined && { 'X-Count': Number(read['X-Count']) }),
        },
      }
    },
  },
}

const zodObject = z.object({
  [KEY]: z.string().min(2),
  'X-Count': z.coerce.number().optional(),
  'x-plain': z.string().optional(),
})
const jsonObject = {
  type: 'object',
  properties: {
    [KEY]: { type: 'string', minLength: 2 },
    'X-Count': { type: 'number' },
    'x-plain': { type: 'string' },
  },
  required: [KEY],
}

/** Each schema has three headers: two with capitals, one of them a number. */
const SCHEMAS: Record<string, Schema> = {
  zod: zodObject,
  'zod with a transform': zodObject.transform((headers) => ({ ...headers })),
  'zod with a preprocess': z.preprocess((headers) => headers, zodObject),
  'a union of zod': z.union([zodObject.extend({ 'X-Other': z.string() }), zodObject]),
  'an asynchronous zod': zodObject.refine(async () => true),
  valibot: v.object({
    [KEY]: v.pipe(v.string(), v.minLength(2)),
    'X-Count': v.optional(v.pipe(v.string(), v.transform(Number))),
    'x-plain': v.optional(v.string()),
  }),
  arktype: type({
    [KEY]: 'string >= 2',
    'X-Count?': 'string.numeric.parse',
    'x-plain?': 'string',
    '+': 'delete',
  }) as unknown as Schema,
  TypeBox: Type.Object({
    [KEY]: Type.String({ minLength: 2 }),
    'X-Count': Type.Optional(Type.Number()),
    'x-plain': Type.Optional(Type.String()),
  }),
  'JSON Schema': jsonObject,
  'JSON Schema with a reference': { $defs: { all: jsonObject }, $ref: '#/$defs/all' },
  'JSON Schema with a condition': { if: { required: ['host'] }, then: jsonObject },
  'a library without descriptions': undescribed,
}

let app: TestApp | undefined
afterEach(async () => {
  await app?.close()
  app = undefined
})

function controllerOf(headers: Schema) {
  @Controller('payments')
  class PaymentsController {
    @Get()
    @Headers(headers)
    list(req: Request) {
      const validated = req.validated.headers as unknown as Record<string, unknown>
      const { [KEY]: key, 'X-Count': count, 'x-plain': plain } = validated
      return { key, count, plain, sent: req.headers['idempotency-key'] }
    }
  }
  return PaymentsController
}

async function start(headers: Schema, options = {}) {
  const started = await TestApp.create({ controllers: [controllerOf(headers)], ...options })
  app = started
  return () => started.request().get('/payments')
}

describe.each(Object.entries(SCHEMAS))('header names with capitals in %s', (_, schema) => {
  it.each([KEY, 'idempotency-key', 'IDEMPOTENCY-KEY'])('match the header %s', async (name) => {
    const get = await start(schema, { contract: 'throw' })
    const sent = get().set({ [name]: 'abc', 'x-count': '3', 'X-Plain': 'p' })
    const { status, body } = await sent
    expect([status, body.data ?? body]).toEqual([
      200,
      { key: 'abc', count: 3, plain: 'p', sent: 'abc' },
    ])
  })
})

// An error of a union of zod has no path.
const { 'a union of zod': _, ...named } = SCHEMAS
it.each(Object.entries(named))(
  '%s reports a missing header by the name in the schema',
  async (_, schema) => {
    const { status, body } = await (await start(schema))()
    expect([status, body.errors[0]]).toMatchObject([400, { in: 'headers', path: KEY }])
  },
)

it.each(['zod', 'valibot', 'arktype', 'TypeBox', 'JSON Schema'])(
  'the document contains the header names as %s spells them',
  (library) => {
    const controllers = [controllerOf(SCHEMAS[library] as Schema)]
    const { parameters } = new App({ controllers }).document.paths['/payments']?.get ?? {}
    expect(parameters).toMatchObject(
      [KEY, 'X-Count', 'x-plain'].map((name) => ({ name, in: 'header' })),
    )
  },
)

it('a schema with two spellings of one header receives the header under both names', async () => {
  const both = z.object({ [KEY]: z.string(), 'idempotency-key': z.string() })
  const { body } = await (await start(both))().set(KEY, 'abc')
  expect(body.data).toEqual({ key: 'abc', sent: 'abc' })
})

it('generic messages do not report an invalid header as missing', async () => {
  const get = await start(zodObject, { validation: { messages: 'generic' } })
  const { body } = await get().set(KEY, 'a')
  expect(body.errors).toEqual([{ in: 'headers', path: KEY, message: 'is not valid' }])
})

it('an error message does not repeat a secret header', async () => {
  const schema = z.object({
    'X-Token': secret(z.string()),
    [KEY]: z.string().refine(() => false, { error: 'not hunter2-hunter2' }),
  })
  const { body } = await (await start(schema))().set({ [KEY]: 'a', 'x-token': 'hunter2-hunter2' })
  expect(body.errors).toEqual([
    { in: 'headers', path: KEY, message: expect.not.stringMatching(/hunter2/) },
  ])
})
