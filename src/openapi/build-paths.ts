import type { OpenApiDocument, OpenApiOperation, OpenApiPathItem } from '../contracts/openapi.js'
import { buildOperation, type OperationContext } from './build-operation.js'
import type { PlacedOperation } from './place-operations.js'

/** The order in which OpenAPI lists the methods of a path (3.0.3, 4.7.9.1). */
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const

/** Groups operations by path template. The paths are sorted. */
export function buildPaths(
  operations: readonly PlacedOperation[],
  context: OperationContext,
): OpenApiDocument['paths'] {
  const items = new Map<string, Map<string, OpenApiOperation>>()
  for (const { documented, path, template } of operations) {
    const item = items.get(template) ?? new Map<string, OpenApiOperation>()
    items.set(template, item.set(documented.method, buildOperation(documented, path, context)))
  }
  const paths: Record<string, OpenApiPathItem> = {}
  for (const template of [...items.keys()].sort()) {
    paths[template] = sortMethods(items.get(template) as ReadonlyMap<string, OpenApiOperation>)
  }
  return paths
}

function sortMethods(item: ReadonlyMap<string, OpenApiOperation>): OpenApiPathItem {
  const sorted: Record<string, OpenApiOperation> = {}
  for (const method of METHODS) {
    const operation = item.get(method)
    if (operation !== undefined) sorted[method] = operation
  }
  return sorted
}
