import { describe, expect, it } from 'vitest'
import type { OpenApiDocument, OpenApiSchema } from '../../../src/contracts/openapi.js'
import { PageTemplate } from '../../../src/features/docs/page-template.js'
import { referencePage } from '../../../src/features/docs/reference-page.js'
import { sampleDocument } from './sample-document.js'

function render(document: OpenApiDocument, url = 'http://shop.test/v1/api-docs'): string {
  const page = referencePage({ path: '/api-docs', document: () => document })
  const template = new PageTemplate(page, (name) => name)
  return template.at({ folder: './', url }).bytes.toString()
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
  return textOf(page, '<article class="schema"', '</article>').replace(/^.*?\bIt /, '')
}

describe('the built-in page', () => {
  const page = render(sampleDocument)

  it('has an article for each operation, once, and a link to it', () => {
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

  it('keeps the order of tags', () => {
    expect([...page.matchAll(/<h2>([^<]+)/g)].map(([, tag]) => tag)).toEqual([
      'Orders',
      'Categories',
      'Schemas',
    ])
  })

  it('shows operations without a tag, and tags without a description', () => {
    const paths = {
      '/a': { get: { responses: {} } },
      '/b': { get: { tags: ['New'], responses: {} } },
    }
    const other = render({ ...sampleDocument, tags: [], paths })
    expect([...other.matchAll(/<h2>([^<]+)/g)].map(([, tag]) => tag)).toEqual([
      'New',
      'Other operations',
      'Schemas',
    ])
  })

  it('marks operations that need authorisation', () => {
    const articles = page.split('<article class="operation"').slice(1)
    const locked = articles.filter((article) => article.includes('needs BearerAuth'))
    expect(locked.map((article) => article.match(/id="([^"]+)"/)?.[1])).toEqual([
      'operation-Orders_create',
      'operation-Orders_remove',
    ])
  })

  it.each([
    ['its own', [{ BearerAuth: [] }], undefined, true],
    ["the document's", undefined, [{ BearerAuth: [] }], true],
    ['its own, none,', [], [{ BearerAuth: [] }], false],
    ['optional', [{}, { BearerAuth: [] }], undefined, false],
  ] as const)('reads %s requirement', (kind, own, global, isLocked) => {
    const get = { responses: {}, ...(own && { security: own }) }
    const document = {
      ...sampleDocument,
      paths: { '/a': { get } },
      ...(global && { security: global }),
    }
    expect(render(document).includes('needs BearerAuth')).toBe(isLocked)
    expect(render(document).includes('BearerAuth is optional')).toBe(kind === 'optional')
  })

  it('names every scheme of optional authorisation, once, and sends none in the example', () => {
    const security = [{ BearerAuth: [], Key: [] }, { Key: [] }, {}]
    const paths = { '/a': { get: { responses: {}, security } } }
    const text = textOf(render({ ...sampleDocument, paths }))
    expect(text).toContain('BearerAuth or Key is optional')
    expect(text).not.toContain('needs')
    expect(text).not.toContain('$TOKEN')
  })

  it('follows references to responses', () => {
    expect(textOf(page, 'id="operation-Orders_list"', '</article>')).toContain('400 Not valid')
  })

  it('lists responses by status, and ranges before their statuses', () => {
    const response = { description: '' }
    const responses = { 201: response, 400: response, '2XX': response, default: response }
    const other = render({ ...sampleDocument, paths: { '/a': { get: { responses } } } })
    const statuses = [...other.matchAll(/class="status[^>]*>([^<]+)/g)].map(([, status]) => status)
    expect(statuses).toEqual(['2XX', '201', '400', 'default'])
  })

  it('shows servers as absolute URLs', () => {
    const servers = [{ url: '.' }, { url: '/v2/' }, { url: 'https://api.test' }]
    const text = textOf(render({ ...sampleDocument, servers }), '<dl>', '</dl>')
    expect(text).toMatch(
      /^Server http:\/\/shop.test\/v1 Server http:\/\/shop.test\/v2 Server https:\/\/api.test /,
    )
  })

  it.each([
    ['/', 'http://shop.test/orders'],
    ['.', 'http://shop.test/v1/orders'],
    ['/v2/', 'http://shop.test/v2/orders'],
    ['https://api.test/v3', 'https://api.test/v3/orders'],
    ["/it's", 'http://shop.test/it%27s/orders'],
  ])('has commands for the server %s', (server, target) => {
    const other = render({ ...sampleDocument, servers: [{ url: server }] })
    expect(textOf(other, 'id="operation-Orders_list"', '</article>')).toContain(
      `curl &#39;${target}?limit=20&#39;`,
    )
  })

  it('uses the host of the request, and escapes it', () => {
    const host = `a'b"><script>`
    const one = referencePage({ path: '/x', document: () => sampleDocument })
    const template = new PageTemplate(one, (name) => name)
    const at = (url: string) => template.at({ folder: './', url }).bytes.toString()
    expect(at('http://one.test/x')).toContain('&#39;http://one.test/orders?limit=20&#39;')
    expect(at('http://two.test/x')).toContain('&#39;http://two.test/orders?limit=20&#39;')
    expect(at(`http://${host}/x`)).not.toContain('<script')
  })

  it('shows how to install the interactive page', () => {
    expect(page).toContain('<code>npm install swagger-ui-dist</code>')
  })

  it('does not repeat a summary as description', () => {
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
    [{ oneOf: [{ type: 'string' }, { type: 'integer' }] }, 'string or integer'],
    [{ allOf: [{ $ref: '#/components/schemas/It' }, { type: 'object' }] }, 'It and object'],
    [{ type: 'string', enum: ['a', 'b'] }, 'string one of "a", "b"'],
    [{ type: 'integer', minimum: 0, exclusiveMinimum: true }, 'integer more than 0'],
    [{ type: 'string', minLength: 1 }, 'string at least 1 character'],
    [{ type: 'string', minLength: 0, maxLength: 8 }, 'string at most 8 characters'],
    [{ type: 'array', minItems: 2, maxItems: 2 }, 'array exactly 2 items'],
    [{ type: 'object', minProperties: 1, maxProperties: 3 }, 'object 1 to 3 properties'],
    [{ type: 'object', additionalProperties: false }, 'object no other properties'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, 'object [any name] number'],
    [{ type: 'boolean', default: false }, 'boolean default false'],
    [
      { type: 'object', required: ['a'], properties: { a: { type: 'string', deprecated: true } } },
      'object a string required deprecated',
    ],
    [
      { oneOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { type: 'string' }] },
      'one of object a string string',
    ],
  ])('%j reads "%s"', (schema, text) => {
    expect(ofSchema(schema).replaceAll('&quot;', '"')).toBe(text)
  })

  it('with 300 levels is rendered without reading every level again', () => {
    let schema: OpenApiSchema = { type: 'string', minLength: 1 }
    for (let i = 0; i < 300; i++) schema = { type: 'array', items: schema }
    expect(ofSchema(schema)).toContain('at least 1 character')
  })
})

describe('text of a document', () => {
  it('is escaped', () => {
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

  it('is split into paragraphs at blank lines', () => {
    const info = { ...sampleDocument.info, description: 'One\ntwo\n\n \nThree' }
    expect(render({ ...sampleDocument, info })).toContain('<p>One\ntwo</p><p>Three</p>')
  })
})
