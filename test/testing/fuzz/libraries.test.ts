import { type } from 'arktype'
import { Body, Controller, Post } from 'blazon'
import { TestApp } from 'blazon/testing'
import { Type } from 'typebox'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'

const text = v.string()

/** Common schemas in each library. None is stricter than its description in the document. */
@Controller('people')
class PeopleController {
  @Post('zod')
  @Body(
    z.object({
      email: z.email(),
      site: z.url(),
      code: z.string().regex(/^[a-z]{3}-\d{2}$/),
      password: z
        .string()
        .regex(/^(?=[a-z]*\d)[a-z\d]{2,}$/)
        .optional(),
      born: z.iso.date(),
      scores: z.record(z.string(), z.int()),
      pet: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('cat'), lives: z.int() }),
        z.object({ kind: z.literal('dog'), name: z.string().nullable() }),
      ]),
    }),
  )
  zod() {}

  @Post('valibot')
  @Body(
    v.object({
      email: v.pipe(text, v.email()),
      site: v.pipe(text, v.url()),
      address: v.pipe(text, v.ip()),
      id: v.pipe(text, v.uuid()),
      born: v.pipe(text, v.isoDate()),
      seen: v.pipe(text, v.isoTimestamp()),
      tags: v.optional(v.array(text)),
    }),
  )
  valibot() {}

  @Post('arktype')
  @Body(
    type({
      email: 'string.email',
      site: 'string.url',
      id: 'string.uuid',
      // Its pattern has a back reference, from which no value can be generated.
      born: 'string.date.iso',
      'age?': '1 <= number.integer <= 150',
    }),
  )
  arktype() {}

  @Post('typebox')
  @Body(
    Type.Object({
      email: Type.String({ format: 'email' }),
      site: Type.String({ format: 'uri' }),
      price: Type.Number({ multipleOf: 0.01, minimum: 0 }),
    }),
  )
  typebox() {}
}

let app: TestApp
beforeAll(async () => {
  app = await TestApp.create({ controllers: [PeopleController], contract: 'throw' })
})
afterAll(() => app.close())

it.each(['zod', 'valibot', 'arktype', 'typebox'])(
  'fuzz() generates values that the schemas of %s accept',
  async (library) => {
    const operations = ({ operationId }: { operationId: string }) =>
      operationId === `People_${library}`
    const report = await app.fuzz({ seed: 2, runs: 100, operations })
    expect(report).toMatchObject({ operations: 1, refused: [] })
  },
)
