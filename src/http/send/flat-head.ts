import { type OutgoingHttpHeader, ServerResponse } from 'node:http'
import type { Response } from '../../contracts/handler.js'
import { kAdded, kHeaderLines, kIsFilled, kRemoved } from '../symbol-fields.js'
import { canLeaveAsText } from './header-text.js'
import type { OwnHeaders } from './response-headers.js'
import { canWriteHeaderLines, headerLine } from './static-headers.js'

/**
 * The fast path: the whole head is written in one call, as text for the headers that never change and as a flat array
 * for the others. `setHeader` would cost more than all the rest of a small response. `isUntouched` checks that no
 * other code can notice the difference.
 */

const node = ServerResponse.prototype

/** Node's server listens to `finish` itself. */
const NODE_FINISH_LISTENERS = 1

/** The type of nearly all responses. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/** The header line of that type. */
export const JSON_LINE: string = headerLine('Content-Type', JSON_TYPE)

/**
 * Whether no other code has set or removed a header, or waits for the head or for the end. Code that waits for the
 * head replaces `writeHead` (as on-headers does) or `end`. Loggers wait for the end and then read headers, but the
 * response does not store the headers of a flat array.
 */
export function isUntouched(
  res: Response & OwnHeaders,
  { writeHead, end }: Pick<Response, 'writeHead' | 'end'>,
): boolean {
  return (
    canWriteHeaderLines() &&
    res.writeHead === writeHead &&
    res.end === end &&
    hasNoOwnHeader(res) &&
    res.listenerCount('finish') <= NODE_FINISH_LISTENERS &&
    res.listenerCount('close') === 0
  )
}

function hasNoOwnHeader(res: Response & OwnHeaders): boolean {
  // Once the static headers have been set one by one, an empty list means that other code has removed them all.
  return node.getHeaderNames.call(res).length === 0 && res[kRemoved] === null && !res[kIsFilled]
}

/**
 * Writes the head of an untouched response.
 *
 * @param lines Whole lines of text, the static headers among them.
 * @param headers `[name, value, …]`. Headers of `addHeaders` that Node must get are added to it.
 * @throws if the reason phrase has characters that HTTP does not allow.
 */
export function writeFlatHead(res: Response & OwnHeaders, lines: string, headers: unknown[]): void {
  res[kHeaderLines] = lines + linesOfAdded(res[kAdded] ?? [], headers)
  try {
    node.writeHead.call(res, res.statusCode, headers as OutgoingHttpHeader[])
  } finally {
    // If Node has refused the head, another response follows, with other lines.
    res[kHeaderLines] = ''
  }
}

/**
 * Returns the lines of added headers, and adds headers that Node must get to `headers`. In the flat array, the two
 * headers of a rate limit took 1,200 instructions more on Node 24, and 1,800 on Node 20
 * (`bench:features -- --count --only limit`).
 */
function linesOfAdded(added: readonly string[], headers: unknown[]): string {
  let lines = ''
  for (let i = 0; i < added.length; i += 2) {
    const [name, value] = [added[i] as string, added[i + 1] as string]
    if (canLeaveAsText(name, value)) lines += headerLine(name, value)
    else headers.push(name, value)
  }
  return lines
}
