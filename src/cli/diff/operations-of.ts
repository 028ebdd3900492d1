import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiRequestBody,
  Reference,
} from '../../contracts/openapi-3-0.js'
import { operationsIn } from '../../schema/path-item.js'
import { followReference, isReference } from '../component-reference.js'

const METHODS = ['get', 'query', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const

/** An operation with its title. */
export interface Placed {
  /** `GET /users/{id}` */
  readonly title: string
  readonly operation: OpenApiOperation
}

/** Parts that documents of other tools have, but no document of this package. */
interface ForeignParts {
  readonly parameters?: readonly (OpenApiParameter | Reference)[]
  readonly requestBody?: OpenApiRequestBody | Reference
}

type Components = {
  readonly [K in 'parameters' | 'requestBodies']?: Readonly<Record<string, never>>
}

/**
 * The operations by method and path, with the parameters of their path and without references to parameters and bodies.
 * The names of path parameters are not in the keys, because a URL does not contain them.
 */
export function operationsOf(document: OpenApiDocument): Map<string, Placed> {
  const operations = new Map<string, Placed>()
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = operationsIn(item)[method]
      const key = `${method} ${path.replace(PARAMETER, '{}')}`
      const title = `${method.toUpperCase()} ${path}`
      if (operation === undefined) continue
      operations.set(key, {
        title,
        operation: completed(operation, { path, item: item as object, document }),
      })
    }
  }
  return operations
}

const PARAMETER = /\{[^{}]*\}/g

interface Origin {
  readonly path: string
  readonly item: ForeignParts
  readonly document: OpenApiDocument
}

function completed(
  operation: Omit<OpenApiOperation, keyof ForeignParts> & ForeignParts,
  { path, item, document }: Origin,
): OpenApiOperation {
  const components = document.components as Components | undefined
  const { parameters, requestBody, ...others } = operation
  // A parameter of the operation replaces the same one of the path (OpenAPI 3.0.3, 4.7.9.1).
  const byPlace = new Map<string, OpenApiParameter>()
  for (const given of [...(item.parameters ?? []), ...(parameters ?? [])]) {
    const parameter = isReference(given)
      ? followReference(given.$ref, 'parameters', components?.parameters)
      : given
    if (parameter !== undefined) byPlace.set(`${parameter.in} ${parameter.name}`, parameter)
  }
  const body = isReference(requestBody)
    ? followReference(requestBody.$ref, 'requestBodies', components?.requestBodies)
    : requestBody
  return {
    ...others,
    ...(byPlace.size > 0 && { parameters: inOrder([...byPlace.values()], path) }),
    ...(body !== undefined && { requestBody: body }),
  }
}

/** Path parameters are compared by their position in the path. */
function inOrder(parameters: readonly OpenApiParameter[], path: string): OpenApiParameter[] {
  const names: readonly string[] = path.match(PARAMETER) ?? []
  const ofPath = parameters.filter((parameter) => parameter.in === 'path')
  const position = ({ name }: OpenApiParameter) => names.indexOf(`{${name}}`)
  ofPath.sort((a, b) => position(a) - position(b))
  return [...ofPath, ...parameters.filter((parameter) => parameter.in !== 'path')]
}
