import type { OpenApiDocument, OpenApiOperation, OpenApiSchema } from '../../contracts/openapi.js'
import type { AppModel, RouteModel } from '../../contracts/route-model.js'
import type { ErrorFormat } from '../../contracts/wire-format.js'
import { errorWireOf } from '../../errors/envelope.js'
import { versionHeaders } from '../../features/versions/read-version.js'
import { routesIn } from '../../model/versions.js'
import { ERROR_BODIES } from '../../openapi/envelopes.js'
import { listOperations } from '../../openapi/list-operations.js'
import { describeOnce } from '../../schema/describe-schema.js'
import { operationsIn } from '../../schema/path-item.js'
import { essenceOf } from '../../schema/response-shape.js'
import { createResponseCompiler, type FindMismatches } from '../../schema/response-validator.js'
import type { Settings } from '../settings/settings.js'

/** An operation of a document, and the name of its handler. */
export interface DocumentedOperation {
  readonly document: OpenApiDocument
  readonly operation: OpenApiOperation
  readonly operationId: string
  /** `GET /users/{id}`; with ` (version 2)` if a header specifies the version. */
  readonly name: string
  /** The handler: `UsersController.getById`. */
  readonly handler: string
  /** The headers that select the version of a request. Most operations have none. */
  readonly headers: Readonly<Record<string, string>>
  /** The route; `null` for a route of an Express router. */
  readonly route: RouteModel | null
  /** Whether success responses have the framework's envelope, except for statuses that are documented without it. */
  readonly hasEnvelope: boolean
  /** The bodies of error responses, documented or not. */
  readonly errors: ExpectedErrors
}

/** The model and the settings from which the operations of an application are read. */
export interface DescribedRoutes {
  readonly model: AppModel
  readonly settings: Pick<Settings, 'errors' | 'converters'>
  readonly documents: readonly {
    readonly document: OpenApiDocument
    readonly version: string | null
  }[]
}

/** Finds the operation of a route and a method; `undefined` if no document describes it. */
export type FindOperation = (index: number, method: string) => DocumentedOperation | undefined

/** Lists the operations of an application by route. */
export function documentedByRoute({
  model,
  settings,
  documents,
}: DescribedRoutes): ReadonlyMap<string, DocumentedOperation> {
  const versions = [...new Set(documents.map(({ version }) => version))]
  const entries = versions.flatMap((version) => {
    const own = documents.filter((each) => each.version === version)
    const byId = new Map(own.flatMap(({ document }) => operationsOf(document)).reverse())
    const routes = version === null ? model.routes : routesIn(model.routes, version)
    return listOperations(routes).operations.flatMap(({ route, method, operationId }) => {
      const found = byId.get(operationId)
      if (found === undefined) return []
      const documented: DocumentedOperation = {
        ...found,
        operationId,
        name: route.versionHeader === null ? found.name : `${found.name} (version ${version})`,
        handler: route.name,
        headers: versionHeaders(route),
        route,
        hasEnvelope: route.envelope === true,
        errors: expectedErrors(route, settings),
      }
      return [{ index: route.index, key: keyOf(route.index, method), documented }]
    })
  })
  const byRoute = new Map<string, DocumentedOperation>()
  // If a route is in every version, its first document has precedence.
  for (const { key, documented } of entries.sort((a, b) => a.index - b.index)) {
    if (!byRoute.has(key)) byRoute.set(key, documented)
  }
  return byRoute
}

/** Returns a function that finds operations in the result of {@link documentedByRoute}. */
export function operationFinder(byRoute: ReadonlyMap<string, DocumentedOperation>): FindOperation {
  return (index, method) => {
    const own = byRoute.get(keyOf(index, method))
    // Without a documented HEAD operation, HEAD runs the handler of GET.
    return own ?? (method === 'HEAD' ? byRoute.get(keyOf(index, 'get')) : undefined)
  }
}

function keyOf(index: number, method: string): string {
  return `${index} ${method.toLowerCase()}`
}

function operationsOf(document: OpenApiDocument) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(operationsIn(item)).map(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`
      return [operation.operationId as string, { document, operation, name }] as const
    }),
  )
}

const JSON_TYPE = 'application/json'
const PROBLEM = 'application/problem+json'

type Compile = (schema: OpenApiSchema) => FindMismatches

/** The bodies of an operation's error responses, whether the document lists their status or not. */
export interface ExpectedErrors {
  /** The media types, without parameters. */
  readonly types: readonly string[]
  /** Whether the format of the error responses is custom. */
  readonly isOwn: boolean
  /** The response status if a schema rejects the request. */
  readonly validationStatus: number
  /**
   * Returns the check for a body; `undefined` for a media type that no error response has.
   *
   * @param compile Compiles the framework's own schemas.
   */
  readonly find: (type: string, compile: Compile) => FindMismatches | undefined
}

/** Returns the bodies of a route's error responses. */
function expectedErrors(
  route: RouteModel,
  { errors, converters }: Pick<Settings, 'errors' | 'converters'>,
): ExpectedErrors {
  const { validationStatus } = errors
  const wire = errorWireOf(route, errors.wire)
  const [envelope, problem] = ERROR_BODIES
  if (typeof wire !== 'object') {
    const schemas: Record<string, OpenApiSchema> =
      wire === 'problem' ? { [PROBLEM]: problem } : { [JSON_TYPE]: envelope, [PROBLEM]: problem }
    const find = (type: string, compile: Compile) => {
      // With negotiation, a body of any other JSON type is compared with the envelope, and every difference is
      // reported.
      const schema = schemas[type] ?? schemas[JSON_TYPE]
      return schema && compile(schema)
    }
    return { types: Object.keys(schemas), isOwn: false, validationStatus, find }
  }
  const type = essenceOf(wire.mediaType ?? JSON_TYPE)
  const check = checkOf(wire, converters)
  const find = (sent: string) => (sent === type ? check() : undefined)
  return { types: [type], isOwn: true, validationStatus, find }
}

/**
 * Compiles the schema of a format at the first error response. The definitions are read from the schema itself, because
 * the document can use other names for them.
 */
function checkOf(
  { schema }: ErrorFormat,
  converters: Pick<Settings, 'errors' | 'converters'>['converters'],
): () => FindMismatches {
  let check: FindMismatches | undefined
  return () => {
    if (check !== undefined) return check
    const { schema: described, definitions } = describeOnce(schema, { side: 'output', converters })
    const components = Object.fromEntries(definitions.map(({ name, schema: each }) => [name, each]))
    check = createResponseCompiler(components)(described)
    return check
  }
}
