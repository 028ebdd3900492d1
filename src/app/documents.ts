import type { Application } from 'express'
import type { FrameworkRoute } from '../contracts/framework-route.js'
import type { OpenApiDocument } from '../contracts/openapi.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import type { Schema } from '../contracts/schema.js'
import type { Problem } from '../errors/config-error.js'
import { buildDocs } from '../features/docs/build-docs.js'
import { type BuiltDocument, buildDocument } from '../openapi/build-document.js'
import { errorResponses } from '../pipeline/error-responses.js'
import { describeOnce } from '../schema/describe-once.js'
import { featureContributors, featureFacts } from './features.js'
import { ModelMemory } from './model-memory.js'
import type { Settings } from './settings/settings.js'

/** One document of an application. */
export interface AppDocument {
  /** Where its page is. */
  readonly path: string
  /** Whether it is served at all. */
  readonly isEnabled: boolean
  /** Built when it is first asked for. */
  readonly document: OpenApiDocument
  /** What is wrong or suspicious about it. */
  readonly problems: readonly Problem[]
}

const builtDocuments = new ModelMemory<BuiltDocument>()

/** The documents of an application; nothing is built before it is read. */
export function listDocuments(
  model: AppModel,
  settings: Settings,
  express: Application,
): readonly AppDocument[] {
  return settings.swagger.map((swagger) => {
    let built: BuiltDocument | undefined
    let document: OpenApiDocument | undefined
    const build = () => {
      const hasDeadline = settings.timeouts.handlerMs !== null
      const parsesNestedQuery = parsesNested(express)
      const features = featureFacts(settings)
      const key = keyOf(model, { swagger, hasDeadline, parsesNestedQuery, features })
      built ??= builtDocuments.get(model, key, () =>
        buildDocument(model, {
          settings: swagger,
          describeSchema: (schema, side) =>
            describeOnce(schema, { side, converters: swagger.converters }),
          contributors: [errorResponses({ hasDeadline }), ...featureContributors(settings)],
          parsesNestedQuery,
        }),
      )
      return built
    }
    return {
      path: swagger.path,
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

/** The pages of documents, and the documents themselves, as routes. */
export function buildDocsRoutes(served: readonly AppDocument[]): FrameworkRoute[] {
  if (served.length === 0) return []
  const documents = served.map((each) => ({
    path: each.path,
    document: () => each.document,
  }))
  return buildDocs({ documents, isProduction: process.env['NODE_ENV'] === 'production' })
}

/** A parser of the author's own may do anything; it is believed to do this. */
function parsesNested(express: Application): boolean {
  const parser: unknown = express.get('query parser')
  return parser === 'extended' || typeof parser === 'function'
}

/** What a document is built from beside the model, unless some of it may say something else the next time. */
function keyOf({ routes }: AppModel, facts: object): string | null {
  // A schema of a library does not change; JSON Schema is an object of the author's, and a function of the author's may do anything.
  let isConstant = routes.every(hasConstantSchemas)
  const key = JSON.stringify(facts, (_, value) => {
    if (typeof value === 'function') isConstant = false
    return value
  })
  return isConstant ? key : null
}

function hasConstantSchemas({ inputs, operation }: RouteModel): boolean {
  const { body, params, query, headers } = inputs
  return (
    isConstantSchema(body) &&
    isConstantSchema(params) &&
    isConstantSchema(query) &&
    isConstantSchema(headers) &&
    isConstantSchema(operation.body?.schema) &&
    operation.responses.every(({ schema }) => isConstantSchema(schema))
  )
}

/** Where there is none, there is nothing to change. */
function isConstantSchema(schema: Schema | null | undefined): boolean {
  return schema == null || '~standard' in schema
}
