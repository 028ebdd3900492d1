import type { ErrorObject } from 'ajv'
import { describe, expect, it } from 'vitest'
import { shorten, toMismatches } from '../../src/schema/mismatches.js'

const errorAt = (instancePath: string, keyword: string, more: Partial<ErrorObject> = {}) =>
  ({
    instancePath,
    keyword,
    schemaPath: `#/${keyword}`,
    params: {},
    data: 1,
    ...more,
  }) as ErrorObject

describe('a mismatch', () => {
  it.each<[string, Partial<ErrorObject>, string]>([
    ['type', { params: { type: 'integer' } }, 'integer'],
    ['type', { params: { type: ['string', 'null'] } }, 'string or null'],
    ['enum', { params: { allowedValues: ['a', 1, null] } }, 'one of "a", 1, null'],
    ['format', { params: { format: 'date' } }, 'date'],
    ['anyOf', {}, 'one of its alternatives'],
    ['oneOf', {}, 'one of its alternatives'],
    [
      'minLength',
      { message: 'must NOT have fewer than 3 characters' },
      'not to have fewer than 3 characters',
    ],
    ['minimum', { message: 'must be >= 1' }, 'to be >= 1'],
    ['custom', {}, ''],
  ])('contains the expected value of the keyword %s: %j', (keyword, more, expected) => {
    expect(toMismatches([errorAt('/a', keyword, more)])).toEqual([
      { path: 'a', expected, got: '1' },
    ])
  })

  it('contains the name of a missing property and of a property that is not documented', () => {
    const data = { b: [1], c: 'x' }
    expect(
      toMismatches([
        errorAt('/a', 'required', { params: { missingProperty: 'b' }, data }),
        errorAt('', 'additionalProperties', { params: { additionalProperty: 'b' }, data }),
        errorAt('/0', 'unevaluatedProperties', { params: { unevaluatedProperty: 'c' }, data }),
      ]),
    ).toEqual([
      { path: 'a.b', expected: 'to be present', got: 'nothing' },
      { path: 'b', expected: null, got: '[1]' },
      { path: '[0].c', expected: null, got: '"x"' },
    ])
  })

  it.each([
    ['', ''],
    ['/a/0/b', 'a[0].b'],
    ['/0/1', '[0][1]'],
    ['/a~1b/c~0d/~01', 'a/b.c~d.~1'],
    ['/a1', 'a1'],
  ])('has a readable path: %j is %j', (instancePath, path) => {
    expect(toMismatches([errorAt(instancePath, 'type')])[0]?.path).toBe(path)
  })

  it('is reported once for each path, and only the first 500 errors are read', () => {
    expect(
      toMismatches([errorAt('/a', 'minimum'), errorAt('/a', 'type'), errorAt('/b', 'type')]),
    ).toHaveLength(2)
    const many = Array.from({ length: 501 }, (_, n) => errorAt(`/a${n}`, 'type'))
    expect(toMismatches(many)).toHaveLength(500)
  })

  it('contains at most 80 characters of the value', () => {
    const [most, more] = ['a'.repeat(80), 'a'.repeat(81)]
    expect([shorten(most), shorten(more)]).toEqual([most, `${most}…`])
    const [found] = toMismatches([errorAt('', 'type', { data: more })])
    expect(found?.got).toBe(`"${'a'.repeat(79)}…`)
    expect(toMismatches([errorAt('', 'type', { data: undefined })])[0]?.got).toBe('nothing')
  })
})

describe('the errors of a union', () => {
  const union = (instancePath: string, more?: Partial<ErrorObject>) =>
    errorAt(instancePath, 'anyOf', { schemaPath: '#/anyOf', ...more })
  const branch = (instancePath: string, keyword = 'type', schemaPath = '#/anyOf/0') =>
    errorAt(instancePath, keyword, { schemaPath, params: { type: 'string', missingProperty: 'm' } })
  const pathsOf = (errors: ErrorObject[]) => toMismatches(errors).map(({ path }) => path)

  it('are replaced by the deepest, or by the union if none is deeper', () => {
    expect(pathsOf([branch('/a/b'), branch('/a/b/c'), branch('/a'), union('/a')])).toEqual([
      'a.b.c',
    ])
    expect(toMismatches([branch('/a'), union('/a')])).toMatchObject([
      { path: 'a', expected: 'one of its alternatives' },
    ])
    expect(pathsOf([branch('/a', 'required'), union('/a')])).toEqual(['a.m'])
    expect(pathsOf([branch('/a/b', 'type', '#/$defs/A/type'), union('/a')])).toEqual(['a.b'])
  })

  it('do not include errors of other values and other schemas', () => {
    expect(pathsOf([branch('/ab/c'), branch('/a/b', 'type', '#/allOf/0'), union('/a')])).toEqual([
      'ab.c',
      'a.b',
      'a',
    ])
  })

  it('replace the properties that are unevaluated because the alternatives failed', () => {
    const noise = (instancePath: string) =>
      errorAt(instancePath, 'unevaluatedProperties', {
        params: { unevaluatedProperty: 'x' },
        data: { x: 1 },
      })
    expect(pathsOf([union('/a'), noise('/a'), noise('/b')])).toEqual(['a', 'b.x'])
  })
})
