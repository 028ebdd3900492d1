import { ApiResponseDoc, App, Controller, Get } from 'blazon'
import { expect, it } from 'vitest'

const kindOf = (kind: string, $id: string) => ({
  $id,
  type: 'object',
  properties: { kind: { const: kind } },
  required: ['kind'],
})

it.each(['3.0', '3.1'] as const)(
  'a discriminated union with an alternative for null keeps its discriminator in OpenAPI %s',
  (openapi) => {
    const Pet = {
      oneOf: [kindOf('cat', 'Cat'), kindOf('dog', 'Dog'), { type: 'null' }],
      discriminator: { propertyName: 'kind' },
    }
    @Controller('pets')
    class Pets {
      @ApiResponseDoc({ status: 200, schema: { type: 'object', properties: { pet: Pet } } })
      @Get()
      get() {
        return { pet: null }
      }
    }
    const app = new App({ controllers: [Pets], logger: false, swagger: { openapi } })
    const text = JSON.stringify(app.document)
    expect(text).toContain('"cat":"#/components/schemas/Cat"')
    expect(text).toContain('"dog":"#/components/schemas/Dog"')
  },
)
