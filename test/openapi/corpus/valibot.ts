import * as v from 'valibot'
import { type CorpusEntry, entriesOf } from './entry.js'

const CHECK = 'Only the code of a check decides which values it accepts.'
const LISTS = 'valibot accepts a list as an object if no property is required.'
const TUPLE = 'OpenAPI 3.0 has no tuples: the document has the items, but not their positions.'

interface Folder {
  readonly name: string
  readonly folders?: Folder[] | undefined
}
const Folder: v.GenericSchema<Folder> = v.object({
  name: v.string(),
  folders: v.optional(v.array(v.lazy(() => Folder))),
})

const Task = v.pipe(
  v.object({
    title: v.pipe(v.string(), v.nonEmpty(), v.maxLength(80)),
    state: v.picklist(['todo', 'doing', 'done']),
    points: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(21)), 0),
    assignee: v.nullable(v.pipe(v.string(), v.uuid())),
    labels: v.pipe(v.array(v.string()), v.maxLength(5)),
  }),
  v.title('Task'),
  v.description('Something to do.'),
)

export const valibotCorpus: readonly CorpusEntry[] = entriesOf('valibot', {
  string: v.string(),
  'string between lengths': v.pipe(v.string(), v.minLength(2), v.maxLength(5)),
  number: v.number(),
  integer: v.pipe(v.number(), v.integer()),
  'safe integer': v.pipe(v.number(), v.safeInteger()),
  'exclusive bounds': v.pipe(v.number(), v.gtValue(0), v.ltValue(1)),
  'multiple of': v.pipe(v.number(), v.multipleOf(5)),
  boolean: v.boolean(),
  null: v.null(),
  unknown: v.unknown(),
  never: v.never(),
  literal: v.literal('on'),
  picklist: v.picklist(['a', 'b', 'c']),
  'picklist of several types': v.picklist(['a', 1]),
  'native enum': v.enum({ Up: 'up', Down: 'down' }),
  'nullable picklist': v.nullable(v.picklist(['a', 'b'])),
  'nullish in an object': [v.object({ a: v.nullish(v.string()) }), LISTS],
  nonNullable: v.object({ a: v.nonNullable(v.nullable(v.string())) }),
  list: v.pipe(v.array(v.number()), v.minLength(1)),
  'tuple that ends': [v.strictTuple([v.string(), v.number()]), TUPLE],
  tuple: [v.tuple([v.number(), v.number()]), 'The validator removes values after the last item.'],
  'loose tuple': [v.looseTuple([v.string()]), TUPLE],
  'tuple with rest': [v.tupleWithRest([v.string()], v.number()), TUPLE],
  record: [v.record(v.string(), v.number()), LISTS],
  'record of listed names': [v.record(v.picklist(['a', 'b']), v.number()), LISTS],
  'strict object': v.strictObject({ a: v.string(), b: v.optional(v.number()) }),
  'loose object': v.looseObject({ a: v.string() }),
  'object with rest': v.objectWithRest({ a: v.string() }, v.boolean()),
  union: v.union([v.string(), v.number(), v.null()]),
  variant: v.variant('kind', [
    v.object({ kind: v.literal('a'), a: v.string() }),
    v.object({ kind: v.literal('b'), b: v.nullable(v.number()) }),
  ]),
  intersect: v.intersect([v.object({ a: v.string() }), v.object({ b: v.number() })]),
  email: [
    v.pipe(v.string(), v.email()),
    "valibot's pattern of an address has a flag, and accepts less than the format.",
  ],
  'date and time': v.pipe(v.string(), v.isoTimestamp()),
  'local date and time': v.pipe(v.string(), v.isoDateTime()),
  time: v.pipe(v.string(), v.isoTime()),
  'pattern without case': v.pipe(v.string(), v.regex(/^[a-f]+x$/i)),
  'two patterns without case': v.pipe(v.string(), v.regex(/^a/i), v.regex(/z$/iu)),
  'pattern of several lines': [
    v.pipe(v.string(), v.regex(/^a$/m)),
    'JSON Schema has no flags: the pattern is left out.',
  ],
  'two patterns': v.pipe(v.string(), v.startsWith('a'), v.includes('m'), v.endsWith('z')),
  checked: [
    v.pipe(
      v.string(),
      v.check((text) => text.length % 2 === 0),
    ),
    CHECK,
  ],
  transformed: v.object({
    n: v.pipe(
      v.string(),
      v.transform((text) => text.length),
    ),
  }),
  'transformed into a schema': v.pipe(
    v.string(),
    v.transform((text) => text.length),
    v.number(),
  ),
  'branded and read-only': v.pipe(v.object({ id: v.string() }), v.brand('id'), v.readonly()),
  date: [v.object({ at: v.date() }), 'v.date() accepts a Date, which is not a JSON value.'],
  file: [v.object({ file: v.file() }), 'A file comes as a part of a form, not as JSON.'],
  default: v.object({ a: v.optional(v.string(), 'x'), b: v.nullable(v.number(), 1) }),
  'recursive folder': Folder,
  'list of recursive folders': v.array(Folder),
  task: Task,
  'list of tasks': v.object({ tasks: v.array(Task), first: v.nullable(Task) }),
  metadata: v.pipe(
    v.object({ a: v.pipe(v.string(), v.examples(['x', 'y']), v.metadata({ deprecated: true })) }),
    v.metadata({ title: 'with metadata' }),
  ),
})
