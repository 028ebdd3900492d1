import {
  ApiResponseDoc,
  Body,
  Controller,
  Get,
  Post,
  Query,
  type Request,
  type Schema,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import Type from 'typebox'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

const cents = { type: 'number', multipleOf: 0.01 } as const
const ofCents = {
  type: 'object',
  properties: {
    price: cents,
    prices: { type: 'array', items: cents },
    nested: { type: 'object', properties: { price: cents } },
    either: { anyOf: [cents, { type: 'boolean' }] },
  },
} as const

const SCHEMAS: Record<string, Schema> = {
  'JSON Schema': ofCents,
  'draft-07': { ...ofCents, $schema: 'http://json-schema.org/draft-07/schema#' },
  '2019-09': { ...ofCents, $schema: 'https://json-schema.org/draft/2019-09/schema' },
  TypeBox: Type.Object({
    price: Type.Optional(Type.Number({ multipleOf: 0.01 })),
    prices: Type.Optional(Type.Array(Type.Number({ multipleOf: 0.01 }))),
    nested: Type.Optional(Type.Object({ price: Type.Number({ multipleOf: 0.01 }) })),
    either: Type.Optional(Type.Union([Type.Number({ multipleOf: 0.01 }), Type.Boolean()])),
  }),
}

let app: TestApp
afterEach(() => app.close())

async function start(schema: Schema) {
  @Controller('prices')
  class PricesController {
    @Post()
    @Body(schema)
    create({ body }: Request) {
      return { body }
    }

    @Get()
    @Query(schema)
    list({ query }: Request) {
      return { price: query['price'] }
    }
  }
  app = await TestApp.create({ controllers: [PricesController] })
  const post = async (body: object) => (await app.request().post('/prices').send(body)).status
  return { post, get: async (price: string) => await app.request().get('/prices').query({ price }) }
}

const ofPlaces = (price: number) => [
  { price },
  { prices: [0.01, price] },
  { nested: { price } },
  { either: price },
]

describe.each(Object.entries(SCHEMAS))('multipleOf: 0.01 in %s', (_, schema) => {
  it('accepts each price up to 100, in every part of a body', async () => {
    const { post } = await start(schema)
    const prices = Array.from({ length: 10_000 }, (_, index) => index / 100)
    expect(await post({ prices })).toBe(200)
    expect(await post({ prices: prices.map((price) => -price) })).toBe(200)
    for (const price of [19.99, -19.99, 0.07, 4.35, 8.2e-1, 12345678.91, 1e15, 0]) {
      for (const body of ofPlaces(price)) expect([body, await post(body)]).toEqual([body, 200])
    }
  })

  it('refuses a price with a third decimal place', async () => {
    const { post } = await start(schema)
    for (const price of [19.991, -0.001, 0.015, 1e-7, 12345678.905, 999999999.995, 5e-324]) {
      for (const body of ofPlaces(price)) expect([body, await post(body)]).toEqual([body, 400])
    }
  })

  it('also applies to strings in a query', async () => {
    const { get } = await start(schema)
    for (const price of ['19.99', '1.999e1', '-0.07']) {
      expect((await get(price)).body.data).toEqual({ price: Number(price) })
    }
    for (const price of ['19.995', '1.9995e1', '1e400']) expect((await get(price)).status).toBe(400)
  })
})

it.each([
  [1e-7, [3e-7, 1.1e-6, -7e-7, 1], [1.5e-7, 1e-8]],
  [0.3, [0.9, 2.1, -5.7], [1, 0.1]],
  [2.5, [7.5, 1e308], [7, 1.25]],
  [3, [9, 3e15, -6], [1e22, 2.9999999999999996, 10]],
])('multipleOf: %d is checked exactly', async (multipleOf, right, wrong) => {
  const { post } = await start({ properties: { price: { multipleOf } } })
  for (const price of right) expect([price, await post({ price })]).toEqual([price, 200])
  for (const price of wrong) expect([price, await post({ price })]).toEqual([price, 400])
})

it('multipleOf is applied in the same way in responses and in document examples', async () => {
  const Price = Type.Object({ price: Type.Number({ multipleOf: 0.01, examples: [19.99, 0.07] }) })

  @Controller('offers')
  class OffersController {
    @Get('right')
    @ApiResponseDoc({ status: 200, schema: Price })
    right() {
      return { price: 19.99 }
    }

    @Get('wrong')
    @ApiResponseDoc({ status: 200, schema: Price })
    wrong() {
      return { price: 12345678.905 }
    }
  }
  app = await TestApp.create({ controllers: [OffersController], contract: 'warn', strict: true })
  await app.request().get('/offers/right')
  expect(app.contractReport()).toEqual([])
  await app.request().get('/offers/wrong')
  expect(app.contractReport()).toHaveLength(1)
  expect(JSON.stringify(app.document)).toContain('19.99')
})

it('multipleOf determines the alternative of a union in a response', async () => {
  const Cents = z.object({ price: z.number().multipleOf(0.01), cents: z.boolean() })
  const Other = z.object({ price: z.number(), other: z.boolean() })

  @Controller('offers')
  class OffersController {
    @Get(':price')
    @ApiResponseDoc({ status: 200, schema: z.union([Cents, Other]) })
    one({ params }: Request) {
      return { price: Number(params['price']), cents: true, other: true }
    }
  }
  app = await TestApp.create({ controllers: [OffersController], responses: 'strip' })
  const get = async (price: string) => (await app.request().get(`/offers/${price}`)).body.data
  expect(await get('19.99')).toEqual({ price: 19.99, cents: true, other: true })
  expect(await get('12345678.905')).toEqual({ price: 12345678.905, other: true })
})
