import { describe, expect, it } from 'vitest'
import type { OpenApiDocument } from '../../../src/contracts/openapi.js'
import { buildDocs } from '../../../src/features/docs/build-docs.js'
import { referencePage } from '../../../src/features/docs/open-page.js'
import { lowerDocument } from '../../../src/schema/dialect/rewrite-schema.js'
import { sampleDocument } from './sample-document.js'

const later: OpenApiDocument = {
  ...sampleDocument,
  openapi: '3.2.0',
  tags: [{ name: 'Orders', summary: 'What was bought', kind: 'nav' }],
  components: {
    ...sampleDocument.components,
    schemas: {
      ...sampleDocument.components.schemas,
      Later: {
        type: ['object', 'null'],
        properties: {
          at: {
            type: 'array',
            prefixItems: [{ type: 'number' }, { type: 'string' }],
            items: false,
          },
          high: { type: 'number', exclusiveMaximum: 9, examples: [8, 7] },
          kind: { const: 'point' },
        },
      },
    },
  },
}

describe('the built-in page for an OpenAPI 3.2 document', () => {
  it('shows the types, fields and keywords of the document', () => {
    const text = referencePage(later)
      .page.bytes.toString()
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
    expect(text).toContain('What was bought')
    expect(text).toContain('Later object or null')
    expect(text).toContain('at array items false item number item string')
    expect(text).toContain('high number exclusiveMaximum 9 examples [8,7]')
    expect(text).toContain('kind const point')
  })
})

describe('the required version of swagger-ui', () => {
  const floors = (...versions: readonly ('3.0' | '3.1' | '3.2')[]) => {
    const asked: (string | undefined)[] = []
    buildDocs({
      documents: versions.map((openapi) => ({
        path: `/${openapi}`,
        openapi,
        document: () => later,
      })),
      isProduction: false,
      resolvePeer: (floor) => {
        asked.push(floor)
        return null
      },
    })
    return asked
  }

  it('is higher if one of the documents has OpenAPI 3.2', () => {
    expect([floors('3.0'), floors('3.1'), floors('3.2'), floors('3.0', '3.2')]).toEqual([
      [undefined],
      [undefined],
      ['5.32.0'],
      ['5.32.0'],
    ])
  })
})

describe('lowerDocument', () => {
  it('returns an OpenAPI 3.0 document unchanged, and keeps header names that look like keywords', () => {
    expect(lowerDocument(sampleDocument)).toBe(sampleDocument)
    const header = { schema: { type: ['string', 'null'] } } as const
    const response = { description: '', headers: { schema: header, example: header } }
    const document: OpenApiDocument = {
      ...later,
      paths: { '/schema': { get: { responses: { '200': response } } } },
    }
    const { responses } = lowerDocument(document).paths['/schema']?.get ?? {}
    const lowered = { schema: { type: 'string', nullable: true } }
    const headers = { schema: lowered, example: lowered }
    expect(responses).toEqual({ '200': { description: '', headers } })
  })
})
