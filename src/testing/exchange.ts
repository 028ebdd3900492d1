import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** A request and its response, as they were sent over the connection. */
export interface Exchange {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /**
   * The text of a JSON body. `null` when there is no body or it is not JSON: streams are not read to their
   * end.
   */
  readonly body: string | null
}

/** Checks an exchange. Returns an error when the response is wrong, else `undefined`. */
export type CheckExchange = (exchange: Exchange) => Error | undefined

/** Whether a response has a JSON body. */
export function hasJsonBody({ method }: ClientRequest, res: IncomingMessage): boolean {
  const isBodiless = method === 'HEAD' || res.statusCode === 204 || res.statusCode === 304
  return !isBodiless && isJson(res.headers['content-type'])
}

/** Whether a media type is JSON, with or without parameters. */
export function isJson(mediaType: string | undefined): boolean {
  return /^[^;]*[/+]json\s*(;|$)/i.test(mediaType ?? '')
}

/**
 * Passes the response of a request to `checkExchange`, without consuming the body that the caller reads.
 *
 * @param report Called with the verdict: for a JSON body before the caller sees its end, otherwise when the
 * head arrives.
 */
export function observe(
  req: ClientRequest,
  checkExchange: CheckExchange,
  report: (failure: Error | undefined) => void,
): void {
  req.prependOnceListener('response', (res: IncomingMessage) => {
    const { statusCode: status = 0, headers } = res
    const exchange = { method: req.method, url: req.path, status, headers, body: null }
    if (!hasJsonBody(req, res)) return report(checkExchange(exchange))
    const chunks: Buffer[] = []
    const push = res.push
    // A `data` listener would start the stream before the caller has attached its own listeners.
    res.push = function pushObserved(chunk, encoding) {
      if (chunk !== null) chunks.push(chunk)
      else report(checkExchange({ ...exchange, body: textOf(Buffer.concat(chunks), res) }))
      return push.call(this, chunk, encoding)
    }
  })
}

function textOf(bytes: Buffer, { headers }: IncomingMessage): string {
  try {
    return decode(bytes, headers['content-encoding']).toString()
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
