import { type } from 'arktype'
import Type from 'typebox'
import * as v from 'valibot'

/** The same thing in four libraries. Each schema also has a keyword that the others do not have. */
export const ValibotThing = v.object({
  name: v.pipe(v.string(), v.minLength(1), v.maxLength(50)),
  count: v.pipe(v.number(), v.integer(), v.minValue(0)),
  email: v.optional(v.pipe(v.string(), v.email())),
  tags: v.optional(v.array(v.string()), []),
  color: v.nullable(v.picklist(['red', 'green'])),
  point: v.tuple([v.number(), v.number()]),
  extra: v.record(v.string(), v.number()),
  choice: v.variant('kind', [
    v.object({ kind: v.literal('a'), a: v.string() }),
    v.object({ kind: v.literal('b'), b: v.number() }),
  ]),
})

export const ValibotQuery = v.object({
  tag: v.optional(v.array(v.string())),
  limit: v.optional(v.pipe(v.string(), v.regex(/^\d+$/)), '10'),
})

export const ArktypeThing = type({
  name: '1 <= string <= 50',
  count: 'number.integer >= 0',
  'email?': 'string.email',
  tags: type('string[]').default(() => []),
  color: "'red' | 'green' | null",
  point: ['number', 'number'],
  extra: { '[string]': 'number' },
  choice: type({ kind: "'a'", a: 'string' }).or({ kind: "'b'", b: 'number' }),
})

export const ArktypeQuery = type({ 'tag?': 'string[]', limit: "string.numeric = '10'" })

export const TypeboxThing = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 50 }),
    count: Type.Integer({ minimum: 0 }),
    email: Type.Optional(Type.String({ format: 'email' })),
    tags: Type.Array(Type.String(), { default: [] }),
    color: Type.Union([Type.Literal('red'), Type.Literal('green'), Type.Null()]),
    point: Type.Tuple([Type.Number(), Type.Number()]),
    extra: Type.Record(Type.String(), Type.Number()),
    choice: Type.Union([
      Type.Object({ kind: Type.Literal('a'), a: Type.String() }),
      Type.Object({ kind: Type.Literal('b'), b: Type.Number() }),
    ]),
  },
  { $id: 'TypeboxThing' },
)

export const TypeboxQuery = Type.Object({
  tag: Type.Optional(Type.Array(Type.String())),
  limit: Type.Integer({ default: 10, exclusiveMinimum: 0, maximum: 100 }),
})

/** Draft 2020-12, by hand: recursion through `$defs`, `const`, `oneOf`, lists of types. */
export const JsonThing = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 50 },
    count: { type: 'integer', minimum: 0 },
    email: { type: 'string', format: 'email' },
    tags: { type: 'array', items: { type: 'string' }, default: [] },
    color: { enum: ['red', 'green', null] },
    point: {
      type: 'array',
      prefixItems: [{ type: 'number' }, { type: 'number' }],
      minItems: 2,
      maxItems: 2,
    },
    extra: { type: 'object', additionalProperties: { type: ['number', 'null'] } },
    choice: {
      oneOf: [
        {
          type: 'object',
          properties: { kind: { const: 'a' }, a: { type: 'string' } },
          required: ['kind', 'a'],
        },
        {
          type: 'object',
          properties: { kind: { const: 'b' }, b: { type: 'number' } },
          required: ['kind', 'b'],
        },
      ],
    },
    chain: { $ref: '#/$defs/Link' },
  },
  required: ['name', 'count', 'color', 'point', 'extra', 'choice'],
  additionalProperties: false,
  $defs: {
    Link: {
      type: 'object',
      properties: { value: { type: 'string' }, next: { $ref: '#/$defs/Link' } },
      required: ['value'],
    },
  },
} as const

export const JsonQuery = {
  type: 'object',
  properties: {
    tag: { type: 'array', items: { type: 'string' } },
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
  },
} as const
