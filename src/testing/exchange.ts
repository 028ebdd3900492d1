import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** A request and its answer, as they crossed the wire. */
export interface Exchange {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The text of a JSON body; `null` where there is none, or it is of another type: streams are never waited for. */
  readonly body: string | null
}

/** Told of an exchange; answers with what is wrong about it, or nothing. */
export type Judge = (exchange: Exchange) => Error | undefined

/** Whether an answer has a body that is worth reading: JSON, and not only its head. */
export function hasJsonBody({ method }: ClientRequest, res: IncomingMessage): boolean {
  const isBodiless = method === 'HEAD' || res.statusCode === 204 || res.statusCode === 304
  return !isBodiless && isJson(res.headers['content-type'])
}

/** Whether a media type is JSON, parameters or not. */
export function isJson(mediaType: string | undefined): boolean {
  return /^[^;]*[/+]json\s*(;|$)/i.test(mediaType ?? '')
}

/**
 * Follows a request to the end of its answer without taking anything from whoever reads it.
 *
 * @param report Called with the verdict before the reader sees the end of a JSON body, or else the head.
 */
export function observe(
  req: ClientRequest,
  judge: Judge,
  report: (failure: Error | undefined) => void,
): void {
  req.prependOnceListener('response', (res: IncomingMessage) => {
    const { statusCode: status = 0, headers } = res
    const exchange = { method: req.method, url: req.path, status, headers, body: null }
    if (!hasJsonBody(req, res)) return report(judge(exchange))
    const chunks: Buffer[] = []
    const push = res.push
    // A listener for `data` would start the stream before its reader is there.
    res.push = function pushObserved(chunk, encoding) {
      if (chunk !== null) chunks.push(chunk)
      else report(judge({ ...exchange, body: textOf(Buffer.concat(chunks), res) }))
      return push.call(this, chunk, encoding)
    }
  })
}

function textOf(bytes: Buffer, { headers }: IncomingMessage): string {
  try {
    return decode(bytes, headers['content-encoding']).toString()
  } catch {
    // What cannot be decoded is not the JSON that was promised.
    return bytes.toString()
  }
}

function decode(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding === 'gzip') return gunzipSync(bytes)
  if (encoding === 'deflate') return inflateSync(bytes)
  if (encoding === 'br') return brotliDecompressSync(bytes)
  return bytes
}
