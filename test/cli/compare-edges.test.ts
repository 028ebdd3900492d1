import { describe, expect, it } from 'vitest'
import { compareDocuments } from '../../src/cli/diff/compare-documents.js'
import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiSchema,
} from '../../src/contracts/openapi.js'

function documentOf(
  operation: Partial<OpenApiOperation>,
  schemas: Readonly<Record<string, OpenApiSchema>> = {},
): OpenApiDocument {
  return {
    openapi: '3.0.3',
    info: { title: 'T', version: '1' },
    servers: [],
    tags: [],
    paths: { '/x': { post: { responses: {}, ...operation } } },
    components: { schemas },
  }
}

const content = (schema: OpenApiSchema) => ({ 'application/json': { schema } })
const text: OpenApiSchema = { type: 'string' }
const object = (names: string[], required: string[] = []): OpenApiSchema => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, text])),
  ...(required.length > 0 && { required }),
})

const requestOf = (schema: OpenApiSchema) =>
  documentOf({ requestBody: { required: true, content: content(schema) } })
const responseOf = (schema: OpenApiSchema) =>
  documentOf({ responses: { '200': { description: '', content: content(schema) } } })
const responsesOf = (...statuses: string[]) =>
  documentOf({
    responses: Object.fromEntries(
      statuses.map((status) => [status, { description: '', content: content(object(['a'])) }]),
    ),
  })

/** `breaking rule @ location` of each change. */
function changes(base: OpenApiDocument, current: OpenApiDocument): string[] {
  return compareDocuments(base, current).map(
    ({ rule, isBreaking, location }) => `${isBreaking ? 'breaking' : 'ok'} ${rule} @ ${location}`,
  )
}

describe('properties that several parts of allOf require', () => {
  const part = (name: string, isRequired: boolean) => object([name], isRequired ? [name] : [])
  const parts = (...required: string[]): OpenApiSchema => ({
    allOf: ['a', 'b', 'c'].map((name) => part(name, required.includes(name))),
  })

  it.each(['a', 'b', 'c'])('cause a breaking change if one is no longer required: %s', (name) => {
    const rest = ['a', 'b', 'c'].filter((each) => each !== name)
    const all = parts('a', 'b', 'c')
    const missed = changes(responseOf(all), responseOf(parts(...rest)))
    expect(missed).toHaveLength(1)
    expect(missed[0]).toMatch(new RegExp(`^breaking .* ${name}$`))
    const asked = changes(requestOf(parts(...rest)), requestOf(all))
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatch(new RegExp(`^breaking .* ${name}$`))
    expect(changes(requestOf(all), requestOf(parts(...rest)))[0]).toMatch(/^ok /)
  })

  it('cause no change if another part requires them', () => {
    const together = { allOf: [object(['a', 'b', 'c'], ['a', 'b', 'c'])] }
    expect(changes(responseOf(parts('a', 'b', 'c')), responseOf(together))).toEqual([])
    const beside = { ...object(['c'], ['a', 'b', 'c']), allOf: [object(['a']), object(['b'])] }
    expect(changes(responseOf(parts('a', 'b', 'c')), responseOf(beside))).toEqual([])
  })
})

describe('a response that is replaced by another status', () => {
  it.each([
    ['200', '2XX'],
    ['200', 'default'],
    ['404', '4XX'],
    ['404', 'default'],
    ['2XX', 'default'],
    ['2XX', '200'],
    ['default', '200'],
  ])('is not reported as removed if one status includes the other: %s becomes %s', (from, to) => {
    expect(changes(responsesOf(from), responsesOf(to))).toEqual([
      `ok response-added @ response ${to}`,
    ])
  })

  it.each([
    ['200', '201'],
    ['200', '4XX'],
    ['404', '2XX'],
  ])('is reported as removed if neither status includes the other: %s becomes %s', (from, to) => {
    expect(changes(responsesOf(from), responsesOf(to))).toEqual([
      `breaking response-removed @ response ${from}`,
      `ok response-added @ response ${to}`,
    ])
  })

  it('is compared with the most specific status of the other document', () => {
    const current = documentOf({
      responses: {
        '2XX': { description: '', content: content(object(['a'])) },
        default: { description: '', content: content(text) },
      },
    })
    expect(changes(responsesOf('200'), current)).toEqual([
      'ok response-added @ response 2XX',
      'ok response-added @ response default',
    ])
  })
})

describe('header names', () => {
  const withHeaders = (...names: string[]) =>
    documentOf({
      responses: {
        '200': {
          description: '',
          headers: Object.fromEntries(names.map((name) => [name, { schema: text }])),
        },
      },
    })
  const withParameters = (...names: string[]) =>
    documentOf({ parameters: names.map((name) => ({ name, in: 'header', schema: text }) as const) })

  it('are compared case-insensitively', () => {
    expect(changes(withHeaders('X-A'), withHeaders('x-a'))).toEqual([])
    expect(changes(withParameters('X-A'), withParameters('x-a'))).toEqual([])
    expect(changes(withHeaders('X-A', 'X-B'), withHeaders('x-b'))).toHaveLength(1)
  })
})

describe('references to components', () => {
  const names = ['a/b', 'a~1b', 'a b', '100%']
  const pointers = ['a~1b', 'a~01b', 'a%20b', '100%']
  const withResponse = (name: string, ref: string, schema: OpenApiSchema): OpenApiDocument => ({
    ...documentOf({ responses: { '200': { $ref: `#/components/responses/${ref}` } } }),
    components: { responses: { [name]: { description: '', content: content(schema) } } },
  })
  const withSchema = (name: string, ref: string, schema: OpenApiSchema): OpenApiDocument => ({
    ...responseOf({ $ref: `#/components/schemas/${ref}` }),
    components: { schemas: { [name]: schema } },
  })

  it.each(names.map((name, at) => [name, pointers[at] as string]))(
    'are read as JSON Pointers in a URI fragment: "%s" is written as %s',
    (name, ref) => {
      for (const build of [withResponse, withSchema]) {
        expect(
          changes(build(name, ref, object(['a', 'b'])), build(name, ref, object(['a']))),
        ).toEqual(['breaking property-removed @ response 200 › b'])
      }
    },
  )

  it('resolve neither to inherited properties nor to components of another kind', () => {
    const lost = [
      withResponse('a', 'constructor', object(['a'])),
      withSchema('a', 'constructor', object(['a'])),
      withResponse('a', '../schemas/a', object(['a'])),
    ]
    for (const document of lost) {
      expect(changes(document, document)).toEqual([])
      expect(changes(responseOf(object(['a'])), document)[0]).toMatch(/^breaking /)
    }
  })
})

describe('the maximum size of a request body', () => {
  const limited = (bytes?: number) =>
    documentOf({
      responses: { '413': { description: '', ...(bytes && { 'x-max-body-bytes': bytes }) } },
    })

  it('breaks clients if it is lowered, but not if it is raised', () => {
    expect(changes(limited(2048), limited(1024))).toEqual([
      'breaking body-limit-lowered @ response 413',
    ])
    expect(changes(limited(1024), limited(2048))).toEqual(['ok body-limit-raised @ response 413'])
    expect(changes(limited(1024), limited(1024))).toEqual([])
  })

  it('is not compared if only one of the documents contains it', () => {
    expect(changes(limited(), limited(1024))).toEqual([])
    expect(changes(limited(1024), limited())).toEqual([])
  })
})

describe('a component that is replaced', () => {
  const money = object(['amount'])
  const ref: OpenApiSchema = { $ref: '#/components/schemas/Money' }
  const documentWith = (a: OpenApiSchema, b: OpenApiSchema) =>
    documentOf(
      { requestBody: { required: true, content: content({ properties: { a, b } }) } },
      { Money: money },
    )

  it('is compared with each inline schema that replaces it', () => {
    const wider = object(['amount', 'currency'])
    expect(changes(documentWith(ref, ref), documentWith(wider, text))).toEqual([
      'ok property-added @ body › a.currency',
      'breaking type-changed @ body › b',
    ])
    expect(changes(documentWith(wider, text), documentWith(ref, ref))).toEqual([
      'breaking property-removed @ body › a.currency',
      'breaking type-changed @ body › b',
    ])
  })

  it('is compared once if another component replaces it everywhere', () => {
    const renamed: OpenApiSchema = { $ref: '#/components/schemas/Price' }
    const current = documentOf(
      {
        requestBody: {
          required: true,
          content: content({ properties: { a: renamed, b: renamed } }),
        },
      },
      { Price: object(['amount', 'currency']) },
    )
    expect(changes(documentWith(ref, ref), current)).toEqual([
      'ok property-added @ body › a.currency',
    ])
  })

  it('is compared in finite time even if it contains itself at different places than before', () => {
    const inside = (next: OpenApiSchema): OpenApiSchema => ({
      type: 'object',
      properties: { next },
    })
    const node: OpenApiSchema = { $ref: '#/components/schemas/Node' }
    const body = (schema: OpenApiSchema, Node: OpenApiSchema) =>
      documentOf({ requestBody: { required: true, content: content(schema) } }, { Node })
    const base = body(inside(node), inside(inside(node)))
    const current = body(node, { ...inside(inside(node)), required: ['next'] })
    expect(changes(base, current)).toContain('breaking property-required @ body › next')
  })
})
