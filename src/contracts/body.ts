import type { InferOutput, Schema } from './schema.js'
import type { Size } from './units.js'

/**
 * How a body is read. `'json'`: as JSON. `'form'`: the fields of an HTML form, `application/x-www-form-urlencoded`.
 * `'text'`: as a string of UTF-8. `'bytes'`: as a `Buffer`, unchanged.
 */
export type BodyType = 'json' | 'form' | 'text' | 'bytes'

/** Options of `@Body`. */
export interface BodyOptions<T extends BodyType = BodyType> {
  /** How the body is read; a list for several types with one schema. Default `'json'`. */
  readonly type?: T | readonly T[]
  /**
   * The media types that are accepted, without parameters. Of `'text'` and `'bytes'`, a type may be a range: `'image/*'`.
   * Default: `application/json` and all types that end in `+json`; `application/x-www-form-urlencoded`; `text/plain`;
   * `application/octet-stream`.
   */
  readonly contentType?: string | readonly string[]
  /** The largest body, compressed and decompressed. Default: `@Limits`, else the option `limits.body`. */
  readonly limit?: Size
}

/** A body in the options of a route: `@Post('', { body: { schema, type: 'form' } })`. */
export interface BodyDescription extends BodyOptions {
  /** The schema of the body. Default: the body is read, and not validated. */
  readonly schema?: Schema
}

/** The types of bodies without a schema. */
export interface RawBody {
  /** The JSON value. */
  // biome-ignore lint/suspicious/noExplicitAny: as untyped as the body of Express
  readonly json: any
  /** The fields, as they were sent. */
  readonly form: Record<string, string | string[]>
  /** The text. */
  readonly text: string
  /** The bytes, unchanged. */
  readonly bytes: Buffer
}

/** The type of a body by its description in `Req` or in the options of a route; `TDefault` without one. */
export type BodyOutput<S, TDefault> = S extends { readonly '~standard': unknown }
  ? InferOutput<S>
  : S extends readonly (infer D)[]
    ? BodyOutput<D, TDefault>
    : S extends { readonly schema: infer D extends Schema }
      ? InferOutput<D>
      : S extends { readonly type: BodyType | readonly BodyType[] }
        ? RawBody[TypesOf<S['type']>]
        : S extends Schema
          ? InferOutput<S>
          : TDefault

type TypesOf<T> = T extends readonly (infer D extends BodyType)[] ? D : T & BodyType

/** One way in which a route reads its body. */
export interface BodyModel {
  /** How the body is read. */
  readonly type: BodyType
  /** The accepted media types, in lower case, without parameters; may be ranges. */
  readonly contentTypes: readonly string[]
  /** `null` if the body is not validated. */
  readonly schema: Schema | null
  /** `false` for the body of a webhook without `@Body`: it is read as JSON, and may be missing. */
  readonly isDescribed: boolean
  /** The largest body, in bytes; `null` if `@Limits` or the application decides. */
  readonly maxBytes: number | null
}
