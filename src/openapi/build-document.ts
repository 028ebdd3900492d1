import type {
  OpenApiDocument,
  OpenApiInfo,
  OpenApiServer,
  OpenApiTag,
  OperationContributor,
} from '../contracts/openapi.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import { ConfigError, type Problem } from '../errors/config-error.js'
import { invalid } from '../errors/invalid.js'
import { addSchemas } from './build-operation.js'
import { buildPaths } from './build-paths.js'
import { type DocumentSchemas, schemasOfDocument } from './document-schemas.js'
import { ERROR_BODIES, ERROR_SCHEMAS } from './envelopes.js'
import { type DocumentedOperation, listOperations } from './operations.js'
import { ownCopy } from './own-copy.js'
import { canonicalPaths } from './path-templates.js'
import { placeOperations } from './place-operations.js'
import { type DescribeSchema, SchemaRegistry } from './schema-registry.js'
import { sharedResponses } from './shared-responses.js'
import type { DocumentSettings } from './swagger-options.js'

/** What a document is built from beside the model. */
export interface DocumentConfig {
  readonly settings: DocumentSettings
  readonly describeSchema: DescribeSchema
  /** What features add to operations, in order. */
  readonly contributors: readonly OperationContributor[]
  /** Whether the query parser makes objects of `a[b]=1`. */
  readonly parsesNestedQuery: boolean
}

/** A document, and what is wrong or suspicious about it. */
export interface BuiltDocument {
  /** Writes the document, another one with every call: what boot must know is in the problems. */
  readonly write: () => OpenApiDocument
  readonly problems: readonly Problem[]
}

/**
 * Describes the routes of an application (specification sections 2.3 and 4.3). The same model gives the same
 * bytes: every list has an order of its own, and nothing of the machine or the time is in it.
 */
export function buildDocument(model: AppModel, config: DocumentConfig): BuiltDocument {
  const { settings, contributors, parsesNestedQuery } = config
  const listed = listOperations(model.routes)
  const operations = listed.operations.filter(
    ({ route }) => !route.operation.isHidden && isIncluded(route, settings),
  )
  const registry = new SchemaRegistry(config.describeSchema, ERROR_SCHEMAS)
  for (const operation of operations) addSchemas(operation, registry)
  const settled = registry.settle()
  const { placed, problems } = placeOperations(operations, canonicalPaths(model.routes), {
    schemas: settled,
    parsesNestedQuery,
  })
  const { hasGuard } = model
  // Tools that resolve references write into the document they are given, and must write into no other.
  const write = (): OpenApiDocument => {
    const schemas = schemasOfDocument(settled)
    const paths = buildPaths(placed, { schemas, contributors, hasGuard })
    return {
      openapi: '3.0.3',
      info: ownCopy(infoOf(settings)),
      servers: serversOf(settings),
      // Nothing is secured but what says so itself, and tools want to hear it.
      security: [],
      tags: ownCopy(tagsOf(operations, settings)),
      paths,
      components: buildComponents(paths, schemas, hasGuard),
    }
  }
  return { write, problems: [...listed.problems, ...registry.problems, ...problems] }
}

function serversOf({ servers, path }: DocumentSettings): readonly OpenApiServer[] {
  if (servers !== undefined) return ownCopy(servers)
  return [{ url: rootFrom(path), description: 'This server' }]
}

/** @throws ConfigError when the author's function throws, or does not decide: a promise would include everything. */
function isIncluded(route: RouteModel, { include }: DocumentSettings): boolean {
  if (include === undefined) return true
  let answer: unknown
  try {
    answer = include(route)
  } catch (error) {
    throw undecided(`It threw for ${route.name}: ${String(error)}`, error)
  }
  if (typeof answer === 'boolean') return answer
  throw undecided(`It returned a value of type ${typeof answer} for ${route.name}.`)
}

function undecided(cause: string, reason?: unknown): ConfigError {
  const remedy = 'Return true or false for every route, and no promise.'
  return new ConfigError([invalid('swagger.include', cause, remedy)], { cause: reason })
}

/**
 * The root of the application, as seen from its document: a relative server is resolved against that (4.7.5), so it
 * is right under every prefix, where `/` would be the root of the host.
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

/** Those of the options first, in their order; then the others in that of the controllers. */
function tagsOf(
  operations: readonly DocumentedOperation[],
  { tags: described = [] }: DocumentSettings,
): OpenApiTag[] {
  const used = new Set(operations.flatMap(({ route }) => route.operation.tags))
  for (const { name } of described) used.delete(name)
  return [...described, ...[...used].map((name) => ({ name }))]
}

/** Only what the paths lead to. */
function buildComponents(
  paths: OpenApiDocument['paths'],
  { note, components }: DocumentSchemas,
  hasGuard: boolean,
): OpenApiDocument['components'] {
  const responses = sharedResponses(Object.values(paths))
  if (Object.keys(paths).length > 0) ERROR_BODIES.forEach(note)
  const schemas = components()
  return {
    ...(Object.keys(schemas).length > 0 && { schemas }),
    ...(Object.keys(responses).length > 0 && { responses }),
    ...(hasGuard && { securitySchemes: { BearerAuth: { type: 'http', scheme: 'bearer' } } }),
  }
}
