import type { RouteModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import type { DocumentedOperation } from './operations.js'
import { type ParameterContext, queryProblems } from './parameters.js'
import { pathTemplate } from './path-templates.js'

/** An operation with its place in the document. No other operation has the same path and method. */
export interface PlacedOperation {
  readonly documented: DocumentedOperation
  /** The path that the document uses for the path of the route. */
  readonly path: string
  readonly template: string
}

/** The operations that the document can contain, and the warnings about all operations. */
export interface PlacedOperations {
  readonly placed: readonly PlacedOperation[]
  readonly problems: readonly Problem[]
}

/**
 * Finds the path and method of every operation, without building the operation.
 *
 * @param canonical The path that the document uses for each route path, by route path.
 */
export function placeOperations(
  operations: readonly DocumentedOperation[],
  canonical: ReadonlyMap<string, string>,
  context: ParameterContext,
): PlacedOperations {
  const taken = new Set<string>()
  const placed: PlacedOperation[] = []
  const problems: Problem[] = []
  for (const documented of operations) {
    const { route, method } = documented
    const path = canonical.get(route.path) ?? route.path
    const template = pathTemplate(path)
    const place = `${method} ${template}`
    if (taken.has(place)) problems.push(indistinct(route, template))
    else {
      taken.add(place)
      placed.push({ documented, path, template })
      if (route.inputs.query !== null) problems.push(...queryProblems(route, context))
    }
  }
  return { placed, problems }
}

/** `/files/:name` and `/files/*rest` are two routes for the router, but one template in OpenAPI. */
function indistinct({ name, path, method }: RouteModel, template: string): Problem {
  return {
    code: 'W_PATH_INDISTINCT',
    subject: name,
    cause: `OpenAPI cannot tell ${method} ${path} from another route with the template ${template}, so it is not in the document.`,
    remedy: 'Give one of them a path of its own, or hide it: @ApiHidden().',
  }
}
