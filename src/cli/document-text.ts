import { stringify } from 'yaml'
import type { OpenApiDocument } from '../contracts/openapi.js'

/** How a document is written down. */
export type DocumentFormat = 'json' | 'yaml'

/** A document as the text of a file; the same document gives the same text. */
export function documentText(document: OpenApiDocument, format: DocumentFormat): string {
  if (format === 'json') return `${JSON.stringify(document, null, 2)}\n`
  return stringify(document, {
    // Anchors and folded lines are legal, and more than many readers of OpenAPI understand.
    aliasDuplicateObjects: false,
    lineWidth: 0,
    // Readers of YAML 1.1 take a bare `no` or `1_0` for something else than text.
    compat: 'yaml-1.1',
  })
}
