import type * as Any from './openapi.js'

export type {
  OpenApiInfo,
  OpenApiMethod,
  OpenApiSecurityScheme,
  OpenApiTag,
  Reference,
  SecurityRequirement,
} from './openapi.js'

// The types of documents and descriptions whose schemas have only OpenAPI 3.0 keywords. Code that reads schemas imports
// its types from this file, because `lowerDocument` converts a document of any version to this form.

export type OpenApiSchema = Any.OpenApi30Schema
export type OpenApiParameter = Any.OpenApiParameter<OpenApiSchema>
export type OpenApiHeader = Any.OpenApiHeader<OpenApiSchema>
export type OpenApiMediaType = Any.OpenApiMediaType<OpenApiSchema>
export type OpenApiRequestBody = Any.OpenApiRequestBody<OpenApiSchema>
export type OpenApiResponse = Any.OpenApiResponse<OpenApiSchema>
export type OpenApiOperation = Any.OpenApiOperation<OpenApiSchema>
export type OpenApiComponents = Any.OpenApiComponents<OpenApiSchema>
export type OpenApiDocument = Any.OpenApiDocument<OpenApiSchema>
export type DescribedSchema = Any.DescribedSchema<OpenApiSchema>
export type SchemaDefinition = Any.SchemaDefinition<OpenApiSchema>
