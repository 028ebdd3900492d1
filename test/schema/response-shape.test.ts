import { expect, it } from 'vitest'
import {
  essenceOf,
  isBodiless,
  isEnvelope,
  isJsonType,
  isPlainJson,
  isSentWithoutEnvelope,
} from '../../src/schema/response-shape.js'

it.each([
  ['application/json', true, true],
  ['Application/JSON ; charset=utf-8', true, true],
  ['application/problem+json;charset=utf-8', true, false],
  ['application/vnd.a+JSON', true, false],
  ['text/json', true, false],
  ['application/jsonl', false, false],
  ['application/json-seq', false, false],
  ['application/xjson', false, false],
  ['text/plain; of=application/json2', false, false],
])('the media type %s is JSON: %j; with an envelope: %j', (type, isJson, isPlain) => {
  expect([isJsonType(type), isPlainJson(type)]).toEqual([isJson, isPlain])
})

it('a media type is compared without its parameters and case', () => {
  expect(essenceOf(' Text/CSV ; header=present;charset=utf-8')).toBe('text/csv')
  expect(essenceOf()).toBe('')
})

it('only responses with certain statuses never have a body', () => {
  const statuses = [103, 199, 200, 203, 204, 205, 206, 303, 304, 305]
  expect(statuses.filter(isBodiless)).toEqual([103, 199, 204, 205, 304])
})

it.each<[string, object, object, boolean]>([
  ['an ordinary response', { schema: {} }, {}, false],
  ['a raw response', { raw: true }, {}, true],
  ['an error with a schema', { status: 400, schema: {} }, {}, true],
  ['an error without a schema', { status: 400 }, { envelope: false }, false],
  ['the last success status', { status: 399, schema: {} }, {}, false],
  ['a response of a route without an envelope', {}, { envelope: false }, true],
  ['a status without a body', { status: 204, raw: true }, { envelope: false }, false],
  ['another media type', { contentType: 'text/csv' }, {}, true],
  ['JSON with parameters', { contentType: 'Application/JSON; charset=utf-8' }, {}, false],
  ['the type of @Header', { schema: {} }, { headers: [['content-TYPE', 'text/csv']] }, true],
  ['the type of @Header, no schema', {}, { headers: [['Content-Type', 'text/csv']] }, false],
  [
    'the media type of a custom envelope',
    { contentType: 'application/vnd.a+json' },
    { envelope: { mediaType: 'application/vnd.a+json' } },
    false,
  ],
])('whether a documented response has no envelope: %s', (_, stated, wire, expected) => {
  const route = { envelope: true, headers: [], ...wire }
  expect(isSentWithoutEnvelope({ status: 200, ...stated }, route as never)).toBe(expected)
})

it('only a schema with all properties of the envelope describes an envelope', () => {
  const names = ['statusCode', 'status', 'message']
  const schemaOf = (some: string[]) => ({
    properties: Object.fromEntries(some.map((n) => [n, {}])),
  })
  expect(isEnvelope(schemaOf([...names, 'data']))).toBe(true)
  for (const name of names) {
    expect(isEnvelope(schemaOf(names.filter((each) => each !== name)))).toBe(false)
  }
  expect(isEnvelope({})).toBe(false)
})
