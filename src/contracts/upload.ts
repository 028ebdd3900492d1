import type { Readable, Writable } from 'node:stream'
import type { InferOutput, Schema } from './schema.js'
import type { Size } from './units.js'

/** Options of `file()`. */
export interface FileOptions<TMax extends number = number, TOptional extends boolean = boolean> {
  /** The largest file; a larger one is a 413. Default `'1mb'`. */
  readonly maxSize?: Size
  /**
   * The accepted media types, without parameters; `image/*` stands for all images. A file of another type, or whose
   * first bytes do not fit its type, is a 415. Default: every type, and the bytes are not compared.
   */
  readonly types?: readonly string[]
  /** The largest number of files. With more than 1, the handler receives a list. Default 1. */
  readonly max?: TMax
  /** Whether the form may lack the file. Default `false`: a form without it is a 400. */
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
 * A file of a form. It is read once: by `for await`, `save`, `pipe`, `stream` or `bytes`. Reading fails with a 413 if the
 * file is larger than `maxSize`, and with a 400 if the request or the form ends early. After the response, the file is
 * gone, unless it was saved.
 */
export interface UploadedFile extends AsyncIterable<Buffer> {
  /** The name of the part: `avatar`. */
  readonly field: string
  /** A name that the server has chosen: random, with the extension of a type that was checked: `5f0c….png`. */
  readonly name: string
  /**
   * The name that the client gave, without folders and of at most 255 characters; `null` if it gave none. For people
   * only: two files may have the same name, and it may be the name of a device of the system.
   */
  readonly originalName: string | null
  /** The media type, in lower case and without parameters. Without `types`, it is the type that the client has sent. */
  readonly type: string
  /** The number of bytes; `null` while the file is still arriving. */
  readonly size: number | null
  /**
   * Writes the file into a folder, which must exist, under {@link UploadedFile.name}. The file has its name only when it is
   * complete: nothing is left if it fails.
   *
   * @throws HttpError as described above; the error of the file system.
   */
  save(folder: string): Promise<SavedFile>
  /**
   * Writes the file into a stream and ends the stream. Resolves when the stream has finished; if reading or writing fails,
   * the stream is destroyed.
   */
  pipe(destination: Writable): Promise<void>
  /** Returns the file as a stream of Node, for packages that take one. */
  stream(): Readable
  /** Returns the whole file: at most `maxSize` bytes of memory. */
  bytes(): Promise<Buffer>
}

/** The parts of a form: `file()` for a file, any schema for a text field. */
export type UploadParts = Readonly<Record<string, Schema>>

/** The body of a handler behind `@Upload`: a part that may be absent is optional. */
export type UploadOutput<P> = {
  -readonly [K in keyof P as undefined extends InferOutput<P[K]> ? never : K]: InferOutput<P[K]>
} & {
  -readonly [K in keyof P as undefined extends InferOutput<P[K]> ? K : never]?: InferOutput<P[K]>
}

/** The value of a part for the options of its `file()`. */
export type FileOutput<TMax extends number, TOptional extends boolean> = number extends TMax
  ? UploadedFile | UploadedFile[] | (TOptional extends true ? undefined : never)
  : TMax extends 1
    ? UploadedFile | (TOptional extends true ? undefined : never)
    : UploadedFile[]

/** The limits of one kind of file in a form. */
export interface FileRule {
  /** The largest file, in bytes. */
  readonly maxBytes: number
  /** The accepted media types and ranges, in lower case; `null` for all. */
  readonly types: readonly string[] | null
  /** The largest number of files. */
  readonly max: number
  /** Whether the form may lack the file. */
  readonly isOptional: boolean
}

/** The form that a route reads. Its schema is `inputs.body`. */
export interface UploadModel {
  /** The files, by the name of their part. */
  readonly files: Readonly<Record<string, FileRule>>
  /** The schemas of the text fields, by name. */
  readonly fields: Readonly<Record<string, Schema>>
  /** The most bytes of all files together. */
  readonly fileBytes: number
}
