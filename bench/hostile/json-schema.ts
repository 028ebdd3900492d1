import { Type } from 'typebox'
import { type Hostile, hostile, shapeOf, TWENTY } from './body.js'
import { VALUES } from './values.js'

const text = { type: 'string', minLength: 1 }
const wide = { type: 'object', properties: shapeOf(TWENTY, () => text), required: TWENTY }
const kinds = [...'abcde'].map((kind) => ({
  ...wide,
  properties: { ...wide.properties, kind: { const: kind } },
  required: [...TWENTY, 'kind'],
}))
const alternatives = [{ type: 'string' }, { type: 'null' }, wide, { type: 'array', items: text }]
const list = (items: object, more: object = {}) => ({ type: 'array', items, ...more })

/** Alternatives that contain themselves, each with what `keyword` says. */
const tree = (keyword: 'anyOf' | 'oneOf', root: object = { $ref: '#/$defs/tree' }) => ({
  ...root,
  $defs: {
    tree: {
      [keyword]: ['left', 'right'].map((side) => ({
        type: 'object',
        properties: { child: { $ref: '#/$defs/tree' }, [side]: text },
        required: ['child', side],
      })),
    },
  },
})

export const JSON_SCHEMA: readonly Hostile[] = hostile('JSON Schema', [
  {
    name: 'a list of alternatives',
    schema: list({ anyOf: alternatives }),
    text: VALUES.numbers,
    status: 400,
    path: '0',
  },
  {
    name: 'a list of one of alternatives',
    schema: list({ oneOf: alternatives }),
    text: VALUES.numbers,
    status: 400,
    path: '0',
  },
  {
    name: 'a list of five wide alternatives',
    schema: list({ anyOf: kinds }),
    text: VALUES.empties,
    status: 400,
    path: '0.field0',
  },
  {
    name: 'a list of five wide parts',
    schema: list({ allOf: kinds }),
    text: VALUES.empties,
    status: 400,
    path: '0.field0',
  },
  {
    name: 'a list of wide objects',
    schema: list(wide),
    text: VALUES.empties,
    status: 400,
    path: '0.field0',
  },
  {
    name: 'a list of references',
    schema: { ...list({ $ref: '#/$defs/wide' }), $defs: { wide } },
    text: VALUES.empties,
    status: 400,
    path: '0.field0',
  },
  {
    name: 'the last alternative is right',
    schema: list({ anyOf: [...kinds, { type: 'object' }] }),
    text: VALUES.empties,
    status: 200,
  },
  {
    name: 'all alternatives are right',
    schema: list({ oneOf: [{}, {}, {}] }),
    text: VALUES.empties,
    status: 400,
  },
  {
    name: 'lists of lists',
    schema: list(list(list(text))),
    text: VALUES.listsOfOne,
    status: 400,
    path: '0.0',
  },
  {
    name: 'a list in a list',
    schema: list(list({ anyOf: alternatives })),
    text: VALUES.listOfLists,
    status: 400,
    path: '0.0',
  },
  {
    name: 'a tuple with a rest',
    schema: { prefixItems: [{}], items: { anyOf: alternatives } },
    text: VALUES.numbers,
    status: 400,
    path: '1',
  },
  {
    name: 'a tuple of 2019',
    schema: { items: [{}], additionalItems: wide },
    text: VALUES.empties,
    status: 400,
    path: '1.field0',
  },
  {
    name: 'distinct objects',
    schema: list({}, { uniqueItems: true }),
    text: VALUES.distinctObjects,
    status: 200,
  },
  {
    name: 'distinct texts',
    schema: list({}, { uniqueItems: true }),
    text: VALUES.distinctTexts,
    status: 200,
  },
  {
    name: 'the last two are the same',
    schema: list({}, { uniqueItems: true }),
    text: VALUES.lastTwins,
    status: 400,
    path: '',
  },
  {
    name: 'all are the same',
    schema: list({}, { uniqueItems: true }),
    text: VALUES.empties,
    status: 400,
    path: '',
  },
  {
    name: 'distinct lists in lists',
    schema: list(list(list({}, { uniqueItems: true }), { uniqueItems: true }), {
      uniqueItems: true,
    }),
    text: VALUES.lists,
    status: 400,
  },
  {
    name: 'unknown keys',
    schema: { type: 'object', properties: { id: {} }, additionalProperties: false },
    text: VALUES.names,
    status: 400,
    path: '0',
  },
  {
    name: 'long keys',
    schema: { type: 'object', additionalProperties: false },
    text: VALUES.longNames,
    status: 400,
  },
  {
    name: 'one long key',
    schema: { type: 'object', additionalProperties: false },
    text: VALUES.oneLongName,
    status: 400,
  },
  {
    name: 'values of a record',
    schema: { additionalProperties: { anyOf: alternatives } },
    text: VALUES.names,
    status: 400,
    path: '0',
  },
  {
    name: 'many patterns',
    schema: {
      patternProperties: shapeOf(
        TWENTY.map((_, n) => `${n % 10}|x{${n}}`),
        () => text,
      ),
    },
    text: VALUES.names,
    status: 400,
  },
  {
    name: 'names',
    schema: { propertyNames: { anyOf: [{ minLength: 9 }, { pattern: '^key' }] } },
    text: VALUES.names,
    status: 400,
  },
  {
    name: 'contains',
    schema: { contains: { anyOf: alternatives }, minContains: 2 },
    text: VALUES.numbers,
    status: 400,
  },
  {
    name: 'contains the last',
    schema: { contains: { const: { a: 1 } } },
    text: VALUES.oneAtTheEnd,
    status: 200,
  },
  {
    name: 'contains too many',
    schema: { contains: {}, maxContains: 2 },
    text: VALUES.numbers,
    status: 400,
  },
  {
    name: 'unevaluated properties',
    schema: {
      anyOf: [{ properties: { id: {} } }, { required: ['b'] }],
      unevaluatedProperties: false,
    },
    text: VALUES.names,
    status: 400,
  },
  {
    name: 'unevaluated items',
    schema: { anyOf: [{ prefixItems: [{}] }, {}], unevaluatedItems: wide },
    text: VALUES.empties,
    status: 400,
  },
  {
    name: 'dependent schemas',
    schema: { dependentSchemas: { 0: { additionalProperties: wide } } },
    text: VALUES.names,
    status: 400,
  },
  { name: 'not', schema: list({ not: { anyOf: kinds } }), text: VALUES.empties, status: 200 },
  {
    name: 'if',
    schema: list({ if: { required: ['a'] }, then: wide, else: { anyOf: kinds } }),
    text: VALUES.empties,
    status: 400,
  },
  {
    name: 'alternatives that contain each other',
    schema: tree('anyOf'),
    text: VALUES.chain,
    status: 400,
    code: 'VALIDATION_TOO_COMPLEX',
  },
  {
    name: 'one of alternatives that contain each other',
    schema: tree('oneOf'),
    text: VALUES.chain,
    status: 400,
    code: 'VALIDATION_TOO_COMPLEX',
  },
  {
    name: 'many that contain each other',
    schema: tree('anyOf', list({ $ref: '#/$defs/tree' })),
    text: VALUES.chainOfMany,
    status: 400,
    code: 'VALIDATION_TOO_COMPLEX',
  },
  {
    name: 'an enum of objects',
    schema: list({ enum: Array.from({ length: 50 }, (_, a) => ({ a, b: a })) }),
    text: VALUES.distinctObjects,
    status: 400,
  },
  {
    name: 'fractions',
    schema: list({ multipleOf: 0.01, minimum: 2, format: 'int32' }),
    text: VALUES.numbers,
    status: 400,
    path: '0',
  },
  {
    name: 'formats',
    schema: list({
      allOf: ['email', 'uri', 'date-time', 'ipv6', 'hostname', 'uuid', 'url', 'regex'].map(
        (format) => ({ format }),
      ),
    }),
    text: VALUES.distinctTexts,
    status: 400,
  },
  {
    name: 'defaults',
    schema: list({ ...wide, properties: shapeOf(TWENTY, () => ({ ...text, default: '' })) }),
    text: VALUES.empties,
    status: 400,
  },
  {
    name: 'a query of many names',
    source: 'query',
    schema: { type: 'object', additionalProperties: false },
    text: Array.from({ length: 1000 }, (_, n) => `a${n}=1`).join('&'),
    status: 400,
  },
  {
    name: 'a query of one name',
    source: 'query',
    schema: { type: 'object', properties: { a: list({ type: 'integer', minimum: 9 }) } },
    text: 'a=1&'.repeat(1000),
    status: 400,
    path: 'a.0',
  },
])

export const TYPEBOX: readonly Hostile[] = hostile('TypeBox', [
  {
    name: 'a list of alternatives',
    schema: Type.Array(Type.Union([Type.String(), Type.Object({ a: Type.String() }), Type.Null()])),
    text: VALUES.numbers,
    status: 400,
    path: '0',
  },
  {
    name: 'a list of wide objects',
    schema: Type.Array(Type.Object(shapeOf(TWENTY, () => Type.String()))),
    text: VALUES.empties,
    status: 400,
    path: '0.field0',
  },
  {
    name: 'distinct objects',
    schema: Type.Array(Type.Object({ a: Type.Number() }), { uniqueItems: true }),
    text: VALUES.distinctObjects,
    status: 200,
  },
  {
    name: 'values of a record',
    schema: Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()])),
    text: VALUES.names,
    status: 400,
  },
])
