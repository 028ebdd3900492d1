import { stringify } from 'yaml'
import type { OpenApiDocument } from '../contracts/openapi.js'

/** The file format of a document. */
export type DocumentFormat = 'json' | 'yaml'

/** A document as the text of a file. The same document gives the same text. */
export function documentText(document: OpenApiDocument, format: DocumentFormat): string {
  if (format === 'json') return `${JSON.stringify(document, null, 2)}\n`
  return stringify(document, {
    // Many OpenAPI tools do not support YAML anchors and folded lines.
    aliasDuplicateObjects: false,
    lineWidth: 0,
    // Readers of YAML 1.1 would not read a bare `no` or `1_0` as a string.
    compat: 'yaml-1.1',
  })
}
