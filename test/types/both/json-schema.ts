// The keywords of JSON Schema that the types support, and those for which the output is `any`.
import type { InferOutput } from 'blazon'
import Type from 'typebox'
import type { Equal, Expect } from '../expect.js'

/** The output of a schema that the types do not support. */
// biome-ignore lint/suspicious/noExplicitAny: this is what is asserted
type Unfollowed = any

enum Colour {
  Red = 'red',
  Blue = 'blue',
}

const box = Type.Object({
  literal: Type.Literal('a'),
  union: Type.Union([Type.String(), Type.Number(), Type.Null()]),
  optionalUnion: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal('b')])),
  list: Type.Array(Type.Object({ id: Type.Integer() })),
  members: Type.Enum(['x', 'y']),
  colour: Type.Enum(Colour),
  record: Type.Record(Type.String(), Type.Boolean()),
  tuple: Type.Tuple([Type.String(), Type.Number()]),
  both: Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Number() })]),
  unsafe: Type.Unsafe<Date>({ type: 'string' }),
  anything: Type.Any(),
  reference: Type.Ref('Elsewhere'),
})

type Box = InferOutput<typeof box>

export type TypeBoxCases = [
  Expect<Equal<Box['literal'], 'a'>>,
  Expect<Equal<Box['union'], string | number | null>>,
  Expect<Equal<Box['optionalUnion'], 'a' | 'b' | undefined>>,
  Expect<Equal<Box['list'], { id: number }[]>>,
  Expect<Equal<Box['members'], 'x' | 'y'>>,
  Expect<Equal<Box['colour'], Colour.Red | Colour.Blue>>,
  Expect<Equal<Box['record'], Record<string, boolean>>>,
  Expect<Equal<Box['tuple'], [string, number]>>,
  Expect<Equal<Box['both'], { a: string; b: number }>>,
  Expect<Equal<Box['unsafe'], Date>>,
  Expect<Equal<Box['anything'], Unfollowed>>,
  Expect<Equal<Box['reference'], Unfollowed>>,
]

type Of<S> = InferOutput<S>

export type PlainCases = [
  Expect<Equal<Of<{ readonly type: 'integer' }>, number>>,
  Expect<Equal<Of<{ readonly type: readonly ['string', 'null'] }>, string | null>>,
  Expect<Equal<Of<{ readonly const: 3 }>, 3>>,
  Expect<Equal<Of<{ readonly type: 'string'; readonly enum: readonly ['a', 'b'] }>, 'a' | 'b'>>,
  Expect<
    Equal<
      Of<{ readonly oneOf: readonly [{ readonly type: 'string' }, { readonly const: 1 }] }>,
      string | 1
    >
  >,
  Expect<Equal<Of<{ readonly type: 'array'; readonly items: { readonly type: 'null' } }>, null[]>>,
  Expect<Equal<Of<{ readonly type: 'array' }>, unknown[]>>,
  Expect<Equal<Of<{ readonly type: 'object' }>, Record<string, unknown>>>,
  Expect<
    Equal<
      Of<{ readonly type: 'object'; readonly additionalProperties: { readonly type: 'number' } }>,
      Record<string, number>
    >
  >,
  Expect<
    Equal<
      Of<{
        readonly type: 'array'
        readonly prefixItems: readonly [{ readonly type: 'string' }]
        readonly minItems: 1
      }>,
      [string]
    >
  >,
  Expect<Equal<Of<{ readonly $ref: '#/$defs/user' }>, Unfollowed>>,
  Expect<Equal<Of<{ readonly type: string }>, Unfollowed>>,
  Expect<Equal<Of<{ readonly not: { readonly type: 'string' } }>, Unfollowed>>,
  Expect<Equal<Of<Record<string, unknown>>, Unfollowed>>,
]
