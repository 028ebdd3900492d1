import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { isBodiless, toWebStream } from './to-web-stream.js'

interface WebResponseOptions {
  /** The names of headers to omit, in lower case. */
  readonly omit?: ReadonlySet<string>
  /** Returns the body. If omitted, the body of the message is used. */
  readonly bodyOf?: (headers: Headers) => Readable
}

/**
 * Converts a Node response to a Fetch `Response`. If the reader of its body cancels, the connection is destroyed.
 *
 * @param method The method of the request.
 * @throws RangeError for a status that the Fetch standard does not allow; TypeError for a header that it does not
 * allow.
 */
export function webResponse(
  incoming: IncomingMessage,
  method: string,
  { omit, bodyOf = () => incoming }: WebResponseOptions = {},
): Response {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = incoming
  const headers = new Headers()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (omit?.has(name.toLowerCase()) !== true) headers.append(name, rawHeaders[i + 1] as string)
  }
  const isEmpty = isBodiless(method, status)
  const content = isEmpty ? null : toWebStream(bodyOf(headers), () => incoming.destroy())
  // The types of `ReadableStream` in Node and in the DOM library differ when both are loaded.
  const response = new Response(content as never, { status, statusText, headers })
  if (isEmpty) incoming.resume()
  return response
}
