import type { Response } from '../../contracts/handler.js'
import { joinHeader } from './join-header.js'

/** Headers that concern one connection (RFC 9110, 7.6.1). Node writes our own. */
const OF_THE_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Headers that describe the body before `fetch` has decoded it. */
const OF_THE_CODING = new Set(['content-encoding', 'content-length'])

/**
 * Copies status and headers of a response of the Fetch API. Of a response that `fetch` has received, the coding is left
 * out: its body is decoded.
 *
 * @throws TypeError for `Response.error()`, which has no status.
 */
export function copyResponseHead(from: globalThis.Response, res: Response): void {
  const { status, statusText, headers, type } = from
  if (status < 200) throw new TypeError(`A response cannot have the status ${status}.`)
  res.statusCode = status
  if (statusText !== '') res.statusMessage = statusText
  const isDecoded = type !== 'default'
  headers.forEach((value, name) => {
    if (OF_THE_CONNECTION.has(name) || (isDecoded && OF_THE_CODING.has(name))) return
    if (name !== 'set-cookie') joinHeader(res, name, value)
  })
  for (const cookie of headers.getSetCookie()) res.appendHeader('Set-Cookie', cookie)
}
