import type { Application } from 'express'
import type { OpenApiDocument, SchemaConverters } from '../contracts/openapi.js'
import type { FrameworkRoute } from '../contracts/plugin.js'
import type { ContractOf } from '../contracts/route-contract.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import type { Schema } from '../contracts/schema.js'
import type { Problem } from '../errors/config-error.js'
import { buildDocs } from '../features/docs/build-docs.js'
import { listVersions, routesIn } from '../model/versions.js'
import { type BuiltDocument, buildDocument } from '../openapi/build-document.js'
import type { DocumentWire } from '../openapi/shared-responses.js'
import type { DocumentSettings } from '../openapi/swagger-options.js'
import { errorResponses } from '../pipeline/error-responses.js'
import { KeyedSchema, ListSchema } from '../schema/composed-schemas.js'
import { describeKeptOnce, describeOnce } from '../schema/describe-schema.js'
import { markedSides, marksOfRoute } from '../schema/visibility/route-marks.js'
import { ModelMemory } from './compile-once.js'
import { featureFacts, routeContracts } from './features.js'
import type { Settings } from './settings/settings.js'

/** One OpenAPI document of an application. */
export interface AppDocument {
  /** The path of its page. */
  readonly path: string
  /** The API version of the document; `null` if the API has no versions. */
  readonly version: string | null
  /** All versions, with the paths of their pages. */
  readonly versions: readonly {
    /** The version of the API. */
    readonly name: string
    /** The path of the document's page. */
    readonly path: string
  }[]
  /** The version of OpenAPI. */
  readonly openapi: DocumentSettings['openapi']
  /** Whether the document and its page are served. */
  readonly isEnabled: boolean
  /** The document. It is built when it is first read. */
  readonly document: OpenApiDocument
  /** Errors and warnings about the document. */
  readonly problems: readonly Problem[]
}

const builtDocuments = new ModelMemory<BuiltDocument>()

/**
 * Lists the documents of an application. A document is built when its problems are first read, and written when the
 * document itself is first read.
 */
export function listDocuments(
  model: AppModel,
  settings: Settings,
  express: Application,
): readonly AppDocument[] {
  return settings.swagger
    .flatMap((each) => inVersions(each, model, settings))
    .map((versioned) => {
      const { swagger, version, versions } = versioned
      let built: BuiltDocument | undefined
      let document: OpenApiDocument | undefined
      const build = (): BuiltDocument => {
        if (built !== undefined) return built
        const key = keyOf(model, factsOf({ settings, swagger, express }))
        built = builtDocuments.get(model, key, () =>
          buildAppDocument(
            version === null ? model : { ...model, routes: routesIn(model.routes, version) },
            { settings, swagger, express },
          ),
        )
        return built
      }
      return {
        path: swagger.path,
        version,
        versions,
        openapi: swagger.openapi,
        isEnabled: swagger.isServed,
        get document() {
          document ??= build().write()
          return document
        },
        get problems() {
          return build().problems
        },
      }
    })
}

type VersionedDocument = Pick<AppDocument, 'version' | 'versions'> & {
  readonly swagger: DocumentSettings
}

/**
 * Lists one document for each version, or one document for an API without versions. The document of the default version
 * comes first and has the path of the option. Without a default version, the document of the last version takes this
 * place.
 */
function inVersions(
  swagger: DocumentSettings,
  { routes }: AppModel,
  { versions: by }: Settings,
): VersionedDocument[] {
  const names = listVersions(routes)
  if (by === null || names.length === 0) return [{ swagger, version: null, versions: [] }]
  const first = by.default ?? names.at(-1)
  const versions = names.map((name) => ({
    name,
    path: name === first ? swagger.path : `${swagger.path}/v${name}`,
  }))
  const own = versions.map(({ name, path }) => {
    const inHeader = by.header === null ? {} : { apiVersion: { header: by.header, version: name } }
    return {
      swagger: { ...swagger, path, version: name, ...inHeader },
      version: name,
      versions,
    }
  })
  return own.sort((a, b) => Number(b.version === first) - Number(a.version === first))
}

/** The parts of an application that its document depends on, besides the model. */
export interface DocumentParts {
  readonly settings: Settings
  /** The options of this document. */
  readonly swagger: DocumentSettings
  readonly express: Application
}

/** Builds a document of an application. */
export function buildAppDocument(
  model: AppModel,
  { settings, swagger, express }: DocumentParts,
): BuiltDocument {
  return buildDocument(model, {
    settings: swagger,
    describeSchema: (schema, side) => {
      const describe = swagger.openapi === '3.0' ? describeOnce : describeKeptOnce
      const { converters, audience } = swagger
      return describe(schema, { side, converters, audience })
    },
    guards: settings.auth.guards.map(({ document }) => document),
    contracts: [
      errorResponses(settings),
      visibilityContract(settings.converters),
      ...routeContracts(settings),
    ],
    extensions: settings.plugins.flatMap(({ document }) => document ?? []),
    parsesNestedQuery: parsesNested(express),
    wire: wireOf(settings),
    documented: settings.responses.documented,
    sendsRequestIds: settings.sendsRequestIds,
  })
}

function wireOf({
  envelope,
  errors: { wire: errors, validationStatus },
  limits,
}: Settings): DocumentWire {
  return { envelope, errors, validationStatus, bodyBytes: limits.bodyBytes }
}

/** Everything that `buildAppDocument` reads, except the model and its schemas. */
function factsOf({ settings, swagger, express }: DocumentParts): object {
  return {
    swagger,
    hasDeadline: settings.timeouts.handlerMs !== null,
    parsesNestedQuery: parsesNested(express),
    features: featureFacts(settings),
    hasCapacity: settings.capacity !== null,
    guards: settings.auth.guards.map(({ document }) => document),
    sendsRequestIds: settings.sendsRequestIds,
    ...constantsOf(wireOf(settings)),
    mayBlame: settings.plugins.some(({ explain }) => explain !== undefined),
    // A function can return a different value at each call, so a document that depends on a function is not cached.
    ofPlugins: settings.plugins.flatMap(({ contract, document }) =>
      [contract ?? [], document ?? []].flat(),
    ),
  }
}

/** Documents the 403 response to requests with a field that the caller is not allowed to send. */
function visibilityContract(converters: SchemaConverters): ContractOf {
  return (route) =>
    markedSides(marksOfRoute(route, converters))?.limitsRequests === true ? { errors: [403] } : null
}

/** Creates the routes of the documents and of their pages. */
export function buildDocsRoutes(served: readonly AppDocument[]): FrameworkRoute[] {
  if (served.length === 0) return []
  const documents = served.map((each) => ({
    path: each.path,
    openapi: each.openapi,
    versions: each.versions,
    document: () => each.document,
  }))
  return buildDocs({ documents, isProduction: process.env['NODE_ENV'] === 'production' })
}

/** Whether the query parser reads nested parameters. For a custom parser, nested parameters are assumed. */
function parsesNested(express: Application): boolean {
  const parser: unknown = express.get('query parser')
  return parser === 'extended' || typeof parser === 'function'
}

/**
 * A key for everything that the document depends on, except the model. `null` if any of these inputs can change between
 * two builds.
 */
function keyOf({ routes }: AppModel, facts: object): string | null {
  // A library schema does not change. But a JSON Schema is a plain object that the application can change, and a
  // function can return a different value at each call.
  let isConstant = routes.every(hasConstantSchemas)
  const key = JSON.stringify(facts, (_, value) => {
    if (typeof value === 'function') isConstant = false
    return value
  })
  return isConstant ? key : null
}

/** Replaces each custom format with one of its functions, so that `keyOf` returns `null`. */
function constantsOf({ envelope, errors, ...rest }: DocumentWire): object {
  return {
    ...rest,
    envelope: typeof envelope === 'object' ? envelope.schema : envelope,
    errors: typeof errors === 'object' ? errors.format : errors,
  }
}

function hasConstantSchemas({
  inputs,
  bodies,
  operation,
  envelope,
  stream,
  definedParameters,
}: RouteModel): boolean {
  const { body, params, query, headers, cookies } = inputs
  return (
    typeof envelope === 'boolean' &&
    isConstantSchema(body) &&
    (bodies ?? []).every(({ schema }) => isConstantSchema(schema)) &&
    isConstantSchema(params) &&
    isConstantSchema(query) &&
    isConstantSchema(headers) &&
    isConstantSchema(cookies) &&
    isConstantSchema(operation.body?.schema) &&
    (definedParameters ?? []).every(({ input }) => isConstantSchema(input)) &&
    operation.responses.every(({ schema }) => isConstantSchema(schema)) &&
    isConstantSchema(stream?.item)
  )
}

/** A missing schema cannot change. */
function isConstantSchema(schema: Schema | null | undefined): boolean {
  if (schema instanceof KeyedSchema) return Object.values(schema.entries).every(isConstantSchema)
  if (schema instanceof ListSchema) return isConstantSchema(schema.item)
  return schema == null || '~standard' in schema
}
