import type { RouteModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import type { DocumentedOperation } from './operations.js'
import { type ParameterContext, queryProblems } from './parameters.js'
import { pathTemplate } from './path-templates.js'

/** An operation that can be told from all others, and where it stands in the document. */
export interface PlacedOperation {
  readonly documented: DocumentedOperation
  /** The path that stands for the route's in the document. */
  readonly path: string
  readonly template: string
}

/** The operations that the document can hold, and what is suspicious about all of them. */
export interface PlacedOperations {
  readonly placed: readonly PlacedOperation[]
  readonly problems: readonly Problem[]
}

/**
 * Finds the place of every operation, without writing it.
 *
 * @param canonical The path that stands for each path, by path.
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

/** `/files/:name` and `/files/*rest`, which the router tells apart, are one template. */
function indistinct({ name, path, method }: RouteModel, template: string): Problem {
  return {
    code: 'W_PATH_INDISTINCT',
    subject: name,
    cause: `OpenAPI cannot tell ${method} ${path} from another route with the template ${template}, so it is not in the document.`,
    remedy: 'Give one of them a path of its own, or hide it: @ApiHidden().',
  }
}
