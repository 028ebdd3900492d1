import type { BodyModel } from '../contracts/body.js'
import type { OpenApiMediaType, OpenApiRequestBody, OpenApiSchema } from '../contracts/openapi.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { Schema } from '../contracts/schema.js'
import type { UploadModel } from '../contracts/upload.js'
import { isBodyRequired, schemasOfBody } from '../schema/body-schemas.js'
import type { DocumentSchemas } from './document-schemas.js'
import type { SettledSchemas } from './schema-registry.js'

/** The schemas of the request body of a route: the schema of `@ApiBody`, else the schemas of `@Body`. */
export function bodySchemasOf(route: RouteModel): readonly Schema[] {
  const { body } = route.operation
  if (body !== null) return [body.schema]
  if (route.bodies === null) return schemasOfBody(route)
  return route.bodies.flatMap(({ type, schema }) =>
    schema === null || type === 'bytes' ? [] : [schema],
  )
}

/** The request body of an operation; `null` when the route describes none. */
export function buildRequestBody(
  route: RouteModel,
  schemas: DocumentSchemas,
): OpenApiRequestBody | null {
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

/** The content of a body whose `@Body` has options. The schema of `@ApiBody` describes all of them. */
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

/** The bodies of each type that are not validated. */
const RAW: Readonly<Record<BodyModel['type'], OpenApiSchema>> = {
  json: {},
  form: { type: 'object', additionalProperties: true },
  text: { type: 'string' },
  bytes: { type: 'string', format: 'binary' },
}

/** A body with files is `multipart/form-data`; every other body is JSON. */
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

/** A form of `@Upload`. Its files have the types and the sizes that the route accepts. */
function formContent(
  { files }: UploadModel,
  described: OpenApiSchema,
  schemas: DocumentSchemas,
): Readonly<Record<string, OpenApiMediaType>> {
  const encoding = Object.entries(files).flatMap(([name, { types }]) =>
    types === null ? [] : [[name, { contentType: types.join(', ') }]],
  )
  const sizes = Object.entries(files).map(([name, { maxBytes }]) => [name, maxBytes])
  // Beside the encoding and not in it: express-openapi-validator refuses documents with extensions there.
  const about = {
    ...(encoding.length > 0 && { encoding: Object.fromEntries(encoding) }),
    ...(sizes.length > 0 && { 'x-max-file-bytes': Object.fromEntries(sizes) }),
  }
  return { 'multipart/form-data': { schema: schemas.copy(described), ...about } }
}

/** The schema of the file, when a part of the form is a file or a list of files; else `null`. */
function fileOf(schema: OpenApiSchema, schemas: SettledSchemas): OpenApiSchema | null {
  const part = schemas.resolve(schema)
  if (part.format === 'binary') return part
  return typeof part.items === 'object' ? fileOf(part.items, schemas) : null
}
