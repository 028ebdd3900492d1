import type { OpenApiMediaType, OpenApiRequestBody, OpenApiSchema } from '../contracts/openapi.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { Schema } from '../contracts/schema.js'
import type { DocumentSchemas } from './document-schemas.js'
import type { SettledSchemas } from './schema-registry.js'

/** The schema of the request body of a route: that of `@ApiBody`, else that of `@Body`. */
export function bodySchemaOf({ operation, inputs }: RouteModel): Schema | null {
  return operation.body?.schema ?? inputs.body
}

/** The request body of an operation; `null` when the route describes none. */
export function buildRequestBody(
  route: RouteModel,
  schemas: DocumentSchemas,
): OpenApiRequestBody | null {
  const source = bodySchemaOf(route)
  if (source === null) return null
  const { description, required = true } = route.operation.body ?? {}
  const schema = schemas.of(source, 'input')
  return {
    ...(description !== undefined && { description }),
    content: contentOf(schema, schemas),
    required,
  }
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

/** The schema of the file, when a part of the form is a file or a list of files; else `null`. */
function fileOf(schema: OpenApiSchema, schemas: SettledSchemas): OpenApiSchema | null {
  const part = schemas.resolve(schema)
  if (part.format === 'binary') return part
  return part.items === undefined ? null : fileOf(part.items, schemas)
}
