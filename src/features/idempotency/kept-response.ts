import type { OutgoingHttpHeaders } from 'node:http'
import type { Response } from '../../contracts/handler.js'
import type { HeldContent } from '../../http/send/hold-response.js'
import { replayResponse } from '../../http/send/replay.js'

/** A longer body is not kept, in bytes. */
const LONGEST = 262_144

/** Headers that belong to one exchange, and cookies, which are secrets. */
const NOT_KEPT =
  /^(?:connection|content-length|date|keep-alive|server-timing|set-cookie|trailer|transfer-encoding|x-request-id)$/

/** The response to a write, as a store keeps it. */
export interface KeptResponse {
  /** The digest of URL and body of the request. */
  readonly fingerprint: string
  readonly status: number
  /** Names and values, alternating. */
  readonly headers: readonly string[]
  /** `null` if the body was too long, or was not sent at once. */
  readonly body: string | null
  /** Whether `body` is base64. */
  readonly isBinary: boolean
}

/**
 * Makes the record of a response.
 *
 * @param before The headers that were set before the handler ran: each response gets its own.
 */
export function keptResponse(
  { headers, body }: HeldContent,
  {
    before,
    ...rest
  }: { before: OutgoingHttpHeaders } & Pick<KeptResponse, 'fingerprint' | 'status'>,
): KeptResponse {
  const own = Object.entries(headers).flatMap(([name, value]) => {
    const isOwn = value !== undefined && String(value) !== String(before[name])
    if (!isOwn || NOT_KEPT.test(name)) return []
    return [name, [value].flat().join(', ')]
  })
  return { ...rest, headers: own, ...textOf(body) }
}

function textOf(body: HeldContent['body']): Pick<KeptResponse, 'body' | 'isBinary'> {
  if (body === null || Buffer.byteLength(body) > LONGEST) return { body: null, isBinary: false }
  if (typeof body === 'string') return { body, isBinary: false }
  return { body: Buffer.from(body).toString('base64'), isBinary: true }
}

/** Sends a kept response again. */
export function sendAgain(
  res: Response,
  { status, headers, body, isBinary }: KeptResponse,
): Response {
  const text = body ?? ''
  replayResponse(res, {
    status,
    headers: [...headers, 'Idempotency-Replayed', 'true'],
    body: isBinary ? Buffer.from(text, 'base64') : text,
  })
  return res
}
