import type { HttpMethod, RouteModel } from './route-model.js'
import type { JsonSchema } from './schema.js'

/** A Schema Object (OpenAPI 3.0.3, 4.7.24): a subset of JSON Schema, with a keyword of its own for `null`. */
export interface OpenApiSchema {
  readonly $ref?: string
  readonly title?: string
  readonly description?: string
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object'
  readonly format?: string
  /** Whether `null` is allowed. Has an effect only together with `type`. */
  readonly nullable?: boolean
  readonly enum?: readonly unknown[]
  readonly multipleOf?: number
  readonly minimum?: number
  readonly exclusiveMinimum?: boolean
  readonly maximum?: number
  readonly exclusiveMaximum?: boolean
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly items?: OpenApiSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly properties?: Readonly<Record<string, OpenApiSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | OpenApiSchema
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly allOf?: readonly OpenApiSchema[]
  readonly anyOf?: readonly OpenApiSchema[]
  readonly oneOf?: readonly OpenApiSchema[]
  readonly not?: OpenApiSchema
  readonly discriminator?: {
    readonly propertyName: string
    readonly mapping?: Readonly<Record<string, string>>
  }
  readonly default?: unknown
  readonly example?: unknown
  readonly deprecated?: boolean
  readonly readOnly?: boolean
  readonly writeOnly?: boolean
  readonly externalDocs?: { readonly url: string; readonly description?: string }
  readonly [extension: `x-${string}`]: unknown
}

/** `#/components/…` */
export interface Reference {
  readonly $ref: string
}

/** A Parameter Object (4.7.12). */
export interface OpenApiParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description?: string
  readonly required?: boolean
  readonly deprecated?: boolean
  readonly style?: 'simple' | 'form' | 'deepObject'
  readonly explode?: boolean
  readonly schema: OpenApiSchema
  readonly example?: unknown
}

/** A Header Object (4.7.21). */
export interface OpenApiHeader {
  readonly description?: string
  readonly required?: boolean
  readonly schema: OpenApiSchema
}

/** A Media Type Object (4.7.14). */
export interface OpenApiMediaType {
  readonly schema: OpenApiSchema
  readonly example?: unknown
  readonly encoding?: Readonly<Record<string, { readonly contentType?: string }>>
}

/** A Request Body Object (4.7.13). */
export interface OpenApiRequestBody {
  readonly description?: string
  readonly content: Readonly<Record<string, OpenApiMediaType>>
  readonly required?: boolean
}

/** A Response Object (4.7.17). */
export interface OpenApiResponse {
  readonly description: string
  readonly headers?: Readonly<Record<string, OpenApiHeader>>
  readonly content?: Readonly<Record<string, OpenApiMediaType>>
}

/** Names of the security schemes that a request must meet all at once. The items of a list are alternatives. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>

/** An Operation Object (4.7.10). */
export interface OpenApiOperation {
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly operationId?: string
  readonly deprecated?: boolean
  readonly parameters?: readonly OpenApiParameter[]
  readonly requestBody?: OpenApiRequestBody
  /** Responses by status, or by `'2XX'` where only the class of the status is known. */
  readonly responses: Readonly<Record<string, OpenApiResponse | Reference>>
  readonly security?: readonly SecurityRequirement[]
}

/** The methods that a path item may have operations for. */
export type OpenApiMethod = Lowercase<Exclude<HttpMethod, 'ALL'>>

/** A Path Item Object (4.7.9). */
export type OpenApiPathItem = { readonly [M in OpenApiMethod]?: OpenApiOperation }

/** A Server Object (4.7.5). */
export interface OpenApiServer {
  readonly url: string
  readonly description?: string
}

/** A Tag Object (4.7.22). */
export interface OpenApiTag {
  readonly name: string
  readonly description?: string
}

/** An Info Object (4.7.2). */
export interface OpenApiInfo {
  readonly title: string
  readonly version: string
  readonly description?: string
  readonly termsOfService?: string
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string }
  readonly license?: { readonly name: string; readonly url?: string }
}

/** A Security Scheme Object (4.7.23). */
export interface OpenApiSecurityScheme {
  readonly type: 'http'
  readonly scheme: 'bearer'
  readonly bearerFormat?: string
  readonly description?: string
}

/** A Components Object (4.7.7). */
export interface OpenApiComponents {
  readonly schemas?: Readonly<Record<string, OpenApiSchema>>
  readonly responses?: Readonly<Record<string, OpenApiResponse>>
  readonly securitySchemes?: Readonly<Record<string, OpenApiSecurityScheme>>
}

/** The whole document (OpenAPI 3.0.3). */
export interface OpenApiDocument {
  readonly openapi: '3.0.3'
  readonly info: OpenApiInfo
  readonly servers: readonly OpenApiServer[]
  readonly security?: readonly SecurityRequirement[]
  readonly tags: readonly OpenApiTag[]
  readonly paths: Readonly<Record<string, OpenApiPathItem>>
  readonly components: OpenApiComponents
}

/**
 * Whether a schema describes what a client sends (`input`) or receives (`output`): they differ by defaults, coercion
 * and transforms.
 */
export type SchemaSide = 'input' | 'output'

/**
 * Converts a schema of one library to JSON Schema (draft 2020-12), where the library cannot do this itself.
 *
 * @example
 * const yupConverter: SchemaConverter = (schema) => convertSchema(schema)
 */
export type SchemaConverter = (
  schema: unknown,
  options: { readonly side: SchemaSide; readonly target: 'draft-2020-12' },
) => JsonSchema

/** Converters of libraries that cannot describe their schemas, by the `vendor` of a Standard Schema. */
export type SchemaConverters = Readonly<Record<string, SchemaConverter>>

/**
 * Returns what a feature adds to an operation because the feature may send a response. The document calls each
 * contributor for each route; `null` means that the route does not use the feature.
 */
export type OperationContributor = (route: RouteModel) => OperationAddition | null

/** See {@link OperationContributor}. */
export interface OperationAddition {
  readonly parameters?: readonly OpenApiParameter[]
  /** Statuses that the framework itself may send, in the error envelope. */
  readonly errors?: readonly number[]
}

/** A schema in the dialect of OpenAPI 3.0.3, and the schemas that it refers to. */
export interface DescribedSchema {
  /** References in it, and in `definitions`, are `#/components/schemas/<name of a definition>`. */
  readonly schema: OpenApiSchema
  readonly definitions: readonly SchemaDefinition[]
  /** The parts that the dialect cannot express, and what replaces them. */
  readonly losses: readonly SchemaLoss[]
}

/** A schema that others refer to. */
export interface SchemaDefinition {
  /** The name that the author gave it, or a name that is unique only in this {@link DescribedSchema}. */
  readonly name: string
  /** Whether the author named it (`$id`, `id`, `title`). */
  readonly isNamed: boolean
  readonly schema: OpenApiSchema
}

/** A part of a schema that became `{}` or less exact. */
export interface SchemaLoss {
  /** Dotted path from the root of the schema; empty for the root. */
  readonly path: string
  /** The cause, as a sentence. */
  readonly cause: string
  /** Default `W_SCHEMA_NOT_REPRESENTABLE`. */
  readonly code?: 'W_EXAMPLE_INVALID'
}
