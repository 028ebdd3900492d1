import { type } from 'arktype'
import { Body, Controller, Patch, Post, type Schema } from 'blazon'
import { TestApp } from 'blazon/testing'
import Type from 'typebox'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootWarnings } from '../../support.js'

const fields = z.object({
  name: z.string(),
  email: z.string().nullable().default(null),
  role: z.enum(['user', 'admin']).default('user'),
})
const now = () => new Date(0)

/** Schemas of a PATCH, a body, and the names of the fields that the body does not have and that are set. */
const FILLED: Readonly<Record<string, readonly [Schema, object, string[]]>> = {
  'zod partial': [fields.partial(), {}, ['email', 'role']],
  'zod partial with a required field': [
    fields.partial().extend({ version: z.int() }),
    { version: 1 },
    ['email', 'role'],
  ],
  'zod partial that is not empty': [
    fields.partial().refine((body) => Object.keys(body).length > 0),
    { name: 'a' },
    ['email', 'role'],
  ],
  'zod prefault, catch and a function': [
    z.object({
      a: z.string().prefault('x').optional(),
      b: z.string().catch('x'),
      c: z.coerce.date().default(now),
      d: z.string().optional(),
    }),
    {},
    ['a', 'b', 'c'],
  ],
  'zod transform': [
    z.object({ email: z.string().optional() }).transform(({ email }) => ({ email: email ?? null })),
    {},
    ['email'],
  ],
  'zod with an asynchronous check': [
    fields.partial().refine(async () => true),
    {},
    ['email', 'role'],
  ],
  valibot: [v.object({ a: v.optional(v.string(), 'x'), b: v.optional(v.string()) }), {}, ['a']],
  'valibot with a required field': [
    v.object({ a: v.optional(v.string(), () => 'x'), b: v.number() }),
    { b: 1 },
    ['a'],
  ],
  arktype: [type({ a: "string = 'x'", 'b?': 'string' }), {}, ['a']],
  'arktype with a required field': [type({ a: "string = 'x'", b: 'number' }), { b: 1 }, ['a']],
  'JSON Schema': [
    { type: 'object', properties: { a: { type: 'string', default: 'x' }, b: { type: 'string' } } },
    {},
    ['a'],
  ],
  'JSON Schema in parts': [
    {
      type: 'object',
      properties: { b: { type: 'string' } },
      allOf: [{ properties: { a: { type: 'string', default: 'x' } } }],
    },
    {},
    ['a'],
  ],
  TypeBox: [Type.Partial(Type.Object({ a: Type.String({ default: 'x' }) })), {}, ['a']],
}

function routeWith(schema: Schema) {
  @Controller('x')
  class XController {
    @Patch()
    @Body(schema)
    change({ body }: { body: object }) {
      return body
    }
  }
  return XController
}

describe('a body schema', () => {
  it.each(Object.entries(FILLED))(
    'causes a warning if it sets defaults in a PATCH: %s',
    async (_, given) => {
      const [schema, body, names] = given
      const controllers = [routeWith(schema)]
      const app = await TestApp.create({ controllers, logger: false })
      const { data } = (await app.request().patch('/x').send(body)).body
      await app.close()
      expect(Object.keys(data).filter((name) => !Object.hasOwn(body, name))).toEqual(names)
      const [warning, ...others] = await bootWarnings({ controllers })
      expect(others).toEqual([])
      expect(warning?.code).toBe('W_PATCH_DEFAULTS')
      expect(warning?.text).toContain(names.map((name) => `'${name}'`).join(', '))
      const isZod = '~standard' in schema && schema['~standard'].vendor === 'zod'
      expect(warning?.text).toContain(
        isZod
          ? `Fields.extend({ ${names[0]}: Fields.shape.${names[0]}`
          : 'can use the same fields.',
      )
    },
  )

  it('causes a warning if it sets the default of a single field of @Body in a PATCH', async () => {
    @Controller('x')
    class XController {
      @Patch()
      @Body('role', fields.shape.role)
      @Body('name', z.string().optional())
      change() {}
    }
    const [warning, ...others] = await bootWarnings({ controllers: [XController] })
    expect(others).toEqual([])
    expect(warning?.text).toContain("without 'role'")
  })

  it.each([
    ['zod', fields.omit({ email: true, role: true }).partial()],
    [
      'zod with a new field',
      fields.pick({ name: true }).transform((body) => ({ ...body, at: now() })),
    ],
    ['valibot partial of defaults', v.partial(v.object({ a: v.optional(v.string(), 'x') }))],
    ['valibot', v.object({ a: v.optional(v.string()), b: v.number() })],
    ['arktype', type({ 'a?': 'string' })],
    ['JSON Schema', { properties: { a: { type: 'string' } } }],
    ['anything', z.any()],
  ])('causes no warning if it sets no defaults in a PATCH: %s', async (_, schema) => {
    expect(await bootWarnings({ controllers: [routeWith(schema)] })).toEqual([])
  })

  it('causes no warning if it sets defaults in a POST', async () => {
    @Controller('x')
    class XController {
      @Post()
      @Body(fields)
      create() {}
    }
    expect(await bootWarnings({ controllers: [XController] })).toEqual([])
  })
})
