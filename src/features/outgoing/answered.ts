import type { AnswerCall, CallAnswer } from '../../contracts/outgoing-call.js'
import type { Message } from './send-pinned.js'

/** Has a message answered in place of its host. */
export async function sendAnswered(message: Message, answer: AnswerCall): Promise<Response> {
  const { method, url, headers, body } = message
  const answered = await answer({
    method,
    url: url.href,
    headers: Object.fromEntries(headers),
    body: body === null ? null : Buffer.from(body).toString(),
  })
  return responseOf(answered)
}

const NO_BODY = new Set([204, 205, 304])

function responseOf({ status = 200, headers = {}, json, body, error }: CallAnswer): Response {
  if (error !== undefined) throw new TypeError('fetch failed', { cause: new Error(error) })
  if (NO_BODY.has(status)) return new Response(null, { status, headers })
  if (json === undefined) return new Response(body ?? null, { status, headers })
  const all = new Headers(headers)
  if (!all.has('content-type')) all.set('content-type', 'application/json')
  return new Response(JSON.stringify(json), { status, headers: all })
}
