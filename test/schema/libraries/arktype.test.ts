import { scope, type } from 'arktype'
import { describe, expect, it } from 'vitest'
import { describeSchema } from '../../../src/schema/describe-schema.js'

describe('an arktype type', () => {
  it('is described on the output side in the form that JSON.stringify writes', () => {
    const schema = type({
      at: 'Date',
      file: 'File',
      size: 'bigint',
      map: 'Map',
      parsed: 'string.date.parse',
      counted: type('string').pipe((text) => text.length),
      told: type('string')
        .pipe((text) => text.length)
        .to('number'),
      narrowed: type('string').narrow(() => true),
      unknown: 'unknown',
    })
    const { schema: described, losses } = describeSchema(schema, { side: 'output' })
    expect(described.properties).toEqual({
      at: { type: 'string', format: 'date-time' },
      file: { type: 'string', format: 'binary' },
      size: { type: 'string', pattern: '^-?\\d+$' },
      map: { type: 'object' },
      parsed: { type: 'string', format: 'date-time' },
      counted: {},
      told: { type: 'number' },
      narrowed: { type: 'string' },
      unknown: {},
    })
    expect(losses.map(({ path }) => path).sort()).toEqual(['counted', 'map', 'size'])
  })

  it('is described on the input side with the input types of its morphs', () => {
    const schema = type({ n: 'string.numeric.parse', counted: type('string').pipe(() => 1) })
    const { schema: described, losses } = describeSchema(schema, { side: 'input' })
    expect(described.properties).toMatchObject({
      n: { type: 'string' },
      counted: { type: 'string' },
    })
    expect(losses).toEqual([])
  })

  it('is described with its constants as JSON.stringify, or the application, writes them', () => {
    const schema = type({
      big: '12345678901234567890n',
      at: type.unit(new Date(0)),
      'nothing?': 'undefined',
      blob: type.instanceOf(Blob),
    })
    const { properties } = describeSchema(schema, { side: 'input' }).schema
    expect(properties).toMatchObject({
      big: { enum: ['12345678901234567890'] },
      at: { enum: ['1970-01-01T00:00:00.000Z'] },
      blob: { type: 'string', format: 'binary' },
    })
  })

  it('keeps all its patterns in the description', () => {
    expect(describeSchema(type('/^a/ & /z$/'), { side: 'input' }).schema).toEqual({
      type: 'string',
      pattern: expect.any(String),
      allOf: [{ pattern: expect.any(String) }],
    })
  })

  it('gets no name from the global counter of arktype', () => {
    const make = () => scope({ node: { 'next?': 'node' } }).export().node
    const [first, second] = [make(), make()]
    const described = describeSchema(first, { side: 'output' })
    expect(described.definitions).toMatchObject([{ name: 'Schema1', isNamed: false }])
    expect(describeSchema(second, { side: 'output' })).toEqual(described)
  })
})
