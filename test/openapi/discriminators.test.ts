import { type } from 'arktype'
import { ApiResponseDoc, App, Body, Controller, Post, type Schema } from 'blazon'
import Type from 'typebox'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootWarnings } from '../support.js'

const VERSIONS = ['3.0', '3.1', '3.2'] as const
const ref = (name: string) => `#/components/schemas/${name}`

function controllerOf(body: Schema, response: Schema = body) {
  @Controller('pets')
  class PetsController {
    @Post()
    @Body(body)
    @ApiResponseDoc({ status: 200, description: 'A pet', schema: response, raw: true })
    create(_req: object) {}
  }
  return PetsController
}

/** The schema of the body and that of the response, in each version. */
function documentsOf(body: Schema, response?: Schema) {
  const app = new App({
    controllers: [controllerOf(body, response)],
    swagger: VERSIONS.map((openapi) => ({ path: `/${openapi}`, openapi })),
  })
  return app.documents.map(({ document }) => {
    const { requestBody, responses } = document.paths['/pets']?.post ?? {}
    const response = responses?.['200'] as { content?: Record<string, { schema: object }> }
    return {
      body: requestBody?.content['application/json']?.schema,
      response: response.content?.['application/json']?.schema,
      components: document.components.schemas ?? {},
    }
  })
}

const mapping = { cat: ref('Cat'), dog: ref('Dog'), wolf: ref('Dog') }

const zodUnion = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('cat'), lives: z.int() }).meta({ id: 'Cat' }),
  z.object({ kind: z.enum(['dog', 'wolf']) }).meta({ id: 'Dog' }),
])
const valibotUnion = v.variant('kind', [
  v.pipe(v.object({ kind: v.literal('cat'), lives: v.number() }), v.title('Cat')),
  v.pipe(v.object({ kind: v.picklist(['dog', 'wolf']) }), v.title('Dog')),
])
const cat = { type: 'object', properties: { kind: { const: 'cat' } }, required: ['kind'] }
const dog = { type: 'object', properties: { kind: { enum: ['dog', 'wolf'] } }, required: ['kind'] }
const discriminator = { propertyName: 'kind' }

/** Unions whose alternatives are the components `Cat` and `Dog`. */
const UNIONS: Readonly<Record<string, Schema>> = {
  'z.discriminatedUnion': zodUnion,
  'z.union with a discriminator in its metadata': z
    .union(zodUnion.options)
    .meta({ discriminator: { propertyName: 'kind', mapping: { cat: ref('Cat') } } }),
  'v.variant': valibotUnion,
  'TypeBox with `$id`': Type.Union(
    [
      Type.Object({ kind: Type.Literal('cat') }, { $id: 'Cat' }),
      Type.Object({ kind: Type.Enum(['dog', 'wolf']) }, { $id: 'Dog' }),
    ],
    { discriminator },
  ),
  'JSON Schema with names': {
    oneOf: [{ $ref: '#/$defs/Cat' }, { $ref: '#/$defs/Dog' }],
    discriminator: { ...discriminator, mapping: { cat: 'Cat', dog: 'Dog', wolf: 'Dog' } },
    $defs: { Cat: cat, Dog: dog },
  },
  'JSON Schema with references': {
    anyOf: [{ $ref: '#/definitions/Cat' }, { $ref: '#/definitions/Dog' }],
    discriminator: { ...discriminator, mapping: { cat: '#/definitions/Cat' } },
    definitions: { Cat: cat, Dog: dog },
  },
}

describe('the discriminator of a union', () => {
  it.each(Object.entries(UNIONS))(
    'names the component for each value of its property: %s',
    (_, schema) => {
      for (const { body, response } of documentsOf(schema)) {
        expect(body).toMatchObject({ discriminator: { propertyName: 'kind', mapping } })
        expect(response).toEqual(body)
      }
    },
  )

  it('keeps the mapping of its author if the alternatives have no constants', () => {
    const kind = { type: 'string' }
    const schema = {
      oneOf: [{ $ref: '#/$defs/Cat' }, { $ref: '#/$defs/Dog' }],
      discriminator: { propertyName: 'kind', mapping: { small: 'Cat', big: '#/$defs/Dog' } },
      $defs: { Cat: { ...cat, properties: { kind } }, Dog: { ...dog, properties: { kind } } },
    }
    for (const { body } of documentsOf(schema)) {
      const small = { small: ref('Cat'), big: ref('Dog') }
      expect(body).toMatchObject({ discriminator: { mapping: small } })
    }
  })

  it('refers to the right component if its name differs between request and response', () => {
    const union = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('cat'), lives: z.int().default(9) }).meta({ id: 'Cat' }),
      z.object({ kind: z.literal('dog') }).meta({ id: 'Dog' }),
    ])
    for (const { body, response } of documentsOf(union)) {
      const request = { cat: ref('CatInput'), dog: ref('Dog') }
      expect(body).toMatchObject({ discriminator: { mapping: request } })
      expect(response).toMatchObject({
        discriminator: { mapping: { ...request, cat: ref('Cat') } },
      })
    }
  })

  it('appears in components, lists and unions with null', () => {
    const Pet = zodUnion.meta({ id: 'Pet' })
    const schema = z.object({ pets: z.array(Pet), other: zodUnion.nullable() })
    for (const { body, components } of documentsOf(schema)) {
      expect(components['Pet']).toMatchObject({ discriminator: { mapping } })
      expect(JSON.stringify(body)).toContain(JSON.stringify({ propertyName: 'kind', mapping }))
    }
  })

  it('is omitted if an alternative is not a component, or a value is not a string', () => {
    const inline = v.variant('kind', [
      v.object({ kind: v.literal('cat') }),
      v.pipe(v.object({ kind: v.literal('dog') }), v.title('Dog')),
    ])
    const numbers = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal(1) }).meta({ id: 'One' }),
      z.object({ kind: z.literal(2) }).meta({ id: 'Two' }),
    ])
    for (const { body, response } of documentsOf(inline, numbers)) {
      expect(JSON.stringify([body, response])).toContain('kind')
      expect(JSON.stringify([body, response])).not.toContain('discriminator')
    }
  })

  it('is found in the parts of an alternative', () => {
    const animal = { type: 'object', properties: { name: { type: 'string' } } }
    const schema = {
      oneOf: [{ $ref: '#/$defs/Cat' }, { $ref: '#/$defs/Dog' }],
      discriminator,
      $defs: {
        Animal: animal,
        Cat: { allOf: [{ $ref: '#/$defs/Animal' }, cat] },
        Dog: { allOf: [{ $ref: '#/$defs/Animal' }, dog] },
      },
    }
    for (const { body } of documentsOf(schema)) {
      expect(body).toMatchObject({ discriminator: { mapping } })
    }
  })

  it('of a base schema refers to the components of its own side, and needs properties', () => {
    const Base = (isOfResponse: boolean) => ({
      $id: 'Animal',
      type: 'object',
      properties: { kind: { type: 'string' } },
      ...(isOfResponse && { required: ['kind'] }),
      discriminator: { propertyName: 'kind', mapping: { same: 'Animal' } },
    })
    for (const { components } of documentsOf(Base(false), Base(true))) {
      expect(components['AnimalInput']).toMatchObject({
        discriminator: { mapping: { same: ref('AnimalInput') } },
      })
      expect(components['Animal']).toMatchObject({
        discriminator: { mapping: { same: ref('Animal') } },
      })
    }
    const bare = { type: 'object', discriminator: { propertyName: 'kind' } }
    for (const { body } of documentsOf(bare)) expect(body).not.toHaveProperty('discriminator')
  })

  it('is omitted for a union that does not declare its property', () => {
    const ark = type({ kind: "'cat'" }).or({ kind: "'dog'" })
    for (const { body } of documentsOf(z.union(zodUnion.options), ark)) {
      expect(body).not.toHaveProperty('discriminator')
    }
  })

  it('causes a boot warning if its mapping contains a name that no schema has', async () => {
    const schema = {
      oneOf: [{ $ref: '#/$defs/Cat' }, dog],
      discriminator: { propertyName: 'kind', mapping: { cat: 'Cat', dog: 'Dog' } },
      $defs: { Cat: cat },
    }
    const [warning] = await bootWarnings({ controllers: [controllerOf(schema)] })
    expect(warning?.code).toBe('W_SCHEMA_NOT_REPRESENTABLE')
    expect(warning?.text).toContain("has no named schema for 'dog'")
  })
})
