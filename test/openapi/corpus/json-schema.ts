import { type CorpusEntry, entriesOf } from './entry.js'

const TUPLE = 'OpenAPI 3.0 has no tuples: the document has the items, but not their positions.'
const cannot = (keyword: string) => `OpenAPI 3.0 has no '${keyword}': the document accepts more.`

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema'

export const jsonSchemaCorpus: readonly CorpusEntry[] = entriesOf('json-schema', {
  'no type': { minLength: 2, minimum: 3 },
  'list of types': { type: ['string', 'integer', 'null'], minLength: 2, minimum: 3 },
  'integer is a number': { type: ['integer', 'number'] },
  'enum of several types': { enum: ['a', 1, 2.5, true, null, { k: [1] }, [1, 2]] },
  'enum beside a type': { type: 'string', enum: ['a', null, 1, 'b'] },
  'enum that the type forbids': { type: 'string', enum: [1, 2] },
  'enum beside bounds': { enum: [1, 5, 9, 'x'], minimum: 4 },
  'const object': { const: { a: 1, b: ['x'] } },
  'const null': { const: null },
  'const beside enum': { const: 'a', enum: ['a', 'b'] },
  'nullable as OpenAPI writes it': { type: 'string', nullable: true },
  'both kinds of a bound': { type: 'number', minimum: 5, exclusiveMinimum: 1, maximum: 9 },
  'bounds of exact integers': {
    type: 'integer',
    minimum: -Number.MAX_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  },
  'boolean schemas': { type: 'object', properties: { any: true, none: false } },
  'required without properties': { type: 'object', required: ['a', 'b'] },
  'required and closed': {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  'number of properties': { type: 'object', minProperties: 1, maxProperties: 2 },
  'property names': {
    type: 'object',
    propertyNames: { enum: ['a', 'b'] },
    additionalProperties: { type: 'integer' },
  },
  'property names by pattern': [
    { type: 'object', propertyNames: { pattern: '^[A-Z]+$' } },
    'OpenAPI 3.0 has no rules for property names.',
  ],
  'patterns of names': [
    {
      type: 'object',
      properties: { id: { type: 'integer' } },
      patternProperties: { '^x': { type: 'string' }, '^y': { type: 'number' } },
      additionalProperties: false,
    },
    'OpenAPI 3.0 has no name patterns.',
  ],
  'pattern that a property matches': {
    type: 'object',
    properties: { ab: { type: 'string' } },
    patternProperties: { '^a': { maxLength: 2 }, '': {} },
  },
  'tuple of 2020-12': [
    { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false },
    TUPLE,
  ],
  'open tuple': [
    { type: 'array', prefixItems: [{ type: 'string' }], minItems: 1 },
    'OpenAPI 3.0 has no tuples: after its first item anything may follow.',
  ],
  'tuple of draft-07': [
    {
      $schema: DRAFT_07,
      type: 'array',
      items: [{ type: 'string' }, { type: 'integer' }],
      additionalItems: { type: 'boolean' },
    },
    TUPLE,
  ],
  'unique items': { type: 'array', items: { type: 'integer' }, uniqueItems: true },
  contains: [{ type: 'array', contains: { type: 'integer' }, minContains: 2 }, cannot('contains')],
  'if, then, else': [
    {
      type: 'object',
      properties: { kind: { enum: ['a', 'b'] }, a: { type: 'string' } },
      if: { properties: { kind: { const: 'a' } } },
      then: { required: ['a'] },
    },
    cannot('if'),
  ],
  dependentRequired: [
    { type: 'object', dependentRequired: { card: ['address'] }, properties: { card: {} } },
    cannot('dependentRequired'),
  ],
  'dependencies of draft-07': [
    { $schema: DRAFT_07, type: 'object', dependencies: { a: ['b'] }, properties: { a: {} } },
    cannot('dependencies'),
  ],
  'unevaluated properties alone': {
    type: 'object',
    properties: { a: { type: 'string' } },
    unevaluatedProperties: false,
  },
  'unevaluated properties of parts': [
    {
      type: 'object',
      allOf: [{ properties: { a: { type: 'string' } } }],
      unevaluatedProperties: false,
    },
    cannot('unevaluatedProperties'),
  ],
  not: { type: 'integer', not: { enum: [1, 2] } },
  'not with an unsupported keyword': [
    { type: 'array', not: { contains: { type: 'string' } } },
    cannot('contains'),
  ],
  'exactly one': { oneOf: [{ type: 'integer' }, { type: 'number', minimum: 5 }] },
  'null matches twice': { oneOf: [{ type: ['string', 'null'] }, { type: ['integer', 'null'] }] },
  'all of': {
    allOf: [
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      { type: 'object', properties: { b: { type: 'integer' } } },
    ],
  },
  'definitions of draft-07': {
    $schema: DRAFT_07,
    definitions: { positive: { type: 'integer', exclusiveMinimum: 0 } },
    type: 'object',
    properties: { a: { $ref: '#/definitions/positive' }, b: { $ref: '#/definitions/positive' } },
  },
  'siblings of a reference': {
    $defs: { name: { type: 'string', minLength: 2 } },
    type: 'object',
    properties: { a: { $ref: '#/$defs/name', maxLength: 4, description: 'Short.' } },
  },
  'reference to the root': {
    type: 'object',
    properties: { value: { type: 'integer' }, next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
    required: ['value'],
  },
  'mutual recursion': {
    $defs: {
      even: { type: 'object', properties: { odd: { $ref: '#/$defs/odd' } } },
      odd: {
        type: 'object',
        properties: { even: { $ref: '#/$defs/even' } },
        required: ['even'],
      },
    },
    $ref: '#/$defs/even',
  },
  'reference by anchor': {
    $defs: { a: { $anchor: 'short', type: 'string', maxLength: 3 } },
    type: 'array',
    items: { $ref: '#short' },
  },
  'reference by identifier': {
    $id: 'https://example.com/schemas/basket.json',
    $defs: { fruit: { $id: 'fruit.json', enum: ['apple', 'pear'] } },
    type: 'array',
    items: { $ref: 'fruit.json' },
  },
  'reference into properties': {
    type: 'object',
    properties: { a: { type: 'integer', minimum: 1 }, b: { $ref: '#/properties/a' } },
  },
  'reference with escapes': {
    $defs: { 'a/b~c d': { type: 'boolean' } },
    type: 'array',
    items: { $ref: '#/$defs/a~1b~0c%20d' },
  },
  'recursive reference of 2019-09': {
    $schema: DRAFT_2019,
    $id: 'https://example.com/schemas/tree-2019',
    type: 'object',
    properties: { id: { type: 'integer' }, nodes: { type: 'array', items: { $ref: '#' } } },
    required: ['id'],
  },
  'properties that are called like keywords': {
    $defs: { flag: { type: 'boolean' } },
    type: 'object',
    properties: {
      default: { $ref: '#/$defs/flag' },
      enum: { type: 'array', items: { $ref: '#/$defs/flag' } },
      properties: { $ref: '#/$defs/flag' },
      required: { type: 'string' },
      not: { type: 'object', properties: { items: { type: 'null' } }, required: ['items'] },
    },
    required: ['properties'],
  },
  'reference to a place outside of all keywords': {
    type: 'object',
    properties: { tree: { $ref: '#/shared/tree' } },
    shared: {
      tree: {
        type: 'object',
        properties: { nodes: { type: 'array', items: { $ref: '#/shared/tree' } } },
      },
    },
  },
  formats: {
    type: 'object',
    properties: {
      at: { type: 'string', format: 'date-time' },
      on: { type: 'string', format: 'date' },
      ip: { type: 'string', format: 'ipv4' },
      id: { type: 'string', format: 'uuid' },
    },
  },
  'text that is encoded': [
    { type: 'string', contentEncoding: 'base64' },
    "contentEncoding is a note to JSON Schema's validators, and a format to OpenAPI's.",
  ],
  'names of prototypes': {
    type: 'object',
    properties: { constructor: { type: 'string' }, hasOwnProperty: { type: 'integer' } },
    required: ['constructor'],
  },
  annotations: {
    title: 'AnnotatedThing',
    description: 'What it is.',
    type: 'object',
    properties: {
      a: { type: 'string', default: 'x', examples: ['y'], deprecated: true, readOnly: true },
      b: { type: 'string', writeOnly: true, 'x-order': 1, unknownKeyword: true },
    },
  },
})
