/** The keywords that schemas of all versions of OpenAPI have in common. */
interface SchemaKeywords<S> {
  /** A reference to a component: `#/components/schemas/User`. Members beside it have no effect. */
  readonly $ref?: string
  /** A short name for human readers. */
  readonly title?: string
  /** A description of the value; CommonMark. */
  readonly description?: string
  /** A more exact name for the type, such as `date-time`, `uuid` or `int32`. */
  readonly format?: string
  /** The only values that are allowed. */
  readonly enum?: readonly unknown[]
  /** The number must be a multiple of this value. */
  readonly multipleOf?: number
  /** The minimum value. */
  readonly minimum?: number
  /** The maximum value. */
  readonly maximum?: number
  /** The minimum number of characters in a string. */
  readonly minLength?: number
  /** The maximum number of characters in a string. */
  readonly maxLength?: number
  /** A regular expression (ECMA-262) that a part of the string must match. */
  readonly pattern?: string
  /** The minimum number of items in an array. */
  readonly minItems?: number
  /** The maximum number of items in an array. */
  readonly maxItems?: number
  /** Whether all items of an array must be different. Default `false`. */
  readonly uniqueItems?: boolean
  /** The schemas of an object's properties, by name. */
  readonly properties?: Readonly<Record<string, S>>
  /** Names of the properties that an object must have. */
  readonly required?: readonly string[]
  /**
   * Whether an object can have properties that `properties` does not list, or the schema of such properties. Default
   * `true`.
   */
  readonly additionalProperties?: boolean | S
  /** The minimum number of properties. */
  readonly minProperties?: number
  /** The maximum number of properties. */
  readonly maxProperties?: number
  /** The value must be valid against all these schemas. */
  readonly allOf?: readonly S[]
  /** The value must be valid against at least one of these schemas. */
  readonly anyOf?: readonly S[]
  /** The value must be valid against exactly one of these schemas. */
  readonly oneOf?: readonly S[]
  /** The value must not be valid against this schema. */
  readonly not?: S
  /** Selects the schema of `oneOf` or `anyOf` that describes the value. */
  readonly discriminator?: {
    /** The property whose value selects the schema. */
    readonly propertyName: string
    /** The schema for each value of the property. Default: the component of the same name. */
    readonly mapping?: Readonly<Record<string, string>>
  }
  /** The value to use if none is sent. */
  readonly default?: unknown
  /** A value that is valid against the schema. From OpenAPI 3.1 on, documents contain `examples` instead. */
  readonly example?: unknown
  /** Whether clients should stop using the value. Default `false`. */
  readonly deprecated?: boolean
  /** Whether a property occurs only in responses. Default `false`. */
  readonly readOnly?: boolean
  /** Whether a property occurs only in requests. Default `false`. */
  readonly writeOnly?: boolean
  /** Documentation outside the document. */
  readonly externalDocs?: {
    /** The address of the documentation. */
    readonly url: string
    /** A description of the documentation; CommonMark. */
    readonly description?: string
  }
  readonly [extension: `x-${string}`]: unknown
}

/**
 * A Schema Object. In OpenAPI 3.0 it is a subset of JSON Schema, with a separate keyword for `null` (3.0.3, 4.7.24).
 * From 3.1 on it is JSON Schema 2020-12.
 */
export interface OpenApiSchema extends SchemaKeywords<OpenApiSchema> {
  /** The type of the value; a list allows several types (3.1). If omitted, every type is allowed. */
  readonly type?:
    | 'string'
    | 'number'
    | 'integer'
    | 'boolean'
    | 'array'
    | 'object'
    | 'null'
    | readonly ('string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null')[]
  /** OpenAPI 3.0: whether `null` is allowed. Has an effect only together with `type`. */
  readonly nullable?: boolean
  /** A number that the value must exceed; in 3.0, whether the value must exceed `minimum`. */
  readonly exclusiveMinimum?: boolean | number
  /** A number that the value must be less than; in 3.0, whether the value must be less than `maximum`. */
  readonly exclusiveMaximum?: boolean | number
  /** The schema of the array items that `prefixItems` does not describe. */
  readonly items?: OpenApiSchema | boolean
  /** The only value that is allowed (3.1, like all keywords below). */
  readonly const?: unknown
  /** Values that are valid against the schema. */
  readonly examples?: readonly unknown[]
  /** The schemas of the first items of an array, by position. */
  readonly prefixItems?: readonly OpenApiSchema[]
  /** The schema that at least one item of an array must match. */
  readonly contains?: OpenApiSchema
  /** The minimum number of items that match `contains`. Default 1. */
  readonly minContains?: number
  /** The maximum number of items that match `contains`. */
  readonly maxContains?: number
  /** The schema of items that no other keyword describes. */
  readonly unevaluatedItems?: OpenApiSchema | boolean
  /** The schemas of properties whose names match a regular expression. */
  readonly patternProperties?: Readonly<Record<string, OpenApiSchema>>
  /** The schema of property names. */
  readonly propertyNames?: OpenApiSchema
  /** The schema of properties that no other keyword describes. */
  readonly unevaluatedProperties?: OpenApiSchema | boolean
  /** The properties that an object must have if it has a certain property, by the name of that property. */
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>
  /** The schemas of objects that have a certain property, by the name of that property. */
  readonly dependentSchemas?: Readonly<Record<string, OpenApiSchema>>
  /** The condition that selects `then` or `else`. */
  readonly if?: OpenApiSchema
  /** The schema of values that match `if`. */
  readonly then?: OpenApiSchema
  /** The schema of values that do not match `if`. */
  readonly else?: OpenApiSchema
  /** How a string encodes bytes: `base64`. */
  readonly contentEncoding?: string
  /** The media type of the content of a string. */
  readonly contentMediaType?: string
  /** The schema of the content of a string. */
  readonly contentSchema?: OpenApiSchema
}

/** A schema with the keywords of OpenAPI 3.0 only. */
export interface OpenApi30Schema extends SchemaKeywords<OpenApi30Schema> {
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object'
  readonly nullable?: boolean
  readonly exclusiveMinimum?: boolean
  readonly exclusiveMaximum?: boolean
  readonly items?: OpenApi30Schema
  /**
   * The schemas of a tuple's positions, in documents that `lowerDocument` has converted; not a 3.0 keyword. `items`
   * describes all positions.
   */
  readonly prefixItems?: readonly OpenApi30Schema[]
}
