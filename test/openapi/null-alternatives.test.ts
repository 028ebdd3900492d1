import { App, Controller, Get } from 'blazon'
import { expect, it } from 'vitest'
import { z } from 'zod'

const Cat = z.object({ kind: z.literal('cat') }).meta({ id: 'Cat' })
const Dog = z.object({ kind: z.literal('dog') }).meta({ id: 'Dog' })

it.each(['3.0', '3.1'] as const)(
  'a discriminated union that can be null keeps its discriminator in OpenAPI %s',
  (openapi) => {
    @Controller('pets')
    class Pets {
      @Get('', { returns: z.object({ pet: z.discriminatedUnion('kind', [Cat, Dog]).nullable() }) })
      get() {
        return { pet: null }
      }
    }
    const app = new App({ controllers: [Pets], logger: false, swagger: { openapi } })
    const text = JSON.stringify(app.document)
    expect(text).toContain('"propertyName":"kind"')
    expect(text).toContain('"cat":"#/components/schemas/Cat"')
  },
)
