import { describe, expect, it } from 'vitest'
import { readReferences } from '../../src/schema/dialect/references.js'
import {
  firstPlaces,
  listPlaces,
  membersOf,
  positionsOf,
  Reach,
  samePlaces,
} from '../../src/schema/places.js'

const named = (title: string) => ({ title })
const titlesOf = (nodes: Iterable<{ readonly title?: unknown }>) =>
  [...nodes].flatMap(({ title }) => title ?? [])

const schema = {
  $ref: '#/$defs/Base',
  properties: { a: { ...named('a'), items: named('item') }, b: named('b') },
  required: ['a'],
  additionalProperties: named('rest'),
  prefixItems: [named('first')],
  contains: named('contained'),
  anyOf: [named('any')],
  oneOf: [named('one')],
  allOf: [named('all')],
  not: named('not'),
  if: named('if'),
  then: named('then'),
  else: named('else'),
  $defs: {
    Base: { ...named('base'), properties: { a: named('a of base') } },
    Other: named('other'),
  },
}
const { resolve } = readReferences(schema)

describe('the places of a schema', () => {
  it('have the path, the name and the holder of their value', () => {
    const places = listPlaces(schema, resolve).map(({ node, path, name, holder, ...place }) => [
      node.title ?? 'root',
      path,
      name,
      holder,
      place.isRequired,
      place.kind,
    ])
    expect(places.sort(([a], [b]) => String(a).localeCompare(String(b)))).toEqual([
      ['a', 'a', 'a', 'a', true, 'member'],
      ['a of base', 'a', 'a', 'a', false, 'member'],
      ['all', '', null, null, true, 'whole'],
      ['any', '', null, null, true, 'whole'],
      ['b', 'b', 'b', 'b', false, 'member'],
      ['base', '', null, null, true, 'whole'],
      ['contained', '', null, null, true, 'condition'],
      ['else', '', null, null, true, 'whole'],
      ['first', '*', null, null, false, 'position'],
      ['if', '', null, null, true, 'condition'],
      ['item', 'a.*', null, 'a', false, 'member'],
      ['not', '', null, null, true, 'condition'],
      ['one', '', null, null, true, 'whole'],
      ['rest', '*', null, null, false, 'member'],
      ['root', '', null, null, true, 'whole'],
      ['then', '', null, null, true, 'whole'],
    ])
  })

  it('are listed once for each name, or once in all, without conditions', () => {
    const shared = named('shared')
    const root = { properties: { a: shared, b: shared }, allOf: [shared, shared], not: named('x') }
    const namesOf = (places: readonly { readonly node: object; readonly name: unknown }[]) =>
      places.filter(({ node }) => node === shared).map(({ name }) => name)
    expect(new Set(namesOf(listPlaces(root, resolve)))).toEqual(new Set(['a', 'b', null]))
    expect(namesOf(listPlaces(root, resolve))).toHaveLength(3)
    expect(namesOf(firstPlaces(root, resolve))).toHaveLength(1)
    expect(titlesOf(firstPlaces(root, resolve).map(({ node }) => node))).toEqual(['shared'])
  })

  it('of one value are its references, parts, alternatives and conditions', () => {
    expect(titlesOf(samePlaces(schema, resolve)).sort()).toEqual([
      'all',
      'any',
      'base',
      'else',
      'if',
      'one',
      'then',
    ])
    expect(titlesOf(membersOf(schema)).sort()).toEqual(['a', 'b', 'contained', 'first', 'rest'])
  })
})

it.each<[Record<string, unknown>, object]>([
  [
    { prefixItems: [1], items: 2, additionalItems: 3 },
    { first: [1], rest: 2 },
  ],
  [
    { items: [1], additionalItems: 3 },
    { first: [1], rest: 3 },
  ],
  [
    { items: 2, additionalItems: 3 },
    { first: [], rest: 2 },
  ],
  [{}, { first: [], rest: undefined }],
])('the positions of %j are %j', (node, expected) => {
  expect(positionsOf(node)).toEqual(expected)
})

it('a schema leads to the schemas of its members, also if it contains itself', () => {
  const tree = { properties: { next: {} }, items: {} }
  const marked = { title: 'marked' }
  Object.assign(tree.properties, { next: tree })
  Object.assign(tree, { anyOf: [{ items: marked }] })
  const reach = new Reach(resolve, (node) => node.title === 'marked')
  expect(
    [tree, marked, { items: tree }, { items: {} }, { not: marked }].map((n) => reach.leads(n)),
  ).toEqual([true, true, true, false, false])
  expect(reach.sameAs(tree)).toBe(reach.sameAs(tree))
  expect(reach.keyOf([tree, marked])).not.toBe(reach.keyOf([marked, tree]))
  expect(reach.keyOf([tree, marked])).toBe(reach.keyOf([tree, marked]))
})
