import type {
  OpenApiDocument,
  OpenApiHeader,
  OpenApiInfo,
  OpenApiOperation,
  OpenApiPathItem,
  OpenApiResponse,
  OpenApiServer,
  OpenApiTag,
  Reference,
} from '../contracts/openapi.js'
import type { ApiResponseOptions } from '../contracts/operation.js'
import type { Plugin } from '../contracts/plugin.js'
import type { ContractOf } from '../contracts/route-contract.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import { ConfigError, invalid, type Problem } from '../errors/config-error.js'
import { guardsOfRoute } from '../model/route-guards.js'
import { keepDocument } from '../schema/dialect/rewrite-schema.js'
import { operationsIn, withOlderQueries } from '../schema/path-item.js'
import {
  addErrorFormat,
  addSchemas,
  buildOperation,
  type OperationContext,
} from './build-operation.js'
import { type DocumentGuard, GUARD_NAME } from './document-guard.js'
import { type DocumentSchemas, schemasOfDocument } from './document-schemas.js'
import { ERROR_SCHEMAS, errorBodiesOf } from './envelopes.js'
import { type DocumentedOperation, listOperations } from './list-operations.js'
import { deepCopy } from './map-schema.js'
import { type ContractsOf, mergeContracts } from './merge-contracts.js'
import { pascalCase } from './naming.js'
import { canonicalPaths, type PlacedOperation, placeOperations } from './place-operations.js'
import { type DescribeSchema, SchemaRegistry } from './schema-registry.js'
import { type DocumentWire, SharedResponses } from './shared-responses.js'
import { type DocumentSettings, PATCHES } from './swagger-options.js'

/** The order in which OpenAPI lists the methods of a path (3.0.3, 4.7.9.1). */
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'query'] as const

/** Groups operations by path template. The paths are sorted. */
function buildPaths(
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

/** The configuration of {@link buildDocument}, in addition to the model. */
export interface DocumentConfig {
  readonly settings: DocumentSettings
  readonly describeSchema: DescribeSchema
  /** The application's guards, with the default guard first. */
  readonly guards: readonly DocumentGuard[]
  /** The contracts with which features and plugins extend operations, in order. */
  readonly contracts: readonly ContractOf[]
  /** The functions with which plugins add members to the document, in order. */
  readonly extensions: readonly NonNullable<Plugin['document']>[]
  /** Whether the query parser turns `a[b]=1` into an object. */
  readonly parsesNestedQuery: boolean
  /** The formats of request and response bodies. */
  readonly wire: DocumentWire
  /** The responses that the application documents for every route. */
  readonly documented: readonly ApiResponseOptions[]
  /** Whether every response has an `X-Request-Id`. */
  readonly sendsRequestIds: boolean
}

/** A document, with the errors and warnings from its construction. */
export interface BuiltDocument {
  /** Builds a new document object at each call. All problems are found before the first call. */
  readonly write: () => OpenApiDocument
  readonly problems: readonly Problem[]
}

/**
 * Describes the routes of an application. The same model always results in the same bytes: every list has a fixed
 * order, and the document does not depend on the machine or the time.
 */
export function buildDocument(model: AppModel, config: DocumentConfig): BuiltDocument {
  const { settings, guards, parsesNestedQuery, wire, documented, sendsRequestIds } = config
  const contractsOf = mergeContracts(config.contracts)
  const listed = listOperations(model.routes)
  const operations = listed.operations.filter(
    ({ route }) => !route.operation.isHidden && isIncluded(route, settings),
  )
  const registry = new SchemaRegistry(config.describeSchema, ERROR_SCHEMAS)
  if (typeof wire.errors === 'object') addErrorFormat(wire.errors, 'errors', registry)
  for (const operation of operations) {
    addSchemas(operation, contractsOf(operation.route), registry)
  }
  for (const extend of config.extensions) {
    extend((schema, place) => {
      registry.add({ schema, side: 'input', name: () => pascalCase(place), subject: place })
      return {}
    })
  }
  const settled = registry.settle()
  const { placed, problems } = placeOperations(operations, canonicalPaths(model.routes), {
    schemas: settled,
    parsesNestedQuery,
  })
  // Each call builds new objects. Tools that resolve references modify the document that they receive, and must not
  // modify any other document.
  const write = (): OpenApiDocument => {
    const schemas = schemasOfDocument(settled)
    const shared = new SharedResponses(wire, schemas)
    const { openapi, apiVersion } = settings
    const context = { schemas, contractsOf, guards, shared, documented, openapi }
    const paths = buildPaths(placed, context)
    const added = config.extensions.map((extend) =>
      extend((schema) => schemas.copy(schemas.of(schema, 'input'))),
    )
    const document: OpenApiDocument = {
      openapi: PATCHES[settings.openapi],
      info: deepCopy(infoOf(settings)),
      ...(apiVersion !== undefined && { 'x-api-version': apiVersion }),
      servers: serversOf(settings),
      // By default, operations are not secured. The empty list is necessary because some tools require the field.
      security: [],
      tags: deepCopy(tagsOf(operations, settings, contractsOf)),
      paths,
      components: buildComponents(paths, {
        schemas,
        shared,
        wire,
        securitySchemes: securitySchemes(operations, contractsOf, guards),
      }),
      ...Object.assign({}, ...added),
    }
    const whole = sendsRequestIds ? withRequestIds(document) : document
    const versioned = openapi === '3.2' ? whole : withOlderQueries(whole)
    return openapi === '3.0' ? versioned : keepDocument(versioned)
  }
  return { write, problems: [...listed.problems, ...registry.problems, ...problems] }
}

function serversOf({ servers, path }: DocumentSettings): readonly OpenApiServer[] {
  if (servers !== undefined) return deepCopy(servers)
  return [{ url: rootFrom(path), description: 'This server' }]
}

/**
 * Whether a document contains a route.
 *
 * @throws ConfigError if the author's `include` function throws or does not return a boolean. A promise is refused,
 * because it is truthy and would include every route.
 */
function isIncluded(route: RouteModel, { include }: DocumentSettings): boolean {
  if (include === undefined) return true
  let decision: unknown
  try {
    decision = include(route)
  } catch (error) {
    throw undecided(`It threw for ${route.name}: ${String(error)}`, error)
  }
  if (typeof decision === 'boolean') return decision
  throw undecided(`It returned a value of type ${typeof decision} for ${route.name}.`)
}

function undecided(cause: string, reason?: unknown): ConfigError {
  const remedy = 'Return true or false for every route, not a promise.'
  return new ConfigError([invalid('swagger.include', cause, remedy)], { cause: reason })
}

/**
 * Returns the application's root, relative to its document. Clients resolve a relative server URL against the
 * document's URL (OpenAPI 3.0.3, 4.7.5), so the result is valid under every path prefix. `/` would be the root of the
 * host.
 */
function rootFrom(path: string): string {
  const depth = path.split('/').filter(Boolean).length - 1
  return depth > 0 ? Array(depth).fill('..').join('/') : '.'
}

function infoOf(settings: DocumentSettings): OpenApiInfo {
  const { title, version, description, termsOfService, contact, license } = settings
  return {
    title,
    version,
    ...(description !== undefined && { description }),
    ...(termsOfService !== undefined && { termsOfService }),
    ...(contact !== undefined && { contact }),
    ...(license !== undefined && { license }),
  }
}

/** Returns the tags from the `tags` option in their order, then all other tags in the order of the controllers. */
function tagsOf(
  operations: readonly DocumentedOperation[],
  { tags: described = [] }: DocumentSettings,
  contractsOf: ContractsOf,
): OpenApiTag[] {
  const used = new Set(
    operations.flatMap(({ route }) => [...route.operation.tags, ...contractsOf(route).tags]),
  )
  for (const { name } of described) used.delete(name)
  return [...described, ...[...used].map((name) => ({ name }))]
}

type SecuritySchemes = NonNullable<OpenApiDocument['components']['securitySchemes']>

function securitySchemes(
  operations: readonly DocumentedOperation[],
  contractsOf: ContractsOf,
  guards: readonly DocumentGuard[],
): SecuritySchemes {
  const added = operations.flatMap(({ route }) => contractsOf(route).security)
  const accepted = new Set(operations.flatMap(({ route }) => guardsOfRoute(route, guards)))
  // The scheme of `auth.guard` is always included. The schemes of other guards are included only if these operations
  // use them.
  const named = guards.filter((guard) => guard.name === GUARD_NAME || accepted.has(guard))
  return {
    ...deepCopy(Object.fromEntries(named.map(({ name, scheme }) => [name, scheme]))),
    ...deepCopy(Object.fromEntries(added)),
  }
}

interface ComponentSources {
  readonly schemas: DocumentSchemas
  readonly shared: SharedResponses
  readonly securitySchemes: SecuritySchemes
  readonly wire: DocumentWire
}

/** Returns the components to which the paths refer, directly or through other components. */
function buildComponents(
  paths: OpenApiDocument['paths'],
  { schemas: all, shared, securitySchemes, wire }: ComponentSources,
): OpenApiDocument['components'] {
  const responses = shared.all(Object.values(paths))
  if (Object.keys(paths).length > 0) errorBodiesOf(wire.errors).forEach(all.note)
  const schemas = all.components()
  return {
    ...(Object.keys(schemas).length > 0 && { schemas }),
    ...(Object.keys(responses).length > 0 && { responses }),
    ...(Object.keys(securitySchemes).length > 0 && { securitySchemes }),
  }
}

const NAME = 'X-Request-Id'

const headers = (): Record<string, OpenApiHeader> => ({
  [NAME]: {
    description: 'The request ID. Logs and the `requestId` of an error contain the same ID.',
    required: true,
    schema: { type: 'string' },
  },
})

/** Adds the request ID header to every response, as a component. */
function withRequestIds(document: OpenApiDocument): OpenApiDocument {
  const { paths, components } = document
  if (Object.keys(paths).length === 0) return document
  const { responses } = components
  return {
    ...document,
    paths: mapValues(paths, withHeaderInPath),
    components: {
      ...components,
      ...(responses !== undefined && { responses: mapValues(responses, withHeader) }),
      headers: headers(),
    },
  }
}

function withHeaderInPath(item: OpenApiPathItem): OpenApiPathItem {
  return mapValues(operationsIn(item), (operation) => ({
    ...operation,
    responses: mapValues(operation.responses, (response) =>
      '$ref' in response ? response : withHeader(response),
    ),
  }))
}

/** Adds the header to a response. If the author describes the header, that description is used. */
function withHeader(response: OpenApiResponse): OpenApiResponse {
  const { description, headers: own = {}, ...rest } = response
  if (Object.keys(own).some((name) => name.toLowerCase() === NAME.toLowerCase())) return response
  const added: Record<string, Reference> = { [NAME]: { $ref: `#/components/headers/${NAME}` } }
  return { description, headers: { ...added, ...own }, ...rest }
}

function mapValues<T extends object>(
  values: T,
  change: (value: NonNullable<T[keyof T]>) => NonNullable<T[keyof T]>,
): T {
  const entries = Object.entries(values).map(([name, value]) => [name, change(value)])
  // The result has the same property names as `values`, which the type of `Object.fromEntries` cannot express.
  return Object.fromEntries(entries) as T
}
