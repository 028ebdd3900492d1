import { type } from 'arktype'
import { ApiBody, App, Body, type Class, Controller, Post, type Schema } from 'blazon'
import type { BodyDescription } from 'blazon/plugin'
import Type from 'typebox'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const object = { type: 'object', properties: { a: { type: 'string' } } } as const
const [zod, valibot, ark] = [z.object({}), v.object({}), type({ 'a?': 'string' })]
const lists = z.object({ tag: z.array(z.string()).optional() })

/** Schemas by name, each with whether it accepts a request without a body. */
const SCHEMAS: Readonly<Record<string, readonly [Schema, boolean]>> = {
  'zod object': [zod, false],
  'zod optional': [zod.optional(), true],
  'zod nullish': [zod.nullish(), true],
  'zod nullable': [zod.nullable(), false],
  'zod default': [zod.default({}), true],
  'zod prefault': [zod.prefault({}), true],
  'zod catch': [zod.catch({}), true],
  'zod any': [z.any(), true],
  'zod unknown': [z.unknown(), true],
  'zod undefined in a union': [z.union([zod, z.undefined()]), true],
  'zod preprocess': [z.preprocess((value) => value ?? {}, zod), true],
  'zod optional with an asynchronous check': [zod.refine(async () => true).optional(), true],
  'zod asynchronous check': [zod.refine(async () => true), false],
  'valibot object': [valibot, false],
  'valibot optional': [v.optional(valibot), true],
  'valibot nullish': [v.nullish(valibot, {}), true],
  'valibot any': [v.any(), true],
  'arktype object': [ark, false],
  'arktype unknown': [type('unknown'), true],
  'arktype or undefined': [ark.or('undefined'), true],
  'JSON Schema object': [object, false],
  'JSON Schema with a default': [{ ...object, default: {} }, false],
  'empty JSON Schema': [{}, true],
  'JSON Schema without a type': [{ properties: object.properties }, true],
  'JSON Schema reference': [{ $ref: '#/$defs/a', $defs: { a: object } }, false],
  'JSON Schema union': [{ anyOf: [object, { minLength: 1 }] }, true],
  'TypeBox any': [Type.Any(), true],
  'TypeBox optional': [Type.Optional(Type.Object({})), false],
}

/** Bodies with options by name, each with whether a request without a body is accepted. */
const BODIES: Readonly<Record<string, readonly [BodyDescription | BodyDescription[], boolean]>> = {
  'bytes without a schema': [{ type: 'bytes' }, false],
  'optional text': [{ type: 'text', schema: z.string().optional() }, true],
  text: [{ type: 'text', schema: z.string() }, false],
  form: [{ type: 'form', schema: lists }, false],
  'optional form': [{ type: 'form', schema: lists.optional() }, true],
  'form of a JSON Schema': [{ type: 'form', schema: object }, true],
  'form of a JSON Schema with a required field': [
    { type: 'form', schema: { ...object, required: ['a'] } },
    false,
  ],
  'optional JSON or text': [
    [{ schema: zod.optional() }, { type: 'text', schema: z.string() }],
    true,
  ],
  'JSON or optional text': [
    [{ schema: zod }, { type: 'text', schema: z.string().optional() }],
    false,
  ],
}

function withBody(body: Schema | BodyDescription | BodyDescription[]): Class {
  @Controller('x')
  class XController {
    @Post('', { body: body as Schema })
    create() {}
  }
  return XController
}

/** Whether the document requires the body, and whether the application does. */
async function required(controller: Class): Promise<[boolean | undefined, boolean]> {
  const app = await App.create({ controllers: [controller], logger: false })
  const { status } = await app.fetch(new Request('http://localhost/x', { method: 'POST' }))
  const documented = app.document.paths['/x']?.post?.requestBody?.required
  await app.close()
  expect([204, 400]).toContain(status)
  return [documented, status === 400]
}

describe('a request without a body', () => {
  const cases = Object.entries({ ...SCHEMAS, ...BODIES })

  it.each(cases)(
    'is accepted by the application if and only if the document allows it: %s',
    async (_, [body, isAccepted]) => {
      expect(await required(withBody(body as Schema))).toEqual([!isAccepted, !isAccepted])
    },
  )

  it('is documented according to @Body even if @ApiBody describes the body', async () => {
    @Controller('x')
    class XController {
      @Post()
      @ApiBody({ schema: zod })
      @Body(zod.optional())
      create() {}
    }
    expect(await required(XController)).toEqual([false, false])
  })

  it('is documented as `required` of @ApiBody states, or as invalid without `required` and @Body', () => {
    @Controller()
    class XController {
      @Post('a')
      @ApiBody({ schema: zod })
      a() {}

      @Post('b')
      @ApiBody({ schema: zod, required: false })
      b() {}

      @Post('c')
      @ApiBody({ schema: zod.optional(), required: true })
      @Body(zod.optional())
      c() {}
    }
    const { paths } = new App({ controllers: [XController] }).document
    const bodies = ['/a', '/b', '/c'].map((path) => paths[path]?.post?.requestBody?.required)
    expect(bodies).toEqual([true, false, true])
  })
})
