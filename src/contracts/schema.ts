import type { StandardSchemaV1 } from '@standard-schema/spec'

/** The parts of a request that a schema can describe. */
export type InputSource = 'body' | 'params' | 'query' | 'headers' | 'cookies'

/** A plain JSON Schema object, such as a TypeBox schema. A class (a DTO) is not accepted. */
export type JsonSchema = {
  // biome-ignore lint/suspicious/noExplicitAny: TypeBox declares interfaces, which are assignable only to an index signature of `any`
  readonly [keyword: string]: any
  /** Only classes have this property, so the compiler does not accept a class as a schema. */
  readonly prototype?: never
}

/**
 * The schemas that `@Body`, `@Params`, `@Query`, `@Headers` and `@Cookies` accept: any Standard Schema (zod 4, valibot,
 * arktype, …) or a JSON Schema object (TypeBox included).
 *
 * @see https://standardschema.dev
 */
export type Schema = StandardSchemaV1 | JsonSchema

/**
 * The value that a handler receives after `S` has validated and coerced the input and filled in defaults. The type of
 * a JSON Schema is inferred if its literal type is known (TypeBox, or `as const`); otherwise it is `any`.
 *
 * @example
 * const CreateUser = z.object({ name: z.string(), age: z.coerce.number().default(0) })
 * type Input = InferOutput<typeof CreateUser> // { name: string; age: number }
 */
export type InferOutput<S> = S extends ZodSchema
  ? S['_zod']['output']
  : S extends StandardSchemaV1<unknown, infer TOutput>
    ? TOutput
    : InferJsonSchema<S>

/**
 * A zod schema. Its output type is read from this member, because the compiler then needs only a third of the
 * instantiations that the type of Standard Schema requires.
 */
interface ZodSchema {
  readonly _zod: { readonly output: unknown }
}

// biome-ignore-start lint/suspicious/noExplicitAny: a handler must compile even if the type of a schema cannot be inferred

/**
 * Infers a type from the keywords that determine it: TypeBox's own phantom types, `const`, `enum`, `anyOf`, `oneOf`,
 * `allOf` and `type` with `items`, `prefixItems`, `properties`, `required`, `default`, `patternProperties` and
 * `additionalProperties`. A schema with other keywords (`$ref`, `not`, `if`) has the type `any`.
 */
export type InferJsonSchema<S> = S extends { readonly static: infer TStatic }
  ? TStatic
  : S extends { readonly '~unsafe': infer TUnsafe }
    ? TUnsafe
    : S extends { readonly const: infer TConst }
      ? TConst
      : S extends { readonly enum: readonly (infer TMember)[] }
        ? TMember
        : S extends { readonly anyOf: readonly (infer TBranch)[] }
          ? InferBranch<TBranch>
          : S extends { readonly oneOf: readonly (infer TBranch)[] }
            ? InferBranch<TBranch>
            : S extends { readonly type: infer TName }
              ? InferByType<TName, S>
              : S extends { readonly allOf: infer TBranches }
                ? InferAll<TBranches>
                : any

type InferBranch<TBranch> = TBranch extends unknown ? InferJsonSchema<TBranch> : never

type InferAll<TBranches> = TBranches extends readonly [infer TFirst, ...infer TRest]
  ? InferJsonSchema<TFirst> & InferAll<TRest>
  : unknown

type InferByType<TName, S> = TName extends readonly (infer TOne)[]
  ? InferByType<TOne, S>
  : TName extends 'array'
    ? InferArray<S>
    : TName extends 'object'
      ? InferObject<S>
      : TName extends keyof Scalars
        ? Scalars[TName]
        : any

interface Scalars {
  readonly string: string
  readonly number: number
  readonly integer: number
  readonly boolean: boolean
  readonly null: null
}

type InferArray<S> = S extends { readonly prefixItems: infer TItems extends readonly unknown[] }
  ? InferTuple<S, TItems>
  : S extends { readonly items: infer TItems }
    ? TItems extends readonly unknown[]
      ? InferTuple<S, TItems>
      : InferJsonSchema<TItems>[]
    : unknown[]

/** Without `minItems`, every position can be missing, so the type is `any`. */
type InferTuple<S, TItems extends readonly unknown[]> = S extends {
  readonly minItems: TItems['length']
}
  ? { -readonly [I in keyof TItems]: InferJsonSchema<TItems[I]> }
  : any

type InferObject<S> = S extends { readonly properties: infer TProperties }
  ? InferProperties<TProperties, PresentKeys<S, TProperties>>
  : S extends { readonly patternProperties: infer TPatterns }
    ? Record<string, InferJsonSchema<TPatterns[keyof TPatterns]>>
    : S extends { readonly additionalProperties: infer TValues extends object }
      ? Record<string, InferJsonSchema<TValues>>
      : Record<string, unknown>

/** The properties that are always present: required properties, and properties with a default. */
type PresentKeys<S, TProperties> =
  | (S extends { readonly required: readonly (infer TKey)[] } ? TKey : never)
  | {
      [K in keyof TProperties]: TProperties[K] extends { readonly default: unknown } ? K : never
    }[keyof TProperties]

type InferProperties<TProperties, TPresent> = {
  -readonly [K in keyof TProperties as K extends TPresent ? K : never]: InferJsonSchema<
    TProperties[K]
  >
} & {
  -readonly [K in keyof TProperties as K extends TPresent ? never : K]?: InferJsonSchema<
    TProperties[K]
  >
}
// biome-ignore-end lint/suspicious/noExplicitAny: as above

/** One invalid field in the `errors` of an error response. */
export interface FieldError {
  /** The part of the request that the field belongs to. */
  readonly in: InputSource
  /** The path from the root of that part, with dots: `items.0.price`. Empty for the part itself. */
  readonly path: string
  /** The problem with the value: the message of the schema library. */
  readonly message: string
}

/** The result of a {@link Validator}: the coerced value, or the issues. */
export type ValidationResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly ValidationIssue[] }

/** One issue that a validator found, before its part of the request is known. */
export interface ValidationIssue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** A schema of any library as a function. A synchronous schema returns its result directly. */
export type Validator = (value: unknown) => ValidationResult | Promise<ValidationResult>
