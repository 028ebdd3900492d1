/** A Schema Object (OpenAPI 3.0.3, 4.7.24): a subset of JSON Schema, with a keyword of its own for `null`. */
export interface OpenApiSchema {
  /** A reference to a component: `#/components/schemas/User`. Members beside it have no effect. */
  readonly $ref?: string
  /** A short name for people. */
  readonly title?: string
  /** A description of the value; CommonMark. */
  readonly description?: string
  /** The type of the value. Without it, every type is allowed. */
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object'
  /** A more exact name for the type, such as `date-time`, `uuid` or `int32`. */
  readonly format?: string
  /** Whether `null` is allowed. Has an effect only together with `type`. */
  readonly nullable?: boolean
  /** The only values that are allowed. */
  readonly enum?: readonly unknown[]
  /** A number must be a multiple of this one. */
  readonly multipleOf?: number
  /** The least number that is allowed. */
  readonly minimum?: number
  /** Whether a number must be greater than `minimum`, and not equal to it. Default `false`. */
  readonly exclusiveMinimum?: boolean
  /** The greatest number that is allowed. */
  readonly maximum?: number
  /** Whether a number must be less than `maximum`, and not equal to it. Default `false`. */
  readonly exclusiveMaximum?: boolean
  /** The least number of characters of a string. */
  readonly minLength?: number
  /** The greatest number of characters of a string. */
  readonly maxLength?: number
  /** A regular expression (ECMA-262) that a string must match somewhere. */
  readonly pattern?: string
  /** The schema of every item of an array. */
  readonly items?: OpenApiSchema
  /** The least number of items of an array. */
  readonly minItems?: number
  /** The greatest number of items of an array. */
  readonly maxItems?: number
  /** Whether no two items of an array may be equal. Default `false`. */
  readonly uniqueItems?: boolean
  /** The schemas of an object's properties, by name. */
  readonly properties?: Readonly<Record<string, OpenApiSchema>>
  /** Names of the properties that an object must have. */
  readonly required?: readonly string[]
  /**
   * Whether an object may have properties that `properties` does not name, or their schema. Default
   * `true`.
   */
  readonly additionalProperties?: boolean | OpenApiSchema
  /** The least number of properties of an object. */
  readonly minProperties?: number
  /** The greatest number of properties of an object. */
  readonly maxProperties?: number
  /** The value must be valid against every one of these schemas. */
  readonly allOf?: readonly OpenApiSchema[]
  /** The value must be valid against one of these schemas at least. */
  readonly anyOf?: readonly OpenApiSchema[]
  /** The value must be valid against exactly one of these schemas. */
  readonly oneOf?: readonly OpenApiSchema[]
  /** The value must not be valid against this schema. */
  readonly not?: OpenApiSchema
  /** Selects the schema of `oneOf` or `anyOf` that describes the value. */
  readonly discriminator?: {
    /** The property of the value whose text names the schema. */
    readonly propertyName: string
    /** The schema for each text. Default: the component of the same name. */
    readonly mapping?: Readonly<Record<string, string>>
  }
  /** The value that replaces a missing one. */
  readonly default?: unknown
  /** A value that is valid against the schema. */
  readonly example?: unknown
  /** Whether clients should stop using the value. Default `false`. */
  readonly deprecated?: boolean
  /** Whether a property is in responses only. Default `false`. */
  readonly readOnly?: boolean
  /** Whether a property is in requests only. Default `false`. */
  readonly writeOnly?: boolean
  /** Documentation outside the document. */
  readonly externalDocs?: {
    /** The address of the documentation. */
    readonly url: string
    /** A description of that documentation; CommonMark. */
    readonly description?: string
  }
  readonly [extension: `x-${string}`]: unknown
}
