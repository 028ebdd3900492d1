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
  const sorted = [...items].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([path, item]) => [path, sortMethods(item)]))
}

function sortMethods(item: ReadonlyMap<string, OpenApiOperation>): OpenApiPathItem {
  return Object.fromEntries(
    METHODS.filter((method) => item.has(method)).map((method) => [method, item.get(method)]),
  )
}
