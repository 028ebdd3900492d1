import type { OpenApiDocument, OpenApiOperation, OpenApiPathItem } from '../contracts/openapi.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { buildOperation, type OperationContext } from './build-operation.js'
import type { DocumentedOperation } from './operations.js'
import { pathTemplate } from './path-templates.js'

/** The order in which OpenAPI lists the methods of a path (3.0.3, 4.7.9.1). */
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const

/** What stands in the `paths` of a document. */
export interface BuiltPaths {
  readonly paths: OpenApiDocument['paths']
  readonly problems: readonly Problem[]
}

/**
 * Gathers operations under their paths, sorted.
 *
 * @param canonical The path that stands for each path, by path.
 */
export function buildPaths(
  operations: readonly DocumentedOperation[],
  canonical: ReadonlyMap<string, string>,
  context: OperationContext,
): BuiltPaths {
  const items = new Map<string, Map<string, OpenApiOperation>>()
  const problems: Problem[] = []
  for (const documented of operations) {
    const { route, method } = documented
    const path = canonical.get(route.path) ?? route.path
    const template = pathTemplate(path)
    const item = items.get(template) ?? new Map<string, OpenApiOperation>()
    if (item.has(method)) {
      problems.push(indistinct(route, template))
      continue
    }
    const built = buildOperation(documented, path, context)
    problems.push(...built.problems)
    items.set(template, item.set(method, built.operation))
  }
  const sorted = [...items].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    paths: Object.fromEntries(sorted.map(([path, item]) => [path, inOrder(item)])),
    problems,
  }
}

function inOrder(item: ReadonlyMap<string, OpenApiOperation>): OpenApiPathItem {
  return Object.fromEntries(
    METHODS.filter((method) => item.has(method)).map((method) => [method, item.get(method)]),
  )
}

/** `/files/:name` and `/files/*rest`, which the router tells apart, are one template. */
function indistinct({ name, path, method }: RouteModel, template: string): Problem {
  return {
    code: 'W_PATH_INDISTINCT',
    subject: name,
    cause: `OpenAPI cannot tell ${method} ${path} from another route of the template ${template}, so it is not in the document.`,
    remedy: 'Give one of them a path of its own, or hide it: @ApiHidden().',
  }
}
