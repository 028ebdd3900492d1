import type { CapsuleCall } from '../../contracts/capsule.js'
import type { RanCall } from '../../contracts/outgoing-call.js'
import type { RequestRecord } from '../../contracts/request-record.js'
import type { FoundSecrets } from './found-secrets.js'
import { bodyOf, headerText, hideInQuery } from './request-sent.js'

/** The calls of a request that the server has failed. */
export interface FailedCalls {
  readonly record: Pick<RequestRecord, 'callCount'>
  /** Those that were kept, in the order of their ends. */
  readonly calls: readonly RanCall[]
}

type Hide = (text: string) => string

/** Finds the secrets of calls by the names of headers and of fields. */
export function searchCalls(calls: readonly RanCall[], found: FoundSecrets): void {
  for (const { url, headers, kept } of calls) {
    found.search(Object.fromEntries(headers))
    found.search(Object.fromEntries(url.searchParams))
    if (kept === null) continue
    found.search(Object.fromEntries(kept.headers))
    for (const text of [kept.sent ?? '', Buffer.from(kept.received().bytes).toString()]) {
      try {
        found.search(JSON.parse(text))
      } catch {
        // It is not JSON.
      }
    }
  }
}

/**
 * Writes the calls of a request, with the answers of the hosts.
 *
 * @param cut Gets a sentence for each answer that is not known as a whole.
 */
export function callsOf(failed: FailedCalls, hide: Hide, cut: string[]): CapsuleCall[] {
  const { calls, record } = failed
  if (record.callCount > calls.length) {
    cut.push(`It has ${calls.length} of ${record.callCount} calls to other hosts.`)
  }
  const ordered = [...calls].sort((a, b) => a.startedAt - b.startedAt)
  return ordered.map((each) => callOf(each, hide, cut))
}

/** They are about the connection, or about a coding that `fetch` has undone. */
const OF_THE_CONNECTION =
  /^(?:connection|keep-alive|transfer-encoding|content-length|content-encoding|trailer)$/

function callOf(
  { method, url, status, error, kept }: RanCall,
  hide: Hide,
  cut: string[],
): CapsuleCall {
  const shownUrl = hide(hideInQuery(url.href, hide))
  const { bytes = new Uint8Array(), isWhole = false } = kept?.received() ?? {}
  const headers = (kept?.headers ?? []).filter(([name]) => !OF_THE_CONNECTION.test(name))
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? ''
  const answer = bodyOf(Buffer.from(bytes), type, hide)
  const isMissed = !isWhole || (answer.body === null && answer.base64 === undefined)
  if (error === undefined && isMissed) {
    cut.push(`The answer to a call is not known as a whole: ${method} ${shownUrl.slice(0, 80)}`)
  }
  const sent = kept?.sent ?? null
  return {
    method,
    url: shownUrl,
    sent: sent === null ? null : (bodyOf(Buffer.from(sent), typeOf(sent), hide).body ?? null),
    status,
    headers: headers.map(([name, value]) => [name, headerText(name, value, hide)]),
    body: answer.body,
    ...(answer.base64 !== undefined && { base64: answer.base64 }),
    error: error === undefined ? null : hide(messageOf(error)),
  }
}

/** Names of fields tell what is secret in JSON. */
function typeOf(text: string): string {
  return /^\s*[[{]/.test(text) ? 'application/json' : ''
}

/** The reason of `fetch` is in its cause. */
function messageOf(error: unknown): string {
  const { message, cause } = Object(error) as { message?: unknown; cause?: { message?: unknown } }
  return String(cause?.message ?? message ?? error)
}
