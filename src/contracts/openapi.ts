import type { OpenApi30Schema, OpenApiSchema } from './openapi-schema.js'
import type { HttpMethod } from './route-model.js'
import type { JsonSchema } from './schema.js'

export type { OpenApi30Schema, OpenApiSchema }

/** A reference to a component. */
export interface Reference {
  /** The location in the document: `#/components/…`. */
  readonly $ref: string
}

/** A Parameter Object (4.7.12). */
export interface OpenApiParameter<S = OpenApiSchema> {
  /** The name of the parameter, case-sensitive except for a header. */
  readonly name: string
  /** The part of the request that contains the parameter. */
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  /** A description of the parameter; CommonMark. */
  readonly description?: string
  /** Whether a request must have the parameter. Always `true` in a path; default `false`. */
  readonly required?: boolean
  /** Whether clients should stop sending the parameter. Default `false`. */
  readonly deprecated?: boolean
  /** How a list or an object is written. Default `form` in a query, `simple` elsewhere. */
  readonly style?: 'simple' | 'form' | 'deepObject'
  /** Whether each item of a list, or property of an object, is a separate parameter. Default `true` with `form`. */
  readonly explode?: boolean
  /** The schema of the value. */
  readonly schema: S
  /** A value that is valid against the schema. */
  readonly example?: unknown
}

/** A Header Object (4.7.21). */
export interface OpenApiHeader<S = OpenApiSchema> {
  /** A description of the header; CommonMark. */
  readonly description?: string
  /** Whether every response of this kind has the header. Default `false`. */
  readonly required?: boolean
  /** The schema of the value. */
  readonly schema: S
}

/** A Media Type Object (4.7.14). */
export interface OpenApiMediaType<S = OpenApiSchema> {
  /** The schema of the body. */
  readonly schema: S
  /** A body that is valid against the schema. */
  readonly example?: unknown
  /** The schema of each item in a stream. OpenAPI 3.2 only; for events, the schema of the event fields. */
  readonly itemSchema?: S
  /** The schema of the items that a handler with `@Sse` or `@JsonLines` yields; in documents of all versions. */
  readonly 'x-item-schema'?: S
  /**
   * For a request: the maximum size of a body of this type in bytes, if it differs from the limit in the 413 response.
   */
  readonly 'x-max-body-bytes'?: number
  /** How the properties of a `multipart` body are sent, by property name. */
  readonly encoding?: Readonly<
    Record<
      string,
      {
        /** The media type of the part. Default: `text/plain` for a string, otherwise `application/json`. */
        readonly contentType?: string
      }
    >
  >
  /** For a form of `@Upload`: the maximum file size of each property, in bytes. */
  readonly 'x-max-file-bytes'?: Readonly<Record<string, number>>
}

/** A Request Body Object (4.7.13). */
export interface OpenApiRequestBody<S = OpenApiSchema> {
  /** A description of the body; CommonMark. */
  readonly description?: string
  /** The schemas of the body, by media type. */
  readonly content: Readonly<Record<string, OpenApiMediaType<S>>>
  /** Whether a request must have a body. Default `false`. */
  readonly required?: boolean
}

/** A Response Object (4.7.17). */
export interface OpenApiResponse<S = OpenApiSchema> {
  /** A description of the response; CommonMark. */
  readonly description: string
  /** Headers of the response, by name. */
  readonly headers?: Readonly<Record<string, OpenApiHeader<S> | Reference>>
  /** The schemas of the body, by media type. Default: the response has no body. */
  readonly content?: Readonly<Record<string, OpenApiMediaType<S>>>
  /**
   * For a 413: the maximum size of a request body, in bytes. It is an extension (4.9), because OpenAPI has no field for
   * this size.
   */
  readonly 'x-max-body-bytes'?: number
}

/** The names of security schemes, all of which a request must satisfy. A list of requirements contains alternatives. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>

/** An Operation Object (4.7.10). */
export interface OpenApiOperation<S = OpenApiSchema> {
  /** The tags, by which the documentation page groups operations. */
  readonly tags?: readonly string[]
  /** A short summary of the operation. */
  readonly summary?: string
  /** A description of the operation; CommonMark. */
  readonly description?: string
  /** A name that is unique in the document. Generated clients use this name for their functions. */
  readonly operationId?: string
  /** Whether clients should stop using the operation. Default `false`. */
  readonly deprecated?: boolean
  /** Parameters of the path, the query, the headers and the cookies. */
  readonly parameters?: readonly OpenApiParameter<S>[]
  /** The body of the request. Default: the operation has no request body. */
  readonly requestBody?: OpenApiRequestBody<S>
  /** Responses by status, or by `'2XX'` if only the status class is known. */
  readonly responses: Readonly<Record<string, OpenApiResponse<S> | Reference>>
  /**
   * Alternative security schemes. Default: the schemes of the document; an empty list means that no scheme is
   * required.
   */
  readonly security?: readonly SecurityRequirement[]
}

/** The methods for which a path item can contain operations. */
export type OpenApiMethod = Lowercase<Exclude<HttpMethod, 'ALL'>>

/** A Path Item Object (4.7.9). */
export type OpenApiPathItem<S = OpenApiSchema> = {
  readonly [M in OpenApiMethod]?: OpenApiOperation<S>
}

/** A Server Object (4.7.5). */
export interface OpenApiServer {
  /** Where the API is served: an absolute URL, or a URL relative to the document. */
  readonly url: string
  /** A description of the server; CommonMark. */
  readonly description?: string
}

/** A Tag Object (4.7.22). */
export interface OpenApiTag {
  /** The name of the tag, as used in operations. */
  readonly name: string
  /** A description of the tag; CommonMark. */
  readonly description?: string
  /** A short title for lists of tags. Requires OpenAPI 3.2, like the fields below. */
  readonly summary?: string
  /** The name of the parent tag. */
  readonly parent?: string
  /** The purpose of the tag: `nav`, `badge`, `audience`, or a custom value. */
  readonly kind?: string
}

/** An Info Object (4.7.2). */
export interface OpenApiInfo {
  /** The name of the API. */
  readonly title: string
  /** The version of the API, not of OpenAPI or the framework. */
  readonly version: string
  /** A description of the API; CommonMark. */
  readonly description?: string
  /** The URL of the terms of service. */
  readonly termsOfService?: string
  /** The contact for questions about the API. */
  readonly contact?: {
    /** The name of the person or organization. */
    readonly name?: string
    /** The URL of a page about the contact. */
    readonly url?: string
    /** The e-mail address. */
    readonly email?: string
  }
  /** The license of the API. */
  readonly license?: {
    /** The name of the license: `MIT`. */
    readonly name: string
    /** The URL of the license text. */
    readonly url?: string
  }
}

/** An OAuth Flow Object (4.7.29). */
export interface OpenApiOAuthFlow {
  /** For the flows `implicit` and `authorizationCode`: where the user logs in. */
  readonly authorizationUrl?: string
  /** For all flows except `implicit`: where clients obtain a token. */
  readonly tokenUrl?: string
  /** Where clients refresh a token. */
  readonly refreshUrl?: string
  /** Descriptions of the scopes, by name. */
  readonly scopes: Readonly<Record<string, string>>
}

/** A Security Scheme Object (4.7.27). */
export interface OpenApiSecurityScheme {
  /**
   * The kind of the scheme: HTTP authentication (RFC 9110, 11), a key in one part of the request, OAuth 2.0 (RFC 6749),
   * OpenID Connect Discovery, or a client certificate (`mutualTLS`, from OpenAPI 3.1 on).
   */
  readonly type: 'http' | 'apiKey' | 'oauth2' | 'openIdConnect' | 'mutualTLS'
  /** For type `http`: the scheme of the `Authorization` header, such as `bearer` (RFC 6750). */
  readonly scheme?: string
  /** For type `apiKey`: the part of the request that contains the key. */
  readonly in?: 'header' | 'query' | 'cookie'
  /** For type `apiKey`: the name of the header, of the parameter or of the cookie. */
  readonly name?: string
  /** For type `http`: the format of the token, for human readers: `JWT`. */
  readonly bearerFormat?: string
  /** For type `oauth2`: how clients obtain a token, by the name of the flow, such as `clientCredentials`. */
  readonly flows?: Readonly<Record<string, OpenApiOAuthFlow>>
  /** For type `openIdConnect`: the URL of the discovery document. */
  readonly openIdConnectUrl?: string
  /** How clients obtain a token; CommonMark. */
  readonly description?: string
}

/** A Components Object (4.7.7). */
export interface OpenApiComponents<S = OpenApiSchema> {
  /** Schemas to which other parts of the document refer, by name. */
  readonly schemas?: Readonly<Record<string, S>>
  /** Responses that operations refer to, by name. */
  readonly responses?: Readonly<Record<string, OpenApiResponse<S>>>
  /** Headers that responses refer to, by name. */
  readonly headers?: Readonly<Record<string, OpenApiHeader<S>>>
  /** Security schemes that operations refer to, by name. */
  readonly securitySchemes?: Readonly<Record<string, OpenApiSecurityScheme>>
}

/** The whole document. Section numbers in these types refer to OpenAPI 3.0.3. */
export interface OpenApiDocument<S = OpenApiSchema> {
  /** The OpenAPI version, from the option `swagger.openapi`. */
  readonly openapi: '3.0.3' | '3.1.2' | '3.2.0'
  /** Information about the API, such as its title and version. */
  readonly info: OpenApiInfo
  /** Where the API is served. */
  readonly servers: readonly OpenApiServer[]
  /** Alternative security requirements for operations without their own. */
  readonly security?: readonly SecurityRequirement[]
  /** The tags of the operations, in their order on the documentation page. */
  readonly tags: readonly OpenApiTag[]
  /** The operations, by path and method. */
  readonly paths: Readonly<Record<string, OpenApiPathItem<S>>>
  /** The components to which operations and schemas refer. */
  readonly components: OpenApiComponents<S>
  /**
   * The header in which clients specify the API version, and the version of this document. Present with the option
   * `versions`, unless the version is in the path.
   */
  readonly 'x-api-version'?: {
    /** The name of the header. */
    readonly header: string
    /** The version that this document describes. */
    readonly version: string
  }
  /** Additions of plugins, from `Plugin.document`. */
  readonly [extension: `x-${string}`]: unknown
}

/**
 * Whether a schema describes data that a client sends (`input`) or receives (`output`): these can differ because of
 * defaults, coercion and transforms.
 */
export type SchemaSide = 'input' | 'output'

/**
 * Converts a schema of one library to JSON Schema (draft 2020-12), if the library cannot do this itself.
 *
 * @example
 * const yupConverter: SchemaConverter = (schema) => convertSchema(schema)
 */
export type SchemaConverter = (
  schema: unknown,
  options: { readonly side: SchemaSide; readonly target: 'draft-2020-12' },
) => JsonSchema

/** Converters for libraries that cannot convert their schemas themselves, by the `vendor` of a Standard Schema. */
export type SchemaConverters = Readonly<Record<string, SchemaConverter>>

/** A schema for a document, and the schemas that it references. */
export interface DescribedSchema<S = OpenApiSchema> {
  /**
   * The schema. Its references, and the references in `definitions`, are `#/components/schemas/<name of a definition>`.
   */
  readonly schema: S
  readonly definitions: readonly SchemaDefinition<S>[]
  /** The parts that the dialect cannot express, or cannot express exactly. */
  readonly losses: readonly SchemaLoss[]
}

/** A schema that other schemas refer to. */
export interface SchemaDefinition<S = OpenApiSchema> {
  /** The name that the author chose, or a name that is unique only within this {@link DescribedSchema}. */
  readonly name: string
  /** Whether the author chose the name (`$id`, `id`, a key of `$defs`, `title`). */
  readonly isNamed: boolean
  readonly schema: S
}

/** A part of a schema that is `{}` or less exact in the document. */
export interface SchemaLoss {
  /** Dotted path from the root of the schema; empty for the root. */
  readonly path: string
  /** The cause, as a sentence. */
  readonly cause: string
  /** The code of the warning. Default `W_SCHEMA_NOT_REPRESENTABLE`. */
  readonly code?: 'W_EXAMPLE_INVALID'
}
