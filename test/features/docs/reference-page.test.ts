import { describe, expect, it } from 'vitest'
import type { OpenApiDocument, OpenApiSchema } from '../../../src/contracts/openapi.js'
import { referencePage } from '../../../src/features/docs/open-page.js'
import { sampleDocument } from './sample-document.js'

function render(document: OpenApiDocument): string {
  return referencePage(document).page.bytes.toString()
}

/** The visible text of the page between two texts. */
function textOf(page: string, from = '<main', to = '</main>'): string {
  const start = page.indexOf(from)
  const part = page.slice(start, page.indexOf(to, start))
  return part
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

function ofSchema(schema: OpenApiSchema): string {
  const components = { schemas: { It: schema } }
  const page = render({ ...sampleDocument, paths: {}, components })
  return textOf(page, '<article id="schemas-It"', '</article>').replace(/^It /, '')
}

describe('the built-in page', () => {
  const page = render(sampleDocument)

  it('has one article for each operation, and a link to it', () => {
    const operations = Object.values(sampleDocument.paths).flatMap((item) => Object.values(item))
    for (const { operationId } of operations) {
      expect(page.split(`id="operation-${operationId}"`)).toHaveLength(2)
      expect(page).toContain(`href="#operation-${operationId}"`)
    }
    expect(page.match(/<article class="operation"/g)).toHaveLength(operations.length)
  })

  it('links only to existing ids, and uses no id twice', () => {
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target)
    expect(targets.filter((target) => !ids.includes(target))).toEqual([])
  })

  it('has sections for servers, credentials, tags, responses and schemas, in this order', () => {
    expect([...page.matchAll(/<h2>([^<]+)/g)].map(([, tag]) => tag)).toEqual([
      'Servers',
      'Credentials',
      'Orders',
      'Categories',
      'Responses',
      'Schemas',
    ])
  })

  it('shows operations without a tag, and tags without a description', () => {
    const paths = {
      '/a': { get: { responses: {} } },
      '/b': { get: { tags: ['New'], responses: {} } },
    }
    const other = render({ ...sampleDocument, tags: [], paths })
    expect([...other.matchAll(/id="tag-[^>]+><h2>([^<]+)/g)].map(([, tag]) => tag)).toEqual([
      'Other operations',
      'New',
    ])
  })

  it.each([
    ['its own', [{ BearerAuth: [] }], undefined, 'Credentials: BearerAuth'],
    ["the document's", undefined, [{ BearerAuth: [] }], 'Credentials: BearerAuth'],
    ['no', [], [{ BearerAuth: [] }], ''],
    ['an optional', [{ BearerAuth: [] }, {}], undefined, 'Credentials: BearerAuth or none'],
    ['a combined', [{ A: [], B: [] }, { C: [] }], undefined, 'Credentials: A and B or C'],
  ] as const)(
    'shows the credentials of an operation with %s security requirement',
    (_, own, global, text) => {
      const get = { responses: {}, ...(own && { security: own }) }
      const paths = { '/a': { get } }
      const document = { ...sampleDocument, paths, ...(global && { security: global }) }
      const shown = textOf(render(document), '<article class="operation"', '</article>')
      expect(shown).toBe(`GET /a ${text} Responses`.replace('  ', ' '))
    },
  )

  it('shows parameters, bodies, responses and headers', () => {
    expect(textOf(page, 'id="operation-Orders_list"', '</article>').replaceAll('&quot;', '"')).toBe(
      [
        'id="operation-Orders_list"> GET /orders List Newest first.',
        'Parameters state string query Only orders in this state. enum ["open","paid","sent"] default open',
        'limit integer query, required example 20 minimum 1 maximum 100',
        'Responses 200 OK Headers X-Total integer How many there are.',
        'application/json array of Order 400 Invalid',
      ].join(' '),
    )
    expect(textOf(page, 'id="operation-Categories_addPictures"', '</article>')).toContain(
      'Body required multipart/form-data object caption string pictures array of string · binary',
    )
  })

  it('shows a shared component once, and links to it', () => {
    expect(page.match(/<a href="#responses-Invalid">Invalid<\/a>/g)).toHaveLength(3)
    expect(page.match(/Not valid<\/p>/g)).toHaveLength(1)
    expect(textOf(page, '<article id="responses-Invalid"', '</article>')).toContain(
      'application/json object statusCode string required',
    )
  })

  it('shows the items of a stream, and unknown fields', () => {
    const item = { $ref: '#/components/schemas/Order' }
    const stream = { schema: { type: 'string' }, 'x-item-schema': item } as const
    const response = {
      description: 'Orders',
      'x-max-body-bytes': 7,
      content: { 'text/event-stream': stream },
    }
    const get = { responses: { 200: response } }
    const text = textOf(render({ ...sampleDocument, paths: { '/a': { get } } }), '<details>')
    expect(text).toMatch(
      /^200 Orders x-max-body-bytes 7 text\/event-stream string each item Order /,
    )
  })

  it('sorts responses by status, with each range after its statuses', () => {
    const response = { description: '' }
    const responses = { 201: response, 400: response, '2XX': response, default: response }
    const other = render({ ...sampleDocument, paths: { '/a': { get: { responses } } } })
    const statuses = [...other.matchAll(/<summary><code>([^<]+)/g)].map(([, status]) => status)
    expect(statuses).toEqual(['201', '2XX', '400', 'default'])
  })

  it('shows servers, and how to send credentials', () => {
    const servers = [{ url: '/v2/', description: 'Ours' }, { url: 'https://api.test' }]
    const key = { type: 'apiKey', in: 'header', name: 'X-Key', description: 'Ask us.' } as const
    const components = { securitySchemes: { Key: key } }
    expect(textOf(render({ ...sampleDocument, servers, components }))).toContain(
      'Servers /v2/ (relative to the address of the document) Ours https://api.test Credentials Key Ask us. type apiKey in header name X-Key ',
    )
  })

  it('shows how to install the interactive page', () => {
    expect(page).toContain('<code>npm install swagger-ui-dist</code>')
  })

  it('does not repeat a summary as a description', () => {
    expect(
      textOf(page, 'id="operation-Orders_create"', '</article>').match(/Create\b/g),
    ).toHaveLength(1)
  })
})

describe('a schema on the built-in page', () => {
  it.each<[OpenApiSchema, string]>([
    [{ type: 'string', format: 'uuid', nullable: true }, 'string · uuid or null'],
    [{}, 'any'],
    [{ type: 'array', items: { $ref: '#/components/schemas/It' } }, 'array of It'],
    [
      { type: 'array', maxItems: 2, items: { minLength: 1 } },
      'array of any maxItems 2 minLength 1',
    ],
    [{ oneOf: [{ type: 'string' }, { type: 'integer' }] }, 'one of string one of integer'],
    [{ allOf: [{ $ref: '#/components/schemas/It' }, {}] }, 'all of It all of any'],
    [{ type: 'string', enum: ['a', 'b'], pattern: '\\d' }, 'string enum ["a","b"] pattern \\d'],
    [{ type: 'object', additionalProperties: false }, 'object additionalProperties false'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, 'object any other name number'],
    [{ type: 'boolean', default: false, readOnly: true }, 'boolean default false readOnly true'],
    [
      { type: 'object', required: ['a'], properties: { a: { type: 'string', deprecated: true } } },
      'object a string required, deprecated',
    ],
  ])('%j is shown as "%s"', (schema, text) => {
    expect(ofSchema(schema).replaceAll('&quot;', '"')).toBe(text)
  })

  it.each(['items', 'properties', 'oneOf'] as const)(
    'is shown with a limited nesting of HTML elements for 1,000 levels of %s',
    (keyword) => {
      let schema: OpenApiSchema = { type: 'string', minLength: 7 }
      for (let i = 0; i < 1000; i++) {
        if (keyword === 'items') schema = { type: 'array', items: schema }
        else if (keyword === 'oneOf') schema = { oneOf: [schema] }
        else schema = { type: 'object', properties: { a: schema } }
      }
      const page = render({ ...sampleDocument, components: { schemas: { It: schema } } })
      expect(page).toContain('&quot;minLength&quot;:7')
      expect(page.match(/<li>/g)?.length).toBeLessThan(100)
    },
  )

  it('appears once, even if several schemas refer to it', () => {
    const names = Array.from({ length: 12 }, (_, i) => `E${i}`)
    const links = names.map((name) => [name, { $ref: `#/components/schemas/${name}` }])
    const all = { type: 'object', properties: Object.fromEntries(links) } as const
    const schemas = Object.fromEntries(names.map((name) => [name, all]))
    const page = render({ ...sampleDocument, paths: {}, components: { schemas } })
    expect(page.match(/<li><code>E\d+<\/code> <span class="type"><a /g)).toHaveLength(144)
  })

  it('has a unique id even if its name is similar to other names, and links to this id', () => {
    const names = ['a/b', 'a b', 'a-b', 'a~b', 'ä\ud800', '"']
    const escaped = names.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1'))
    const oneOf = escaped.map((name) => ({ $ref: `#/components/schemas/${name}` }))
    const schemas = Object.fromEntries(names.map((name) => [name, { oneOf }]))
    const page = render({ ...sampleDocument, paths: {}, components: { schemas } })
    const ids = [...page.matchAll(/<article id="([^"\s]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(names.length)
    for (const id of ids) expect(page.split(`href="#${id}"`)).toHaveLength(names.length + 3)
  })
})

describe('the text of a document', () => {
  it('is escaped on the built-in page', () => {
    const evil = `<img src=x onerror="alert(1)">'"</code><script>1</script>`
    const field = { type: 'string', description: evil, example: evil, pattern: evil } as const
    const schema: OpenApiSchema = {
      type: 'object',
      description: evil,
      properties: { [evil]: field },
    }
    const page = render({
      openapi: '3.0.3',
      info: {
        title: evil,
        version: evil,
        description: evil,
        termsOfService: 'javascript:alert(1)',
        contact: { name: evil, url: 'JavaScript:alert(1)' },
        license: { name: evil, url: 'data:text/html,x' },
      },
      servers: [{ url: evil, description: evil }],
      tags: [{ name: evil, description: evil }],
      paths: {
        [`/${evil}`]: {
          post: {
            operationId: evil,
            summary: evil,
            description: `${evil}\n\n${evil}`,
            tags: [evil],
            security: [{ [evil]: [] }],
            parameters: [{ name: evil, in: 'query', required: true, schema: field }],
            requestBody: { description: evil, content: { [evil]: { schema, example: evil } } },
            responses: {
              [evil]: {
                description: evil,
                headers: { [evil]: { schema: field } },
                content: { [evil]: { schema: { $ref: `#/components/schemas/${evil}` } } },
              },
            },
          },
        },
      },
      components: {
        schemas: { [evil]: schema },
        securitySchemes: { [evil]: { type: 'http', scheme: 'bearer', description: evil } },
      },
    })
    expect(page).not.toMatch(/<img|<script|onerror="/)
    expect(page).not.toMatch(/href="(?:javascript|data):/i)
    expect(page).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;')
  })
})
