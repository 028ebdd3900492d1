import { type } from 'arktype'
import Type from 'typebox'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readReferences } from '../../src/schema/dialect/references.js'
import { toJsonSchema } from '../../src/schema/to-json-schema.js'
import {
  compileFindHidden,
  compileFindSent,
  compileHide,
} from '../../src/schema/visibility/hide-fields.js'
import { findMarks } from '../../src/schema/visibility/marks.js'

const mark = { visibleTo: 'x' }

/** Hides all marked fields of a value, and checks that the search finds exactly what was hidden. */
function hidden(schema: object, value: unknown): unknown {
  const json = '~standard' in schema ? toJsonSchema(schema, { side: 'output' }) : schema
  const marked = { schema: json, resolve: readReferences(json).resolve }
  const shown = compileHide(marked, () => true)(value)
  const found = compileFindHidden(marked, () => true)(value)
  expect(found.length > 0).toBe(JSON.stringify(shown) !== JSON.stringify(value))
  expect(compileHide(marked, () => false)(value)).toBe(value)
  return shown
}

describe('the visibility mark of each library', () => {
  const arked = mark as never
  it.each<[string, object]>([
    [
      'zod',
      z.object({ a: z.number().meta(mark), b: z.string(), c: z.string().meta(mark).optional() }),
    ],
    [
      'zod, as a named schema',
      z.object({
        a: z.number().meta({ id: 'Pay', ...mark }),
        b: z.string(),
        c: z.string().meta(mark).nullish(),
      }),
    ],
    [
      'zod, with a default, a check and a brand',
      z.object({
        a: z.number().meta(mark).min(0).brand('A').readonly(),
        b: z.string(),
        c: z.string().meta(mark).default('c'),
      }),
    ],
    [
      'zod, after a transform',
      z.object({
        a: z.string().transform(Number).pipe(z.number()).meta(mark),
        b: z.string(),
        c: z.codec(z.string(), z.string(), { decode: (c) => c, encode: (c) => c }).meta(mark),
      }),
    ],
    [
      'valibot',
      v.object({
        a: v.pipe(v.number(), v.metadata(mark)),
        b: v.string(),
        c: v.optional(v.pipe(v.string(), v.metadata(mark))),
      }),
    ],
    [
      'valibot, before other actions',
      v.object({
        a: v.pipe(v.string(), v.metadata(mark), v.transform(Number)),
        b: v.string(),
        c: v.pipe(
          v.string(),
          v.metadata(mark),
          v.toUpperCase(),
          v.check(() => true),
        ),
      }),
    ],
    [
      'valibot, on a whole union',
      v.object({
        a: v.pipe(v.nullable(v.number()), v.metadata(mark)),
        b: v.string(),
        c: v.pipe(v.union([v.string(), v.number()]), v.metadata({ ...mark, secret: true })),
      }),
    ],
    [
      'arktype',
      type({ a: type.number.configure(arked), b: 'string', 'c?': type.string.configure(arked) }),
    ],
    [
      'arktype, with a morph',
      type({
        a: type('string.numeric.parse').configure(arked),
        b: 'string',
        c: type.string
          .configure(arked)
          .pipe((c) => c)
          .to('string'),
      }),
    ],
    [
      'TypeBox',
      Type.Object({ a: Type.Number(mark), b: Type.String(), c: Type.Optional(Type.String(mark)) }),
    ],
    [
      'JSON Schema',
      {
        type: 'object',
        properties: { a: { type: 'number', ...mark }, b: {}, c: { $ref: '#/$defs/C' } },
        $defs: { C: mark },
      },
    ],
    ['JSON Schema without types', { properties: { a: { allOf: [mark] }, c: { anyOf: [mark] } } }],
  ])('hides the marked fields: %s', (_, schema) => {
    expect(hidden(schema, { a: 1, b: 'b', c: 'c' })).toEqual({ b: 'b' })
  })
})

describe('a visibility mark in an alternative', () => {
  const A = z.object({ kind: z.literal('a'), pay: z.number().meta(mark) })
  const B = z.object({ kind: z.literal('b'), pay: z.number() })
  const C = z.looseObject({ kind: z.string(), deep: z.any() })

  it.each<[string, object, unknown, unknown]>([
    [
      'applies only if the value matches this alternative',
      z.union([A, B]),
      { kind: 'b', pay: 1 },
      { kind: 'b', pay: 1 },
    ],
    [
      'applies if the value has the tag of this alternative',
      z.discriminatedUnion('kind', [A, B]),
      { kind: 'a', pay: 1 },
      { kind: 'a' },
    ],
    [
      'applies if the value matches no alternative',
      z.union([A, B]),
      { kind: 'c', pay: 1 },
      { kind: 'c' },
    ],
    [
      'applies even if the value is invalid',
      z.union([A, C]),
      { kind: 'a', pay: 'one' },
      { kind: 'a' },
    ],
    [
      'applies if no other alternative names the field',
      z.union([A, C]),
      { kind: 'z', pay: 1, other: 2 },
      { kind: 'z', other: 2 },
    ],
    [
      'applies inside a field that another alternative leaves open',
      z.union([
        z.object({ kind: z.literal('a'), deep: z.object({ pay: z.number().meta(mark) }) }),
        C,
      ]),
      { kind: 'z', deep: { pay: 1, b: 2 } },
      { kind: 'z', deep: { b: 2 } },
    ],
    [
      'does not apply inside a field that another alternative describes',
      z.union([
        z.object({ x: z.object({ pay: z.number().meta(mark) }), kind: z.literal('a') }),
        z.object({ x: z.object({ pay: z.number() }) }),
      ]),
      { x: { pay: 1 } },
      { x: { pay: 1 } },
    ],
    [
      'also applies to null',
      z.object({ a: z.number().meta(mark).nullable(), b: z.null() }),
      { a: null, b: null },
      { b: null },
    ],
    [
      'does not hide list items that match another alternative',
      z.array(z.union([A.meta(mark), B])),
      [
        { kind: 'b', pay: 1 },
        { kind: 'a', pay: 2 },
        { kind: 'b', pay: 3 },
      ],
      [
        { kind: 'b', pay: 1 },
        { kind: 'b', pay: 3 },
      ],
    ],
    [
      'always applies in an intersection',
      z.intersection(
        z.object({ a: z.number() }),
        z.object({ a: z.number().meta(mark), b: z.number() }),
      ),
      { a: 1, b: 2 },
      { b: 2 },
    ],
    [
      'always applies in a condition',
      {
        if: { required: ['z'] },
        then: { properties: { a: mark } },
        else: { properties: { b: mark } },
      },
      { a: 1, b: 2, c: 3 },
      { c: 3 },
    ],
    [
      'always applies in a dependent schema',
      { dependentSchemas: { z: { properties: { a: mark } } } },
      { a: 1, c: 3 },
      { c: 3 },
    ],
  ])('%s', (_, schema, value, expected) => {
    expect(hidden(schema, value)).toEqual(expected)
  })
})

describe('visibility marks for names and nested values', () => {
  it.each<[string, object, unknown, unknown]>([
    [
      'property names that match a pattern',
      { patternProperties: { '^pay': mark }, additionalProperties: {} },
      { payA: 1, b: 2 },
      { b: 2 },
    ],
    [
      'properties that the schema does not list',
      { properties: { a: {} }, additionalProperties: mark },
      { a: 1, b: 2, toString: 3 },
      { a: 1 },
    ],
    [
      'no property that a matching alternative describes with true',
      {
        anyOf: [
          { properties: { a: true }, required: ['a'] },
          { properties: { a: mark }, required: ['z'] },
        ],
      },
      { a: 1 },
      { a: 1 },
    ],
    ['the value itself', mark, { pay: 1 }, null],
    ['items after a tuple', { prefixItems: [{}, {}], items: mark }, [1, 2, 3, 4], [1, 2]],
    [
      'items after a tuple of an older draft',
      { items: [{}, {}], additionalItems: mark },
      [1, 2, 3],
      [1, 2],
    ],
    [
      'a recursive schema',
      {
        $defs: { T: { properties: { pay: mark, sub: { items: { $ref: '#/$defs/T' } } } } },
        $ref: '#/$defs/T',
      },
      { pay: 1, sub: [{ pay: 2, n: 3, sub: [{ pay: 4 }] }] },
      { sub: [{ n: 3, sub: [{}] }] },
    ],
  ])('are applied to %s', (_, schema, value, expected) => {
    expect(hidden(schema, value)).toEqual(expected)
  })

  it('treat an own __proto__ property as data', () => {
    const value = JSON.parse('{"__proto__":{"pay":1},"pay":2,"b":{"__proto__":{"pay":3}}}')
    const schema = {
      properties: { pay: mark, b: { additionalProperties: { properties: { pay: mark } } } },
    }
    const shown = hidden(schema, value) as object
    expect(JSON.stringify(shown)).toBe('{"__proto__":{"pay":1},"b":{"__proto__":{}}}')
    expect(Object.getPrototypeOf(shown)).toBe(Object.prototype)
  })
})

describe('the search for hidden fields in a sent value', () => {
  const sent = (schema: object, value: unknown) => {
    const { resolve } = readReferences(schema)
    return compileFindSent({ schema, resolve }, () => true)(value)
  }

  it('also finds them in a single value that is sent in place of a list', () => {
    const schema = { properties: { rows: { items: { properties: { pay: mark } } } } }
    const found = [['rows', 'pay']]
    expect(sent(schema, { rows: { pay: 1, n: 2 } })).toEqual(found)
    expect(sent(schema, { rows: [{ n: 2 }, { pay: 1 }] })).toEqual([['rows', 1, 'pay']])
    expect(sent({ properties: { pays: { items: mark } } }, { pays: 1 })).toEqual([['pays']])
  })

  const union = {
    anyOf: [
      { properties: { kind: { const: 'a' }, pay: mark, list: { items: mark } } },
      { properties: { kind: { enum: ['b', 'c'] }, pay: {}, list: {} } },
    ],
  }

  it('uses the alternatives that fixed values do not exclude, or all if they exclude each', () => {
    const isFound = (value: object) => sent(union, { pay: 1, ...value }).length > 0
    const kinds = ['a', 'b', 'c', 'd', 7]
    expect(kinds.map((kind) => isFound({ kind }))).toEqual([true, false, false, true, true])
    expect(isFound({})).toBe(true)
  })

  it('ends after a hundred', () => {
    const list = Array(250).fill(1)
    for (const kind of ['a', 'b']) expect(sent(union, { kind, list })).toHaveLength(100)
  })
})

describe('findMarks', () => {
  it('returns the path of each marked field', () => {
    const Node = z.object({
      a: z.number().meta(mark),
      list: z.array(z.object({ b: z.number().meta({ visibleTo: ['y', 'x', 'y'] }) })),
      record: z.record(z.string(), z.number().meta(mark)),
    })
    const { places, wrong } = findMarks(toJsonSchema(Node, { side: 'output' }))
    expect(wrong).toEqual([])
    expect(
      places.map(({ path, mark: abilities, isRequired }) => [path, abilities, isRequired]),
    ).toEqual([
      ['a', ['x'], true],
      ['list.*.b', ['x', 'y'], true],
      ['record.*', ['x'], false],
    ])
  })

  it('ignores properties, defaults and examples that are named `visibleTo`', () => {
    const schema = { properties: { visibleTo: { default: { visibleTo: 'x' } } }, example: mark }
    expect(findMarks(schema)).toEqual({ places: [], wrong: [] })
  })
})
