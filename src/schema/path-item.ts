import type { OpenApiDocument, OpenApiOperation, OpenApiPathItem } from '../contracts/openapi.js'

/** The registered OpenAPI extension for methods that have no field of their own before OpenAPI 3.2. */
export const OLDER_QUERY = 'x-oai-additionalOperations'

/**
 * A path with the extension field. The public type contains only the operations, so that programs can handle all fields
 * of a path in the same way.
 */
type OlderItem<S> = OpenApiPathItem<S> & {
  readonly [OLDER_QUERY]?: { readonly QUERY?: OpenApiOperation<S> }
}

/** Returns the operations of a path by method, in any version of OpenAPI. */
export function operationsIn<S>(item: OpenApiPathItem<S>): OpenApiPathItem<S> {
  const { [OLDER_QUERY]: older, ...operations }: OlderItem<S> = item
  return older?.QUERY === undefined ? operations : { ...operations, query: older.QUERY }
}

/** Moves the `QUERY` operations of a document to the extension field for versions before OpenAPI 3.2. */
export function withOlderQueries(document: OpenApiDocument): OpenApiDocument {
  const paths = Object.entries(document.paths).map(([path, { query, ...item }]) => [
    path,
    query === undefined ? item : { ...item, [OLDER_QUERY]: { QUERY: query } },
  ])
  return { ...document, paths: Object.fromEntries(paths) }
}
