import { App, type AppOptions, type OpenApiDocument } from 'blazon'

/** A document of an application that does not run; by default the first one. */
export function documentOf(options: AppOptions, index = 0): OpenApiDocument {
  const { documents } = new App(options)
  const found = documents[index]
  if (found === undefined) throw new Error(`There are only ${documents.length} documents.`)
  return found.document
}
