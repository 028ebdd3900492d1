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

  it.each(['a', 'b', 'c'])('cause a breaking change when one is no longer required: %s', (name) => {
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

  it('are equal when another part requires them', () => {
    const together = { allOf: [object(['a', 'b', 'c'], ['a', 'b', 'c'])] }
    expect(changes(responseOf(parts('a', 'b', 'c')), responseOf(together))).toEqual([])
    const beside = { ...object(['c'], ['a', 'b', 'c']), allOf: [object(['a']), object(['b'])] }
    expect(changes(responseOf(parts('a', 'b', 'c')), responseOf(beside))).toEqual([])
  })
})

describe('a response that is replaced by a wider status', () => {
  it.each([
    ['200', '2XX'],
    ['200', 'default'],
    ['404', '4XX'],
    ['404', 'default'],
    ['2XX', 'default'],
  ])('is not removed: %s becomes %s', (from, to) => {
    expect(changes(responsesOf(from), responsesOf(to))).toEqual([
      `ok response-added @ response ${to}`,
    ])
  })

  it.each([
    ['200', '201'],
    ['200', '4XX'],
    ['404', '2XX'],
    ['default', '200'],
    ['2XX', '200'],
  ])('is removed when the other status is not wider: %s becomes %s', (from, to) => {
    expect(changes(responsesOf(from), responsesOf(to))).toEqual([
      `breaking response-removed @ response ${from}`,
      `ok response-added @ response ${to}`,
    ])
  })

  it('is compared with the most specific status', () => {
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

describe('names of headers', () => {
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

  it('are compared without case', () => {
    expect(changes(withHeaders('X-A'), withHeaders('x-a'))).toEqual([])
    expect(changes(withParameters('X-A'), withParameters('x-a'))).toEqual([])
    expect(changes(withHeaders('X-A', 'X-B'), withHeaders('x-b'))).toHaveLength(1)
  })
})
