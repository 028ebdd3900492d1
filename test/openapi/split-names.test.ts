import { ApiResponseDoc, App, Body, Controller, Post, type Schema } from 'blazon'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

/** The names of components, without those of the framework, if body and response have the same schema. */
function namesOf(...schemas: Schema[]): string[] {
  const controllers = schemas.map((schema, index) => {
    @Controller(`c${index}`)
    class Echo {
      @Post()
      @Body(schema)
      @ApiResponseDoc({ status: 200, description: 'The same', schema })
      echo() {}
    }
    Object.defineProperty(Echo, 'name', { value: `Echo${index}` })
    return Echo
  })
  const { schemas: found = {} } = new App({ controllers, logger: false }).document.components
  return Object.keys(found)
    .filter((name) => !/Envelope|Details|FieldError/.test(name))
    .sort()
}

/** A request may lack its property, and a response always has it. */
const differing = z.object({ count: z.number().default(1) })
const same = z.object({ count: z.number() })

describe('a chain of schemas', () => {
  it.each([1, 2, 3, 4, 6])(
    'has two names for each schema if request and response differ in the last schema (length %i)',
    (length) => {
      let schema: z.ZodType = differing.meta({ id: `S${length}` })
      for (let at = length - 1; at > 0; at--)
        schema = z.object({ next: schema }).meta({ id: `S${at}` })
      const names = Array.from({ length }, (_, index) => `S${index + 1}`)
      expect(namesOf(schema)).toEqual(names.flatMap((name) => [name, `${name}Input`]))
    },
  )

  it('has one name for each schema if request and response do not differ', () => {
    const last = same.meta({ id: 'T3' })
    const middle = z.object({ next: last }).meta({ id: 'T2' })
    expect(namesOf(z.object({ next: middle }).meta({ id: 'T1' }))).toEqual(['T1', 'T2', 'T3'])
  })

  it('has two names only for schemas that refer to a differing schema', () => {
    const last = same.meta({ id: 'U3' })
    const middle = differing.extend({ next: last }).meta({ id: 'U2' })
    const names = namesOf(z.object({ next: middle }).meta({ id: 'U1' }))
    expect(names).toEqual(['U1', 'U1Input', 'U2', 'U2Input', 'U3'])
  })

  it('can contain a schema that refers to itself', () => {
    interface Tree {
      children: Tree[]
      leaf?: unknown
    }
    const leaf = differing.meta({ id: 'Leaf' })
    const tree: z.ZodType<Tree> = z
      .object({ children: z.array(z.lazy(() => tree)), leaf })
      .meta({ id: 'Tree' }) as never
    expect(namesOf(tree)).toEqual(['Leaf', 'LeafInput', 'Tree', 'TreeInput'])
  })

  it('does not use a name that another schema already has', () => {
    const user = differing.meta({ id: 'V' })
    const taken = same.meta({ id: 'VInput' })
    expect(namesOf(user, taken)).toEqual(['V', 'VInput', 'VInput_'])
    const next = same.meta({ id: 'VInput_' })
    expect(namesOf(user, taken, next)).toEqual(['V', 'VInput', 'VInput_', 'VInput__'])
  })
})
