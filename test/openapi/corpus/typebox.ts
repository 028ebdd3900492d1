import Type from 'typebox'
import { type CorpusEntry, entriesOf } from './entry.js'

const TUPLE = 'OpenAPI 3.0 has no tuples: the document has the items, but not their positions.'

const Product = Type.Object(
  {
    sku: Type.String({ minLength: 1, description: 'Stock keeping unit.' }),
    price: Type.Number({ exclusiveMinimum: 0, multipleOf: 0.5 }),
    stock: Type.Integer({ minimum: 0, default: 0 }),
    kind: Type.Union([Type.Literal('book'), Type.Literal('music'), Type.Null()]),
    tags: Type.Optional(Type.Array(Type.String(), { uniqueItems: true, maxItems: 4 })),
  },
  { $id: 'TypeBoxProduct', additionalProperties: false },
)

export const typeboxCorpus: readonly CorpusEntry[] = entriesOf('typebox', {
  string: Type.String({ minLength: 2, maxLength: 5 }),
  pattern: Type.String({ pattern: '^[a-z]+$' }),
  'format date-time': Type.String({ format: 'date-time' }),
  'format email': Type.String({ format: 'email' }),
  number: Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 }),
  integer: Type.Integer(),
  boolean: Type.Boolean(),
  null: Type.Null(),
  unknown: Type.Unknown(),
  any: Type.Any(),
  never: Type.Never(),
  literal: Type.Literal('on'),
  enum: Type.Enum(['a', 'b', 'c']),
  'union of literals': Type.Union([Type.Literal('a'), Type.Literal(1), Type.Literal(true)]),
  nullable: Type.Union([Type.String(), Type.Null()]),
  list: Type.Array(Type.Number(), { minItems: 1, maxItems: 3 }),
  tuple: [Type.Tuple([Type.String(), Type.Number()]), TUPLE],
  'tuple of one type': Type.Tuple([Type.Number(), Type.Number()]),
  record: Type.Record(Type.String(), Type.Number()),
  'record of names by pattern': [
    Type.Record(Type.String({ pattern: '^[a-z]' }), Type.Number()),
    'OpenAPI 3.0 has no name patterns.',
  ],
  object: Type.Object({ a: Type.String(), b: Type.Optional(Type.Integer()) }),
  'closed object': Type.Object({ a: Type.String() }, { additionalProperties: false }),
  'object with rest': Type.Object({ a: Type.String() }, { additionalProperties: Type.Number() }),
  partial: Type.Partial(Type.Object({ a: Type.String(), b: Type.Integer() })),
  intersection: Type.Intersect([
    Type.Object({ a: Type.String() }),
    Type.Object({ b: Type.Number() }),
  ]),
  'closed intersection': [
    Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Number() })], {
      unevaluatedProperties: false,
    }),
    'OpenAPI 3.0 cannot close an intersection.',
  ],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: TypeBox reads it
  'template literal': Type.TemplateLiteral('a${1|2}-${string}'),
  recursive: Type.Cyclic(
    { Node: Type.Object({ id: Type.Integer(), nodes: Type.Array(Type.Ref('Node')) }) },
    'Node',
  ),
  'mutual recursion': Type.Cyclic(
    {
      Author: Type.Object({ name: Type.String(), books: Type.Array(Type.Ref('Book')) }),
      Book: Type.Object({ title: Type.String(), author: Type.Optional(Type.Ref('Author')) }),
    },
    'Author',
  ),
  product: Product,
  'discriminated union': Type.Union([
    Type.Object({ kind: Type.Literal('a'), a: Type.String() }),
    Type.Object({ kind: Type.Literal('b'), b: Type.Integer() }),
  ]),
  'read-only': Type.Object({ id: Type.Readonly(Type.String()), a: Type.Optional(Type.Null()) }),
})
