import { describe, expect, it } from 'vitest'
import { plant, SAMPLE } from './sample-document.js'
import { semanticProblems } from './semantics.js'

const GET = ['paths', '/things', 'get'] as const
const PUT = ['paths', '/things/{id}', 'put'] as const
const ITEMS = [...GET, 'parameters', 0, 'schema', 'items'] as const
const THING = ['components', 'schemas', 'Thing'] as const

const ACCEPT = { name: 'Accept', in: 'header', schema: { type: 'string' } }

const PLANTED = [
  ['a reference to the root', plant([...THING, 'properties', 'parts', 'items'], { $ref: '#' })],
  ['a reference to a missing component', plant(ITEMS, { $ref: '#/components/schemas/Nothing' })],
  ['a keyword of a later version', plant([...ITEMS, 'const'], 'a')],
  ['the keyword `examples`', plant([...ITEMS, 'examples'], ['a'])],
  ['a key beside a reference', plant([...THING, 'properties', 'parts', 'items', 'nullable'], true)],
  ['nullable without type', plant([...THING, 'properties', 'name', 'type'], undefined)],
  ['a nullable enum without null', plant([...THING, 'properties', 'name', 'enum'], ['a'])],
  ['two equal operationIds', plant([...GET, 'operationId'], 'Things_replace')],
  ['an operationId with a space', plant([...GET, 'operationId'], 'List things')],
  ['a missing path parameter', plant([...PUT, 'parameters'], [])],
  ['an optional path parameter', plant([...PUT, 'parameters', 0, 'required'], undefined)],
  ['a header that OpenAPI ignores', plant([...GET, 'parameters', 0], ACCEPT)],
  ['a component without a reference', plant(['components', 'schemas', 'Zero'], { type: 'string' })],
  ['components out of order', plant(['components', 'schemas'], reversed())],
  [
    'a status that is not a number',
    plant([...GET, 'responses', 'default'], { description: 'All' }),
  ],
  ['a missing security scheme', plant(['components', 'securitySchemes'], {})],
  ['an operation without security', plant([...GET, 'security'], undefined)],
  ['a tag that is not used', plant(['tags', 1], { name: 'Nobody' })],
  ['a tag that is not listed', plant([...GET, 'tags'], ['Nobody'])],
  ['an Express path', plant(['paths', '/files/*rest'], { get: SAMPLE.paths['/things']?.get })],
] as const

function reversed() {
  return Object.fromEntries(Object.entries(SAMPLE.components.schemas ?? {}).reverse())
}

describe('semantic checks', () => {
  it('find no problem in a correct document', () => {
    expect(semanticProblems(SAMPLE)).toEqual([])
  })

  it.each(PLANTED)('find %s', (_, document) => {
    expect(semanticProblems(document)).not.toEqual([])
  })
})
