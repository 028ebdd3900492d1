import type { OpenApiDocument as AnyDocument } from '../../contracts/openapi.js'
import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiRequestBody,
  Reference,
} from '../../contracts/openapi-3-0.js'
import { lowerDocument } from '../../schema/dialect/rewrite-schema.js'
import { operationsIn } from '../../schema/path-item.js'
import { clientNames } from '../client/client-operation.js'
import { followReference, isReference } from '../component-reference.js'
import { breaking, type Change, compatible, type LocalChange } from './change.js'
import { compareOperations } from './compare-operations.js'
import { compareUnjudged } from './compare-unjudged.js'
import { type Pair, SchemaEquality } from './resolve-schema.js'

/**
 * Returns the changes from an older document to a newer document that matter to clients. Descriptions are ignored. The
 * changes are in the order of the older document; new operations come last. The documents can have different OpenAPI
 * versions.
 */
export function compareDocuments(older: AnyDocument, newest: AnyDocument): Change[] {
  const [base, current] = [lowerDocument(older), lowerDocument(newest)]
  const originals = [originalsOf(older), originalsOf(newest)] as const
  const [from, to] = [operationsOf(base), operationsOf(current)]
  const comparison = { base, current, equality: new SchemaEquality(base, current) }
  const names = [clientNames(base), clientNames(current)] as const
  const kept = [...from].flatMap(([key, { title, operation }]) => {
    const newer = to.get(key)
    if (newer === undefined) {
      return place(title, [breaking('operation-removed', '', 'The operation was removed.')])
    }
    const pair = { base: operation, current: newer.operation }
    const written = [originals[0].get(key), originals[1].get(key)] as const
    const methods = { base: names[0].get(title), current: names[1].get(newer.title) }
    return place(title, [
      ...compareMethods(methods, pair),
      ...compareOperations(pair, comparison),
      ...compareUnjudged(written, [older, newest]),
    ])
  })
  const fresh = [...to].filter(([key]) => !from.has(key))
  return [
    ...place('document', compareServers(base, current)),
    ...kept,
    ...fresh.flatMap(([, { title }]) =>
      place(title, [compatible('operation-added', '', 'The operation is new.')]),
    ),
  ]
}

/** Returns the operations in their original OpenAPI version, by the same keys as `operationsOf`. */
function originalsOf(document: AnyDocument): Map<string, unknown> {
  const lowered = operationsOf(document as OpenApiDocument)
  return new Map([...lowered].map(([key, { operation }]) => [key, operation]))
}

/**
 * Compares the client methods. A new operation or a changed tag can rename the method of an operation that keeps its
 * ID.
 */
function compareMethods(
  { base: from, current: to }: Pair<string | undefined>,
  { base, current }: Pair<OpenApiOperation>,
): LocalChange[] {
  const isSame = base.operationId !== undefined && base.operationId === current.operationId
  if (!isSame || from === to) return []
  const message = `The method of the generated client was ${from} and is now ${to}.`
  return [compatible('client-method-renamed', '', message)]
}

function compareServers(base: OpenApiDocument, current: OpenApiDocument): LocalChange[] {
  const urls = new Set((current.servers ?? []).map(({ url }) => url))
  return (base.servers ?? [])
    .filter(({ url }) => !urls.has(url))
    .map(({ url }) => breaking('server-removed', 'servers', `The server ${url} was removed.`))
}

function place(operation: string, changes: readonly LocalChange[]): Change[] {
  return changes.map(({ rule, isBreaking, location, message }) => ({
    rule,
    isBreaking,
    operation,
    // A schema at the root has no further step, so its location would otherwise end with the separator.
    location: location.replace(/ › $/, ''),
    message,
  }))
}

const METHODS = ['get', 'query', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const

/** An operation with its title. */
interface Placed {
  /** The title, such as `GET /users/{id}`. */
  readonly title: string
  readonly operation: OpenApiOperation
}

/** Parts that documents from other tools can have, but documents from this package never have. */
interface ForeignParts {
  readonly parameters?: readonly (OpenApiParameter | Reference)[]
  readonly requestBody?: OpenApiRequestBody | Reference
}

type Components = {
  readonly [K in 'parameters' | 'requestBodies']?: Readonly<Record<string, never>>
}

/**
 * Returns the operations by method and path, including the parameters of their path, with references to parameters and
 * bodies resolved. The keys omit the names of path parameters, because URLs do not contain them.
 */
function operationsOf(document: OpenApiDocument): Map<string, Placed> {
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
  // A parameter of the operation replaces the same parameter of the path (OpenAPI 3.0.3, 4.7.9.1).
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

/** Sorts path parameters by their position in the path, because they are compared by position. */
function inOrder(parameters: readonly OpenApiParameter[], path: string): OpenApiParameter[] {
  const names: readonly string[] = path.match(PARAMETER) ?? []
  const ofPath = parameters.filter((parameter) => parameter.in === 'path')
  const position = ({ name }: OpenApiParameter) => names.indexOf(`{${name}}`)
  ofPath.sort((a, b) => position(a) - position(b))
  return [...ofPath, ...parameters.filter((parameter) => parameter.in !== 'path')]
}
