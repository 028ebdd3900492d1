import {
  ApiResponseDoc,
  type AppOptions,
  Body,
  Controller,
  type EnvelopeFormat,
  Get,
  Params,
  Post,
  Query,
  type Request,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { compareDocuments } from '../../../src/cli/diff/compare-documents.js'

const Point = z.tuple([z.number(), z.number()])
const Place = z
  .object({
    name: z.string().meta({ examples: ['Home', 'Work'] }),
    at: Point,
    note: z.string().nullable(),
    price: z.number().positive(),
    size: z.literal('small').or(z.literal('large')),
  })
  .meta({ id: 'Place' })
const Kinds = {
  type: 'object',
  properties: { of: { type: ['string', 'null'] } },
  dependentRequired: { of: ['of'] },
}

/** What the handlers send. Each test sets its own. */
let reply: unknown

@Controller('places')
class PlacesController {
  @Get(':id')
  @Params({ type: 'object', properties: { id: { type: 'integer', minimum: 1 } } })
  @ApiResponseDoc({ status: 200, description: 'The place', schema: Place })
  one() {
    return reply
  }

  @Post()
  @Query(z.object({ near: z.array(z.string()).optional(), note: z.string().nullable().optional() }))
  @Body(Place)
  @ApiResponseDoc({ status: 200, description: 'The place', schema: Place })
  add(req: Request) {
    return req.body
  }

  @Get()
  @ApiResponseDoc({ status: 200, description: 'Kinds', schema: Kinds })
  kinds() {
    return reply
  }
}

const VERSIONS = { '3.0': '3.0.3', '3.1': '3.1.2', '3.2': '3.2.0' } as const
type Version = keyof typeof VERSIONS
const versions = Object.keys(VERSIONS) as Version[]

const appWith = (swagger: AppOptions['swagger']): AppOptions => ({
  controllers: [PlacesController],
  swagger: swagger as NonNullable<AppOptions['swagger']>,
})

let app: TestApp
const create = async (swagger: AppOptions['swagger']) => {
  app = await TestApp.create({ ...appWith(swagger), contract: 'throw' })
  return app
}

afterEach(async () => {
  await app?.close()
})

describe('documents of several OpenAPI versions', () => {
  it('are served together, each in its own version, and with the same meaning', async () => {
    await create(versions.map((openapi) => ({ openapi, path: `/docs-${openapi}` })))
    const bodies = await Promise.all(
      versions.map(async (version) => (await app.request().get(`/docs-${version}.json`)).body),
    )
    expect(bodies.map(({ openapi }) => openapi)).toEqual(Object.values(VERSIONS))
    for (const from of bodies)
      for (const to of bodies) expect(compareDocuments(from, to)).toEqual([])
    for (const version of versions) {
      const { text } = await app.request().get(`/docs-${version}.yaml`)
      expect(text).toContain(`openapi: ${VERSIONS[version]}`)
    }
  })

  it('use version 3.0.3 by default', async () => {
    await create({})
    expect(app.document.openapi).toBe('3.0.3')
  })

  it.each(['3.1', '3.2'] as const)(
    'contain the schemas of the validation library unchanged in version %s',
    async (openapi) => {
      const { document } = await create({ openapi })
      const { Place: place } = document.components.schemas ?? {}
      expect(place).toEqual({
        type: 'object',
        properties: {
          name: { type: 'string', examples: ['Home', 'Work'] },
          at: {
            type: 'array',
            prefixItems: [{ type: 'number' }, { type: 'number' }],
            items: false,
            minItems: 2,
            maxItems: 2,
          },
          note: { type: ['string', 'null'] },
          price: { type: 'number', exclusiveMinimum: 0 },
          size: {
            anyOf: [
              { type: 'string', const: 'small' },
              { type: 'string', const: 'large' },
            ],
          },
        },
        required: ['name', 'at', 'note', 'price', 'size'],
      })
      const text = JSON.stringify(document)
      for (const keyword of ['nullable', 'exclusiveMinimum":true']) {
        expect(text).not.toContain(keyword)
      }
    },
  )

  it('convert the schema of a custom envelope from the 3.0 dialect to JSON Schema 2020-12', async () => {
    const envelope: EnvelopeFormat = {
      success: (data: unknown) => ({ data, next: null }),
      schema: (data) => ({
        type: 'object',
        properties: { data, next: { type: 'string', nullable: true, example: 'a' } },
      }),
    }
    app = await TestApp.create({ ...appWith({ openapi: '3.1' }), envelope, contract: 'throw' })
    const { '200': ok = { description: '' } } = app.document.paths['/places']?.get?.responses ?? {}
    const [media] = 'content' in ok ? Object.values(ok.content ?? {}) : []
    expect(media?.schema.properties).toEqual({
      data: {
        type: 'object',
        properties: { of: { type: ['string', 'null'] } },
        dependentRequired: { of: ['of'] },
      },
      next: { type: ['string', 'null'], examples: ['a'] },
    })
    reply = { of: null }
    expect((await app.request().get('/places')).status).toBe(200)
  })

  it('describe query parameters with a style and a schema in version 3.1', async () => {
    const { document } = await create({ openapi: '3.1' })
    expect(document.paths['/places']?.post?.parameters).toEqual([
      {
        name: 'near',
        in: 'query',
        style: 'form',
        explode: true,
        schema: { type: 'array', items: { type: 'string' } },
      },
      { name: 'note', in: 'query', schema: { type: ['string', 'null'] } },
    ])
  })

  it('can contain a tree of tags in version 3.2', async () => {
    const tags = [
      { name: 'All', summary: 'Everything', kind: 'nav' },
      { name: 'Places', parent: 'All' },
    ]
    const { document } = await create({ openapi: '3.2', tags })
    expect(document.tags).toEqual(tags)
  })
})

const PLACE = { name: 'Home', at: [1, 2], note: null, price: 1, size: 'small' }

describe.each(versions)('a test with an OpenAPI %s document', (openapi) => {
  it('accepts responses that match the document, and fails for other responses', async () => {
    await create({ openapi })
    reply = PLACE
    expect((await app.request().get('/places/1')).status).toBe(200)
    const wrong = [
      { ...PLACE, note: 1 },
      { ...PLACE, price: 0 },
      { ...PLACE, size: 'medium' },
      { ...PLACE, secret: 'x' },
      // Only the later versions have the places of a tuple.
      ...(openapi === '3.0' ? [] : [{ ...PLACE, at: [1, 'x'] }]),
    ]
    for (const each of wrong) {
      reply = each
      await expect(app.request().get('/places/1'), JSON.stringify(each)).rejects.toThrow(
        /its document differs/,
      )
    }
  })

  it('can use fuzz()', async () => {
    reply = PLACE
    await create({ openapi })
    await app.fuzz({ runs: 60, seed: 7, skip: ['Places_kinds'] })
  })
})
