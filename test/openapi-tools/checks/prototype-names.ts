import type { OpenApiDocument } from 'blazon'

/**
 * A copy of a document for tools that read `hasOwnProperty` (Redocly, Spectral) or `constructor` (openapi-typescript)
 * of every object, and crash if a schema has properties with those names.
 */
export function withoutPrototypeNames(document: OpenApiDocument): OpenApiDocument {
  const text = JSON.stringify(document)
  return JSON.parse(text.replace(/"(hasOwnProperty|constructor)"/g, '"own_$1"'))
}
