import { expect, it } from 'vitest'
import { hiddenIn, hiddenRequests } from '../../../src/testing/fuzz/hidden-fields.js'

const pay = { type: 'integer', 'x-visible-to': ['pay', 'hr'] } as const
const schemas = {
  Pay: pay,
  Loop: { $ref: '#/components/schemas/Loop' },
  Home: { properties: { street: pay, city: { type: 'string' } } },
}
const components = { schemas } as never
const isHidden = hiddenIn({ components }, [['x'], ['pay', 'hr']])
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

it('fuzz() finds the mark of a field in its schema, its references and its alternatives', () => {
  const wrapped = [pay, ref('Pay'), { allOf: [{}, ref('Pay')] }, { anyOf: [ref('Pay'), {}] }]
  for (const schema of [...wrapped, { oneOf: [{ type: 'null' }, { allOf: [pay] }] }])
    expect([schema, isHidden(schema as never)]).toEqual([schema, true])
  const other = { 'x-visible-to': ['pay'] }
  for (const schema of [{}, ref('Loop'), ref('None'), other, { properties: { pay } }])
    expect([schema, isHidden(schema as never)]).toEqual([schema, false])
  expect(hiddenIn({ components }, [])(pay as never)).toBe(false)
})

it('fuzz() sends each hidden field of the query and of the body, beside valid values', () => {
  const deep = (schema: object, names: string[]): object =>
    names.reduceRight<object>((inner, name) => ({ properties: { [name]: inner } }), schema)
  const body = {
    properties: { a: deep(pay, ['b', 'c', 'd']), home: ref('Home'), n: pay },
    allOf: [deep(pay, ['x', 'y', 'z'])],
  }
  const parameters = [
    { in: 'query', name: 'dry', schema: pay },
    { in: 'query', name: 'q', schema: {} },
    { in: 'header', name: 'x-pay', schema: pay },
  ]
  const sent = { body: { home: { city: 'Rome' }, x: 'not an object' } }
  const source = {
    documented: { operation: { parameters }, document: { components } },
    body: { kind: 'json', schema: body },
    write: (parts: { body: unknown }, wrong?: { query: object }) => wrong?.query ?? parts.body,
  }
  const requests = hiddenRequests(source as never, sent as never, isHidden)
  expect(requests.map(({ what, request }) => [what, request])).toEqual([
    ['query dry: hidden', { dry: 'x' }],
    ['body x.y.z: hidden', { home: { city: 'Rome' }, x: { y: { z: 'x' } } }],
    ['body home.street: hidden', { home: { city: 'Rome', street: 'x' }, x: 'not an object' }],
    ['body n: hidden', { home: { city: 'Rome' }, x: 'not an object', n: 'x' }],
  ])
})
