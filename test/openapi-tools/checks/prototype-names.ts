import type { OpenApiDocument } from 'blazon'

/**
 * A copy of a document for tools that ask whatever they meet for its `hasOwnProperty` (Redocly, Spectral) or its
 * `constructor` (openapi-typescript), and crash where a schema has properties of those names.
 */
export function withoutPrototypeNames(document: OpenApiDocument): OpenApiDocument {
  const text = JSON.stringify(document)
  return JSON.parse(text.replace(/"(hasOwnProperty|constructor)"/g, '"own_$1"'))
}
