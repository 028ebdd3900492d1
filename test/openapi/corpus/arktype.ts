import { scope, type } from 'arktype'
import { type CorpusEntry, entriesOf } from './entry.js'

const LISTS = 'arktype accepts a list as an object if no property is required.'
const TUPLE = 'OpenAPI 3.0 has no tuples: the document has the items, but not their positions.'

const family = scope({
  package: { name: 'string', 'dependencies?': 'package[]', 'maintainer?': 'contributor' },
  contributor: { email: 'string', 'packages?': 'package[]' },
}).export()

export const arktypeCorpus: readonly CorpusEntry[] = entriesOf('arktype', {
  string: type('string'),
  'string between lengths': type('2 <= string <= 5'),
  'number between bounds': type('0 < number <= 10'),
  integer: type('number.integer'),
  divisible: type('number % 3'),
  boolean: type('boolean'),
  null: type('null'),
  unknown: type('unknown'),
  literals: type("'a' | 'b' | 1 | true | null"),
  'nullable string': type('string | null'),
  'union of scalars': type('string | number | null'),
  pattern: type(/^[A-Z]{3}$/),
  'two patterns': type('/^a/ & /z$/'),
  email: [type('string.email'), 'Its pattern accepts more than its format.'],
  uuid: type('string.uuid'),
  list: type('string[]'),
  'list between lengths': type('1 <= number[] <= 3'),
  tuple: [type(['string', 'number']), TUPLE],
  'tuple with rest': [type(['string', '...', 'number[]']), TUPLE],
  'tuple with optional end': type(['string', 'string?']),
  object: type({ a: 'string', 'b?': 'number' }),
  'closed object': type({ '+': 'reject', a: 'string', 'b?': 'number' }),
  record: [type({ '[string]': 'number' }), LISTS],
  'record with properties': type({ a: '1', '[string]': 'number' }),
  'discriminated union': type({ kind: "'a'", a: 'string' }).or({ kind: "'b'", 'b?': 'number' }),
  intersection: type({ a: 'string' }).and({ b: 'number' }),
  default: [type({ size: 'number = 10', 'name?': 'string' }), LISTS],
  morph: type({ n: 'string.numeric.parse' }),
  'morph of a date': [
    type({ at: 'string.date.parse' }),
    'Only the parser decides which texts are dates.',
  ],
  narrowed: [
    type('string').narrow((text) => text.length % 2 === 0),
    'Only the code of a narrow decides which values it accepts.',
  ],
  date: [type({ at: 'Date' }), 'A Date is not a JSON value.'],
  described: type('string')
    .describe('a word')
    .configure({ title: 'Word' } as object),
  'recursive package': family.package,
  'list of recursive packages': family.package.array(),
  'optional and nullable': [
    type({ 'a?': 'string | null', 'b?': { 'c?': 'boolean | null' } }),
    LISTS,
  ],
})
