import type { Readable, Writable } from 'node:stream'
import type { Size } from './limits.js'
import type { InferOutput, Schema } from './schema.js'

/**
 * How a body is read. `'json'`: as JSON. `'form'`: the fields of an HTML form, `application/x-www-form-urlencoded`.
 * `'text'`: as a UTF-8 string. `'bytes'`: as a `Buffer`, unchanged.
 */
export type BodyType = 'json' | 'form' | 'text' | 'bytes'

/** Options of `@Body`. */
export interface BodyOptions<T extends BodyType = BodyType> {
  /** How the body is read; pass a list to accept several types with one schema. Default `'json'`. */
  readonly type?: T | readonly T[]
  /**
   * The accepted media types, without parameters. For `'text'` and `'bytes'`, a range is allowed: `'image/*'`. Default
   * for `'json'`: `application/json` and all types that end in `+json`; for `'form'`:
   * `application/x-www-form-urlencoded`; for `'text'`: `text/plain`; for `'bytes'`: `application/octet-stream`.
   */
  readonly contentType?: string | readonly string[]
  /**
   * The maximum size of the body, compressed and decompressed. Default: the limit of `@Limits`, otherwise the option
   * `limits.body`.
   */
  readonly limit?: Size
}

/** A body in the options of a route: `@Post('', { body: { schema, type: 'form' } })`. */
export interface BodyDescription extends BodyOptions {
  /** The schema of the body. Default: the body is read but not validated. */
  readonly schema?: Schema
}

/** The types of bodies without a schema. */
export interface RawBody {
  /** The JSON value. */
  // biome-ignore lint/suspicious/noExplicitAny: as untyped as the body of Express
  readonly json: any
  /** The fields, as sent by the client. */
  readonly form: Record<string, string | string[]>
  /** The text. */
  readonly text: string
  /** The bytes, unchanged. */
  readonly bytes: Buffer
}

/** The type of a body that is described in `Req` or in route options; `TDefault` without a description. */
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
  /** The accepted media types, in lower case, without parameters. Ranges are allowed. */
  readonly contentTypes: readonly string[]
  /** The schema; `null` if the body is not validated. */
  readonly schema: Schema | null
  /** `false` for the body of a webhook without `@Body`, which is read as JSON and can be missing. */
  readonly isDescribed: boolean
  /** The maximum size of the body, in bytes; `null` if `@Limits` or the application decides. */
  readonly maxBytes: number | null
}

/** Options of `@Cookies`. */
export interface CookiesOptions {
  /**
   * The names of the cookies that were set with `signed: true`. A cookie without a valid signature counts as missing.
   * Requires the option `cookies.keys`. Default: none.
   */
  readonly signed?: readonly string[]
}

/** The cookies in the options of a route: `@Get('', { cookies: { schema, signed: ['session'] } })`. */
export interface CookiesDescription extends CookiesOptions {
  /** The schema of the cookies. */
  readonly schema: Schema
}

/** Options of `file()`. */
export interface FileOptions<TMax extends number = number, TOptional extends boolean = boolean> {
  /** The maximum size of a file; a larger file results in a 413 response. Default `'1mb'`. */
  readonly maxSize?: Size
  /**
   * The accepted media types, without parameters; `image/*` means all images. A file of another type, or with first
   * bytes that do not match its type, results in a 415 response. If omitted, every type is accepted, and the first
   * bytes are not checked.
   */
  readonly types?: readonly string[]
  /** The maximum number of files. With more than 1, the handler receives a list. Default 1. */
  readonly max?: TMax
  /** Whether the file is optional. Default `false`: a form without the file results in a 400 response. */
  readonly optional?: TOptional
}

/** A file that `save()` has written. */
export interface SavedFile {
  /** The folder and the name. */
  readonly path: string
  /** The name that the server has chosen. */
  readonly name: string
  /** The number of bytes. */
  readonly size: number
}

/**
 * A file in a form. It can be read only once: with `for await`, `save`, `pipe`, `stream` or `bytes`. Reading fails with
 * a 413 error if the file is larger than `maxSize`, and with a 400 error if the request or the form ends early. After
 * the response, the file is deleted unless it was saved.
 */
export interface UploadedFile extends AsyncIterable<Buffer> {
  /** The name of the part: `avatar`. */
  readonly field: string
  /** A random name that the server has chosen, with the extension of a type that was checked: `5f0c….png`. */
  readonly name: string
  /**
   * The name that the client sent, without folders and limited to 255 characters; `null` if it sent none. Use it only
   * for display: two files can have the same name, and a name can refer to a system device.
   */
  readonly originalName: string | null
  /**
   * The media type, in lower case and without parameters. If `types` is not set, it is the type that the client sent.
   */
  readonly type: string
  /** The number of bytes; `null` while the file is still arriving. */
  readonly size: number | null
  /**
   * Writes the file into a folder, which must exist, under {@link UploadedFile.name}. The file receives its name only
   * when it is complete; if writing fails, no file remains.
   *
   * @throws HttpError as described above; the error of the file system.
   */
  save(folder: string): Promise<SavedFile>
  /**
   * Writes the file into a stream and ends the stream. Resolves when the stream has finished; if reading or writing
   * fails, the stream is destroyed.
   */
  pipe(destination: Writable): Promise<void>
  /** Returns the file as a Node stream, for packages that need one. */
  stream(): Readable
  /** Returns the whole file, which takes at most `maxSize` bytes of memory. */
  bytes(): Promise<Buffer>
}

/** The parts of a form: `file()` for a file, any schema for a text field. */
export type UploadParts = Readonly<Record<string, Schema>>

/** The body type of a handler with `@Upload`: a part that can be absent is optional. */
export type UploadOutput<P> = {
  -readonly [K in keyof P as undefined extends InferOutput<P[K]> ? never : K]: InferOutput<P[K]>
} & {
  -readonly [K in keyof P as undefined extends InferOutput<P[K]> ? K : never]?: InferOutput<P[K]>
}

/** The type of a part, by the options of its `file()`. */
export type FileOutput<TMax extends number, TOptional extends boolean> = number extends TMax
  ? UploadedFile | UploadedFile[] | (TOptional extends true ? undefined : never)
  : TMax extends 1
    ? UploadedFile | (TOptional extends true ? undefined : never)
    : UploadedFile[]

/** The limits for the files of one form part. */
export interface FileRule {
  /** The maximum size of the file, in bytes. */
  readonly maxBytes: number
  /** The accepted media types and ranges, in lower case; `null` for all. */
  readonly types: readonly string[] | null
  /** The maximum number of files. */
  readonly max: number
  /** Whether the file can be missing from the form. */
  readonly isOptional: boolean
}

/** The form that a route reads. Its schema is `inputs.body`. */
export interface UploadModel {
  /** The files, by the name of their part. */
  readonly files: Readonly<Record<string, FileRule>>
  /** The schemas of the text fields, by name. */
  readonly fields: Readonly<Record<string, Schema>>
  /** The maximum total size of all files, in bytes. */
  readonly fileBytes: number
}
