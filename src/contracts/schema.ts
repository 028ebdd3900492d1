import type { StandardSchemaV1 } from '@standard-schema/spec'

/** The parts of a request that a schema can describe. */
export type InputSource = 'body' | 'params' | 'query' | 'headers'

/** A plain JSON Schema object; a TypeBox schema is one too. A class (a DTO) is none. */
export type JsonSchema = {
  // biome-ignore lint/suspicious/noExplicitAny: TypeBox declares interfaces, which fit no index signature but `any`
  readonly [keyword: string]: any
  readonly prototype?: never
}

/**
 * What `@Body`, `@Params`, `@Query` and `@Headers` accept: any Standard Schema (zod 4, valibot,
 * arktype, …) or a JSON Schema object (TypeBox included).
 *
 * @see https://standardschema.dev
 */
export type Schema = StandardSchemaV1 | JsonSchema

/**
 * The value a handler receives after `S` has validated, coerced and defaulted its input.
 * A JSON Schema is followed where its literal type is known (TypeBox, or `as const`), else `any`.
 *
 * @example
 * const CreateUser = z.object({ name: z.string(), age: z.coerce.number().default(0) })
 * type Input = InferOutput<typeof CreateUser> // { name: string; age: number }
 */
export type InferOutput<S> =
  S extends StandardSchemaV1<infer _In, infer TOutput> ? TOutput : InferJsonSchema<S>

/** Follows the keywords that decide a value's type; what it cannot follow is `any`, never a guess. */
export type InferJsonSchema<S> = S extends { readonly static: infer TStatic }
  ? TStatic
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
            : // biome-ignore lint/suspicious/noExplicitAny: a schema we cannot follow must not reject a handler
              any

type InferBranch<TBranch> = TBranch extends unknown ? InferJsonSchema<TBranch> : never

type InferByType<TName, S> = string extends TName
  ? // biome-ignore lint/suspicious/noExplicitAny: the literal type was widened, so nothing is known
    any
  : TName extends 'string'
    ? string
    : TName extends 'number' | 'integer'
      ? number
      : TName extends 'boolean'
        ? boolean
        : TName extends 'null'
          ? null
          : TName extends 'array'
            ? S extends { readonly items: infer TItem }
              ? InferJsonSchema<TItem>[]
              : unknown[]
            : TName extends 'object'
              ? S extends { readonly properties: infer TProperties }
                ? InferObject<TProperties, RequiredKeys<S>>
                : Record<string, unknown>
              : unknown

type RequiredKeys<S> = S extends { readonly required: readonly (infer TKey)[] } ? TKey : never

type InferObject<TProperties, TRequired> = {
  -readonly [K in keyof TProperties as K extends TRequired ? K : never]: InferJsonSchema<
    TProperties[K]
  >
} & {
  -readonly [K in keyof TProperties as K extends TRequired ? never : K]?: InferJsonSchema<
    TProperties[K]
  >
}

/** One rejected field, as it stands in the `errors` of a 400 answer. */
export interface FieldError {
  /** The part of the request the field belongs to. */
  readonly in: InputSource
  /** Dotted path from the root of that part; empty for the part itself: `items.0.price`. */
  readonly path: string
  /** What the schema says is wrong. */
  readonly message: string
}

/** What a {@link Validator} answers: the coerced value, or what is wrong with it. */
export type ValidationResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly ValidationIssue[] }

/** One complaint of a validator, before it is known which part of the request it speaks of. */
export interface ValidationIssue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** A schema made callable, whichever library it came from. A synchronous schema answers synchronously. */
export type Validator = (value: unknown) => ValidationResult | Promise<ValidationResult>
