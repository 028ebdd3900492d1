import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import type { Address } from './public-hosts.js'

/** A message to send. */
export interface Message {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: Uint8Array | null
  readonly signal: AbortSignal
}

const NO_BODY = new Set([204, 205, 304])

/**
 * Sends a message to one of these addresses, and looks up no name. `fetch` looks a name up itself. The connection is closed
 * afterwards, so that no later call has it without a check.
 */
export function sendPinned(message: Message, addresses: readonly Address[]): Promise<Response> {
  const { url, method, headers, body, signal } = message
  const lookup: LookupFunction = (_host, { all }, done) => {
    const [first] = addresses as readonly [Address]
    if (all === true) done(null, [...addresses])
    else done(null, first.address, first.family)
  }
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const options = { method, headers: Object.fromEntries(headers), signal, lookup, agent: false }
    const sent = send(url, options, (received) => {
      const { statusCode = 0, statusMessage = '', rawHeaders } = received
      try {
        const isEmpty = NO_BODY.has(statusCode) || method === 'HEAD'
        const content = isEmpty ? null : (Readable.toWeb(received) as ReadableStream)
        if (isEmpty) received.resume()
        const init = { status: statusCode, statusText: statusMessage, headers: pairsOf(rawHeaders) }
        resolve(new Response(content, init))
      } catch (error) {
        // A status or a header that no response can have.
        received.destroy()
        reject(failed(error))
      }
    })
    sent.on('error', (error) => reject(signal.aborted ? signal.reason : failed(error)))
    sent.end(body ?? undefined)
  })
}

function pairsOf(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, raw[index + 1] as string]] : [],
  )
}

/** As `fetch` fails. */
function failed(cause: unknown): TypeError {
  return new TypeError('fetch failed', { cause })
}
