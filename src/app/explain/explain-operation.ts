import type { Application } from 'express'
import type { OpenApiOperation, OpenApiResponse } from '../../contracts/openapi.js'
import type { Plugin } from '../../contracts/plugin.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { Schema } from '../../contracts/schema.js'
import { schemasOfBody } from '../../schema/body-schemas.js'
import { describeOnce } from '../../schema/describe-once.js'
import { buildAppDocument } from '../documents.js'
import type { ReadApp } from './explain-steps.js'
import type { ExplainedInput, ExplainedPlugin, ExplainedResponse } from './explanation.js'
import { shortSchema } from './short-schema.js'

const PARTS = ['params', 'query', 'headers', 'cookies', 'body'] as const

/** The parts of a request that have a schema, in the order in which they are checked. */
export function explainInputs(
  route: RouteModel,
  { settings: { converters } }: ReadApp,
): ExplainedInput[] {
  return PARTS.flatMap((part) => {
    const schema = route.inputs[part]
    const schemas = part === 'body' ? schemasOfBody(route) : schema === null ? [] : [schema]
    return schemas.map((each): ExplainedInput => {
      const described = describeOnce(each, { side: 'input', converters })
      return { in: part, library: libraryOf(each), schema: shortSchema(described) }
    })
  })
}

function libraryOf(schema: Schema): string {
  return '~standard' in schema ? String(schema['~standard'].vendor) : 'JSON Schema'
}

/**
 * The responses of a route, as a document describes them. The document has this route only, so that the route may also
 * be one that no document of the application contains.
 */
export function explainResponses(
  route: RouteModel,
  { settings, model }: ReadApp,
  express: Application,
): ExplainedResponse[] {
  const [first] = settings.swagger
  if (first === undefined) return []
  const shown = { ...route, operation: { ...route.operation, isHidden: false } }
  const { include: _, ...swagger } = first
  const only = { ...model, routes: [shown] }
  const { paths, components } = buildAppDocument(only, { settings, swagger, express }).write()
  const [item = {}] = Object.values(paths)
  const [operation] = Object.values(item) as OpenApiOperation[]
  return Object.entries(operation?.responses ?? {}).map(([status, response]) => {
    const { description, headers = {} } = resolve(response, components.responses)
    return { status, description, headers: Object.keys(headers) }
  })
}

type Responses = Readonly<Record<string, OpenApiResponse>>

function resolve(
  response: OpenApiOperation['responses'][string],
  shared: Responses = {},
): OpenApiResponse {
  if (!('$ref' in response)) return response
  const name = response.$ref.slice(response.$ref.lastIndexOf('/') + 1)
  return shared[name] ?? { description: name }
}

/** What is known of the plugins before the application runs. Only `contract` is called. */
export function explainPlugins(route: RouteModel, plugins: readonly Plugin[]): ExplainedPlugin[] {
  return plugins.map((plugin) => ({
    name: plugin.name,
    mayAddSteps: plugin.steps !== undefined,
    contract: contractOf(plugin, route),
  }))
}

function contractOf(plugin: Plugin, route: RouteModel): ExplainedPlugin['contract'] {
  const contract = plugin.contract?.(route) ?? null
  if (contract === null) return null
  const { errors = [], responses = [], headers = {}, parameters = [] } = contract
  const { tags = [], security = {} } = contract
  return {
    errors,
    responses: responses.map(({ status }) => status),
    headers: Object.keys(headers),
    parameters: parameters.map(({ name, in: place }) => `${place} ${name}`),
    tags,
    security: Object.keys(security),
  }
}
