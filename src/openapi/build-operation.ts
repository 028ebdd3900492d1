import type { BodyModel, UploadModel } from '../contracts/inputs.js'
import type {
  OpenApiMediaType,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiRequestBody,
  OpenApiSchema,
} from '../contracts/openapi.js'
import type { ContractParameter } from '../contracts/route-contract.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { Schema } from '../contracts/schema.js'
import type { ErrorFormat } from '../contracts/wire-format.js'
import { errorFormatOf } from '../errors/envelope.js'
import { guardsOfRoute } from '../model/route-guards.js'
import { isBodyRequired, schemasOfBody } from '../schema/body-schemas.js'
import type { DocumentGuard } from './document-guard.js'
import type { DocumentSchemas } from './document-schemas.js'
import type { DocumentedOperation } from './list-operations.js'
import type { ContractsOf, MergedContract } from './merge-contracts.js'
import { handlerName, pascalCase, titleCase } from './naming.js'
import { buildParameters, liftFromSchema } from './parameters.js'
import { pathTemplate } from './place-operations.js'
import { buildResponses, type ResponseContext } from './responses.js'
import type { SchemaRegistry, SettledSchemas } from './schema-registry.js'

/** Values that all operations of a document share. */
export interface OperationContext extends ResponseContext {
  /** The additions of features and plugins to operations. */
  readonly contractsOf: ContractsOf
  /** The application's guards; empty if there are none. */
  readonly guards: readonly DocumentGuard[]
}

/** Adds every schema that the document will contain for an operation to the registry. */
export function addSchemas(
  { route, operationId }: DocumentedOperation,
  contract: MergedContract,
  registry: SchemaRegistry,
): void {
  const { params, query, headers, cookies } = route.inputs
  const addInput = (schema: Schema | null, part: string): void => {
    if (schema === null) return
    const name = () => pascalCase(operationId) + part
    registry.add({ schema, side: 'input', name, subject: `${route.name} @${part}` })
  }
  bodySchemasOf(route).forEach((schema, index) => {
    addInput(schema, index === 0 ? 'Body' : `Body${index + 1}`)
  })
  addInput(params, 'Params')
  addInput(query, 'Query')
  addInput(headers, 'Headers')
  addInput(cookies, 'Cookies')
  for (const { definition, input } of route.definedParameters ?? []) {
    addInput(input, pascalCase(definition.place?.name ?? ''))
  }
  for (const { name, schema } of contract.parameters) addInput(schema, pascalCase(name))
  for (const [header, { schema }] of contract.headers) {
    const name = () => `${pascalCase(operationId)}Header${pascalCase(header)}`
    registry.add({ schema, side: 'output', name, subject: `${route.name} header ${header}` })
  }
  for (const { status, schema } of [...route.operation.responses, ...contract.responses]) {
    if (schema === undefined) continue
    const name = () => `${pascalCase(operationId)}Response${status}`
    const subject = `${route.name} @ApiResponseDoc(${status})`
    registry.add({ schema, side: 'output', name, subject })
  }
  if (route.stream !== null) {
    const name = () => `${pascalCase(operationId)}Item`
    const subject = `${route.name} items`
    registry.add({ schema: route.stream.item, side: 'output', name, subject })
  }
  const format = errorFormatOf(route)
  if (format !== undefined) addErrorFormat(format, `${route.name} @Envelope`, registry)
}

/** Adds the schemas of the error format. The names of their unnamed parts begin with `Error`. */
export function addErrorFormat(
  { schema }: ErrorFormat,
  subject: string,
  registry: SchemaRegistry,
): void {
  registry.add({ schema, side: 'output', name: () => 'Error', subject })
}

/**
 * Describes one operation. The returned objects are not shared with any other document.
 *
 * @param path The document's path for the route.
 */
export function buildOperation(
  documented: DocumentedOperation,
  path: string,
  context: OperationContext,
): OpenApiOperation {
  const { route, operationId } = documented
  // A name without letters or digits, such as `$`, does not result in a title.
  const inferred =
    titleCase(handlerName(route)) || `${documented.method.toUpperCase()} ${pathTemplate(path)}`
  const { summary = inferred, ...stated } = route.operation.operation
  const contract = context.contractsOf(route)
  const own = buildParameters(route, path, context.schemas)
  const added = contract.parameters.map((each) => addedParameter(each, context.schemas))
  const parameters = added.length === 0 ? own : own.concat(added.filter(newTo(own)))
  const requestBody = buildRequestBody(route, context.schemas)
  return {
    tags: [...new Set([...route.operation.tags, ...contract.tags])],
    summary,
    description: stated.description ?? summary,
    operationId,
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody !== null && { requestBody }),
    responses: buildResponses(documented, contract, context),
    ...((stated.deprecated ?? contract.isDeprecated) && { deprecated: true }),
    ...securityOf(route, contract, context),
  }
}

/**
 * Returns the security alternatives of an operation: one for each guard. With optional authentication, a request
 * without credentials is an additional alternative.
 */
function securityOf(
  route: RouteModel,
  { security }: MergedContract,
  { guards }: OperationContext,
): Pick<OpenApiOperation, 'security'> {
  const added = security.map(([name]) => [name, []] as const)
  const accepted = guardsOfRoute(route, guards)
  const alternatives = [
    ...accepted.map((guard) => [[guard.name, scopesOf(guard, route)] as const, ...added]),
    ...(guards.length > 0 && route.isProtected ? [] : [added]),
  ]
  // A single empty requirement has no meaning. Together with others, it means requests without credentials (OpenAPI
  // 3.0.3, 4.7.10).
  if (alternatives.every((names) => names.length === 0)) return {}
  return { security: alternatives.map((entries) => Object.fromEntries(entries)) }
}

/**
 * Returns a guard's scopes for a route. Only `oauth2` and `openIdConnect` schemes support scopes in every version of
 * OpenAPI (3.0.3, 4.7.30).
 */
function scopesOf({ scheme, scopes }: DocumentGuard, route: RouteModel): readonly string[] {
  const hasScopes = scheme.type === 'oauth2' || scheme.type === 'openIdConnect'
  return hasScopes && scopes !== null ? [...new Set(scopes(route))] : []
}

function addedParameter(
  { name, in: place, required, schema, description }: ContractParameter,
  schemas: DocumentSchemas,
): OpenApiParameter {
  const lifted = liftFromSchema(schemas.of(schema, 'input'), schemas)
  const text = description ?? lifted.description
  return {
    name,
    in: place,
    ...(text !== undefined && { description: text }),
    ...(required === true && { required: true }),
    ...(lifted.deprecated === true && { deprecated: true }),
    schema: lifted.schema,
  }
}

/**
 * Returns a filter for parameters that are not described yet. If both the author and a feature describe a parameter,
 * the author's description is used. If two plugins describe it, the first description is used. Header names are
 * case-insensitive.
 */
function newTo(stated: readonly OpenApiParameter[]): (added: OpenApiParameter) => boolean {
  const keyOf = ({ name, in: place }: OpenApiParameter) =>
    `${place} ${place === 'header' ? name.toLowerCase() : name}`
  const keys = new Set(stated.map(keyOf))
  return (added) => {
    const { size } = keys
    return keys.add(keyOf(added)).size > size
  }
}

/** Returns the schemas of a route's request body: the schema of `@ApiBody`, otherwise the schemas of `@Body`. */
function bodySchemasOf(route: RouteModel): readonly Schema[] {
  const { body } = route.operation
  if (body !== null) return [body.schema]
  if (route.bodies === null) return schemasOfBody(route)
  return route.bodies.flatMap(({ type, schema }) =>
    schema === null || type === 'bytes' ? [] : [schema],
  )
}

/** Returns the request body of an operation; `null` if the route does not describe one. */
function buildRequestBody(route: RouteModel, schemas: DocumentSchemas): OpenApiRequestBody | null {
  const { body: stated } = route.operation
  const description = stated?.description
  const about = { ...(description !== undefined && { description }) }
  if (route.bodies !== null) {
    const of = (body: BodyModel) => typedContent(body, route, schemas)
    const content = Object.assign({}, ...route.bodies.map(of))
    return { ...about, content, required: isBodyRequired(route) }
  }
  const source = stated?.schema ?? route.inputs.body
  if (source === null) return null
  const content =
    route.upload === null
      ? contentOf(schemas.of(source, 'input'), schemas)
      : formContent(route.upload, schemas.of(source, 'input'), schemas)
  return { ...about, content, required: isBodyRequired(route) }
}

/**
 * Returns the content of a body whose `@Body` has options. The schema in `@ApiBody` applies to all of the body's media
 * types.
 */
function typedContent(
  { type, contentTypes, schema, maxBytes }: BodyModel,
  { operation, limits }: RouteModel,
  schemas: DocumentSchemas,
): Readonly<Record<string, OpenApiMediaType>> {
  const source = operation.body?.schema ?? (type === 'bytes' ? null : schema)
  const limit =
    maxBytes === null || maxBytes === limits?.bodyBytes ? {} : { 'x-max-body-bytes': maxBytes }
  return Object.fromEntries(
    contentTypes.map((contentType) => {
      const described = source === null ? RAW[type] : schemas.of(source, 'input')
      return [contentType, { ...limit, schema: schemas.copy(described) }]
    }),
  )
}

/** The schemas for bodies that are not validated, by type. */
const RAW: Readonly<Record<BodyModel['type'], OpenApiSchema>> = {
  json: {},
  form: { type: 'object', additionalProperties: true },
  text: { type: 'string' },
  bytes: { type: 'string', format: 'binary' },
}

/** Returns the content of a request body. A body with files is `multipart/form-data`; every other body is JSON. */
function contentOf(
  described: OpenApiSchema,
  schemas: DocumentSchemas,
): Readonly<Record<string, OpenApiMediaType>> {
  const schema = schemas.copy(described)
  const { properties = {} } = schemas.resolve(described)
  const files: { name: string; contentType: unknown }[] = []
  for (const name of Object.keys(properties)) {
    const file = fileOf(properties[name] as OpenApiSchema, schemas)
    if (file !== null) files.push({ name, contentType: file['x-content-media-type'] })
  }
  if (files.length === 0) return { 'application/json': { schema } }
  const typed = files.filter(({ contentType }) => typeof contentType === 'string')
  if (typed.length === 0) return { 'multipart/form-data': { schema } }
  const encoding = typed.map(({ name, contentType }) => [
    name,
    { contentType: contentType as string },
  ])
  return { 'multipart/form-data': { schema, encoding: Object.fromEntries(encoding) } }
}

/**
 * Returns the content of an `@Upload` form. The description of a file includes the types and the sizes that the route
 * accepts.
 */
function formContent(
  { files }: UploadModel,
  described: OpenApiSchema,
  schemas: DocumentSchemas,
): Readonly<Record<string, OpenApiMediaType>> {
  const encoding = Object.entries(files).flatMap(([name, { types }]) =>
    types === null ? [] : [[name, { contentType: types.join(', ') }]],
  )
  const sizes = Object.entries(files).map(([name, { maxBytes }]) => [name, maxBytes])
  // The extension is placed beside the encoding, because express-openapi-validator rejects documents with extensions
  // inside the encoding.
  const about = {
    ...(encoding.length > 0 && { encoding: Object.fromEntries(encoding) }),
    ...(sizes.length > 0 && { 'x-max-file-bytes': Object.fromEntries(sizes) }),
  }
  return { 'multipart/form-data': { schema: schemas.copy(described), ...about } }
}

/** Returns the file schema if a part of the form is a file or a list of files; otherwise `null`. */
function fileOf(schema: OpenApiSchema, schemas: SettledSchemas): OpenApiSchema | null {
  const part = schemas.resolve(schema)
  if (part.format === 'binary') return part
  return typeof part.items === 'object' ? fileOf(part.items, schemas) : null
}
