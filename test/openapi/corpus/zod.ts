import { z } from 'zod'
import { type CorpusEntry, entriesOf } from './entry.js'

/** The document keeps the format: readers know it, and real addresses do not show the difference. */
export const EMAIL = 'zod accepts labels of a host that end with a hyphen, and the format does not.'
const TRIMMED = 'The validator trims before it checks; the document describes the trimmed text.'
const TUPLE = 'OpenAPI 3.0 has no tuples: the document has the items, but not their positions.'

const scalars = entriesOf('zod', {
  string: z.string(),
  'string between lengths': z.string().min(2).max(5),
  'number between bounds': z.number().min(-1.5).max(10),
  'number between exclusive bounds': z.number().gt(0).lt(1),
  'both kinds of a bound': z.number().min(3).gt(1).max(9).lt(12),
  'multiple of': z.number().multipleOf(3),
  integer: z.int(),
  'positive integer': z.int().positive(),
  int32: z.int32(),
  uint32: z.uint32(),
  'huge bounds': z.number().min(-1e300).max(1e300),
  boolean: z.boolean(),
  null: z.null(),
  unknown: z.unknown(),
  never: z.never(),
  json: z.json(),
  'one literal': z.literal('on'),
  'literal zero': z.literal(0),
  'literals of several types': z.literal(['a', 1, true, null]),
  'both booleans': z.union([z.literal(true), z.literal(false)]),
  enum: z.enum(['red', 'green', 'blue']),
  'native enum': z.enum({ Low: 1, High: 2 }),
  pattern: z.string().regex(/^[A-Z]{2}-\d{4}$/),
  'two patterns': z.string().regex(/^a/).regex(/z$/),
  'needless escapes in a pattern': z.string().regex(/^a-b:c$/),
  'pattern without case': z.string().regex(/^(?<first>[a-f]+)-x\d$/i),
  'two patterns without case': z.string().regex(/^a/i).regex(/Z$/i),
  'pattern of several lines': [
    z.string().regex(/^a$/m),
    'JSON Schema has no flags: the pattern is left out.',
  ],
  'starts, contains, ends': z.string().startsWith('a').includes('m').endsWith('z'),
  'template literal': z.templateLiteral(['v', z.int().min(0).max(99), '.', z.enum(['a', 'b'])]),
})

const formats = entriesOf('zod', {
  uuid: z.uuid(),
  email: [z.email(), EMAIL],
  url: [z.url(), 'A URL of the WHATWG is not always a URI of RFC 3986.'],
  'date and time': z.iso.datetime(),
  'date and time with offset': z.iso.datetime({ offset: true }),
  date: z.iso.date(),
  time: z.iso.time(),
  base64: z.base64(),
  'base64 for URLs': z.base64url(),
  ipv4: z.ipv4(),
  hexadecimal: z.hex(),
})

const nulls = entriesOf('zod', {
  'nullable string': z.string().nullable(),
  'nullable enum': z.enum(['a', 'b']).nullable(),
  'nullable literal': z.literal(7).nullable(),
  'nullable object': z.object({ a: z.string() }).nullable(),
  'nullable list': z.array(z.string().nullable()).nullable(),
  'nullable union': z.union([z.string(), z.number()]).nullable(),
  'nullable anything': z.any().nullable(),
  'nullable named': z.object({ a: z.string() }).meta({ id: 'ZodNullableNamed' }).nullable(),
  nullish: z.object({ a: z.string().nullish(), b: z.number().nullable().optional() }),
  'nullable discriminated union': z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), a: z.string() }),
      z.object({ kind: z.literal('b'), b: z.number() }),
    ])
    .nullable(),
  'null twice': z.union([z.string().nullable(), z.int().nullable()]),
})

const composites = entriesOf('zod', {
  list: z.array(z.int()),
  'list between lengths': z.array(z.string()).min(1).max(3),
  'list of lists': z.array(z.array(z.boolean())),
  tuple: [z.tuple([z.string(), z.number()]), TUPLE],
  'tuple of one type': z.tuple([z.number(), z.number()]),
  'tuple with rest': [z.tuple([z.string()], z.number()), TUPLE],
  'tuple with optional end': z.tuple([z.string(), z.string().optional()]),
  'empty tuple': z.tuple([]),
  record: z.record(z.string(), z.number()),
  'record of listed names': z.record(z.enum(['a', 'b']), z.number()),
  'partial record': z.partialRecord(z.enum(['a', 'b']), z.boolean()),
  'record of names by pattern': [
    z.record(z.string().regex(/^x-/), z.string()),
    'OpenAPI 3.0 has no rules for property names.',
  ],
  'plain object': z.object({ a: z.string(), b: z.number().optional() }),
  'strict object': z.strictObject({ a: z.string(), b: z.number().optional() }),
  'loose object': z.looseObject({ a: z.string() }),
  'object with catchall': z.object({ a: z.string() }).catchall(z.number()),
  'partial object': z.object({ a: z.string(), b: z.int() }).partial(),
  'empty object': z.object({}),
  'empty strict object': z.strictObject({}),
  intersection: z.intersection(z.object({ a: z.string() }), z.object({ b: z.number() })),
  'union in an intersection': z
    .object({ id: z.int() })
    .and(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])),
  'discriminated union': z.discriminatedUnion('type', [
    z.object({ type: z.literal('circle'), radius: z.number().positive() }),
    z.object({ type: z.literal(['square', 'box']), side: z.number().positive() }),
  ]),
  'names of prototypes': z.object({ constructor: z.string(), toString: z.int().optional() }),
  'unicode names': z.object({ größe: z.number(), 名前: z.string(), 'with space': z.boolean() }),
  'undefined property': z.object({ a: z.string(), gone: z.undefined() }),
  'union with undefined': z.object({ a: z.union([z.string(), z.undefined()]) }),
  'branded and read-only': z.object({ id: z.string().brand<'id'>() }).readonly(),
})

const converted = entriesOf('zod', {
  default: z.object({ page: z.int().min(1).default(1), tags: z.array(z.string()).default([]) }),
  prefault: z.object({ a: z.string().prefault('x') }),
  'default from a function': z.object({ at: z.number().default(() => Math.random()) }),
  transform: z.object({ a: z.string().transform((text) => text.length) }),
  pipe: [
    z.string().pipe(z.string().min(1)),
    'The document shows the first schema of a pipe for a request.',
  ],
  refined: [
    z.string().refine((text) => text.length % 2 === 0),
    'Only the code of a refinement decides which values it accepts.',
  ],
  trimmed: [z.string().trim().min(2).max(4), TRIMMED],
  'coerced number': [
    z.object({ n: z.coerce.number() }),
    'The validator converts other values to numbers; the document accepts numbers only.',
  ],
  'coerced date': [
    z.object({ at: z.coerce.date() }),
    'The validator converts other values to dates; the document accepts RFC 3339 only.',
  ],
  preprocessed: [
    z.preprocess((value) => Number(value), z.number()),
    'The validator calls code first; the document describes the required result of that code.',
  ],
  catch: [
    z.object({ a: z.string().catch('x') }),
    'The validator replaces invalid values; the document accepts valid ones only.',
  ],
  stringbool: [
    z.stringbool(),
    'The validator has a list of words that the document does not show.',
  ],
  'date object': [
    z.object({ at: z.date() }),
    'z.date() accepts a Date, which is not a JSON value.',
  ],
  bigint: [z.object({ n: z.bigint() }), 'z.bigint() accepts a bigint, which is not a JSON value.'],
  file: [
    z.object({ file: z.file().max(1000).mime(['image/png', 'image/jpeg']), title: z.string() }),
    'A file comes as a part of a form, not as JSON.',
  ],
  codec: z.codec(z.iso.datetime(), z.date(), {
    decode: (text) => new Date(text),
    encode: (date) => date.toISOString() as never,
  }),
})

export const zodCorpus: readonly CorpusEntry[] = [
  ...scalars,
  ...formats,
  ...nulls,
  ...composites,
  ...converted,
]
