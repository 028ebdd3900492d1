import { type OutgoingHttpHeader, ServerResponse } from 'node:http'
import type { Response } from '../../contracts/handler.js'
import { kAdded, kHeaderLines, kIsFilled, kRemoved } from '../own-fields.js'
import type { OwnHeaders } from './response-headers.js'
import { canWriteHeaderLines, headerLine } from './static-headers.js'

/**
 * The fast path: the whole head is written in one call, as text for the headers that never change and as a flat
 * array for the others. `setHeader` would cost more than all the rest of a small response. `isUntouched` says when
 * nobody can notice the difference.
 */

const node = ServerResponse.prototype

/** Node's server listens to `finish` itself. */
const NODE_FINISH_LISTENERS = 1

/** The type of nearly all responses. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/** The header of that type as it goes over the wire. */
export const JSON_LINE: string = headerLine('Content-Type', JSON_TYPE)

/**
 * Whether nobody has set or removed a header, and nobody waits for the head (on-headers replaces `writeHead` on the
 * response, others replace `end`) or for the end, where loggers read headers that a flat array does not leave behind.
 */
export function isUntouched(
  res: Response & OwnHeaders,
  { writeHead, end }: Pick<Response, 'writeHead' | 'end'>,
): boolean {
  return (
    canWriteHeaderLines() &&
    hasNoOwnHeader(res) &&
    res.writeHead === writeHead &&
    res.end === end &&
    res.listenerCount('finish') <= NODE_FINISH_LISTENERS &&
    res.listenerCount('close') === 0
  )
}

function hasNoOwnHeader(res: Response & OwnHeaders): boolean {
  // Once the static headers have been set one by one, an empty list means that somebody has removed them all.
  return node.getHeaderNames.call(res).length === 0 && res[kRemoved] === null && !res[kIsFilled]
}

/**
 * Writes the head of an untouched response.
 *
 * @param lines Whole lines of text, the static headers among them.
 * @param headers `[name, value, …]`. Those of `addHeaders` are added to it.
 * @throws on a reason phrase that HTTP cannot carry.
 */
export function writeFlatHead(res: Response & OwnHeaders, lines: string, headers: unknown[]): void {
  const added = res[kAdded]
  for (let i = 0; added !== null && i < added.length; i++) headers.push(added[i])
  res[kHeaderLines] = lines
  try {
    node.writeHead.call(res, res.statusCode, headers as OutgoingHttpHeader[])
  } finally {
    // After a refused head another response follows, with other lines.
    res[kHeaderLines] = ''
  }
}
