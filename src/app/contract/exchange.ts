import type { IncomingHttpHeaders } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { OpenApiDocument, OpenApiSchema } from '../../contracts/openapi.js'
import { ERROR_SCHEMAS } from '../../openapi/envelopes.js'
import { createResponseCompiler, type FindMismatches } from '../../schema/response-validator.js'

/** A request and its response, as they were sent over the connection. */
export interface Exchange {
  readonly method: string
  /** The path and query. */
  readonly url: string
  /** The request headers that can specify an API version. Default: none. */
  readonly sent?: IncomingHttpHeaders
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /**
   * The text of a JSON body; `null` if there is no body. For any other media type it is also `null`, because streams
   * are not read to their end.
   */
  readonly body: string | null
}

/** Whether a media type is JSON, with or without parameters. */
export function isJson(mediaType: string | undefined): boolean {
  return /^[^;]*[/+]json\s*(;|$)/i.test(mediaType ?? '')
}

/** The text of a body, after decoding its `Content-Encoding`. */
export function bodyText(bytes: Buffer, encoding: string | undefined): string {
  try {
    return decode(bytes, encoding).toString()
  } catch {
    // Bytes that cannot be decoded are not JSON, so the contract check reports them.
    return bytes.toString()
  }
}

function decode(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding === 'gzip') return gunzipSync(bytes)
  if (encoding === 'deflate') return inflateSync(bytes)
  if (encoding === 'br') return brotliDecompressSync(bytes)
  return bytes
}

/** Compiles response schemas, with one compiler for each document. */
export class ResponseCompilers {
  readonly #compilers = new WeakMap<OpenApiDocument, (schema: OpenApiSchema) => FindMismatches>()

  of(document: OpenApiDocument): (schema: OpenApiSchema) => FindMismatches {
    const known = this.#compilers.get(document)
    if (known !== undefined) return known
    const compile = createResponseCompiler({ ...ERROR_SCHEMAS, ...document.components.schemas })
    this.#compilers.set(document, compile)
    return compile
  }
}
