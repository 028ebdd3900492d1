import type { RouteModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { writePath } from '../model/paths.js'
import type { DocumentedOperation } from './list-operations.js'
import { type ParameterContext, queryProblems } from './parameters.js'

/** An operation with its place in the document. The combination of path and method is unique. */
export interface PlacedOperation {
  readonly documented: DocumentedOperation
  /** The document's path for the route. */
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
 * @param canonical The document's path for each route path.
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

/**
 * Reports two routes with the same template. The router distinguishes `/files/:name` from `/files/*rest`, but OpenAPI
 * does not.
 */
function indistinct({ name, path, method }: RouteModel, template: string): Problem {
  return {
    code: 'W_PATH_INDISTINCT',
    subject: name,
    cause: `OpenAPI cannot distinguish ${method} ${path} from another route with the template ${template}, so this route is not in the document.`,
    remedy: 'Change the path of one of the routes, or hide it: @ApiHidden().',
  }
}

/**
 * Converts a path to a template: `/users/:id/*rest` becomes `/users/{id}/{rest}`. Literals are percent-encoded as in
 * URLs.
 */
export function pathTemplate(path: string): string {
  return writePath(path, (name) => `{${name}}`)
}

/**
 * Maps each route path to the document's path for it. OpenAPI treats two templates as identical if they differ only in
 * parameter names (3.0.3, 4.7.8.1). All such paths use the parameter names of the first path.
 */
export function canonicalPaths(routes: readonly RouteModel[]): ReadonlyMap<string, string> {
  const first = new Map<string, string>()
  const canonical = new Map<string, string>()
  for (const { path } of routes) {
    const shape = writePath(path, () => '{}')
    if (!first.has(shape)) first.set(shape, path)
    canonical.set(path, first.get(shape) as string)
  }
  return canonical
}
