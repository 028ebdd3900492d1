import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  ServerResponse,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http'
import type { Response } from '../../contracts/handler.js'
import { IS_BUN } from '../runtime.js'
import { kAdded, kHeaderLines, kIsFilled, kRemoved, kStatics, kTakes } from '../symbol-fields.js'

/** The headers that control how Node sends a response. */
const OF_NODE = new Set([
  'connection',
  'content-disposition',
  'date',
  'expect',
  'keep-alive',
  'trailer',
  'upgrade',
])

/** Matches the characters that Node refuses in a value. */
const REFUSED = /[^\t\x20-\x7e\x80-\xff]/

/**
 * Whether a header can be sent as a part of the first line of the head, which Node does not process. Otherwise, the
 * header must be passed to Node, which acts on the header or refuses it. Node matches each name and value with a
 * pattern, and changes the case of the name. Here, each name is checked only once.
 */
export function canLeaveAsText(name: string, value: unknown): value is string {
  return typeof value === 'string' && isNameOfText(name) && !REFUSED.test(value)
}

const isNameOfText = rememberNames((name) => !OF_NODE.has(headerKey(name)) && isName(name))

function isName(name: string): boolean {
  try {
    validateHeaderName(name)
    return true
  } catch {
    return false
  }
}

const MAX_NAMES = 1000
/** Longer names are not cached, because a name can come from a client. */
const MAX_LENGTH = 64

/** Caches the results of a function for header names: for 1,000 names of up to 64 characters. */
export function rememberNames<Value>(learn: (name: string) => Value): (name: string) => Value {
  const known = new Map<string, Value>()
  return function remembered(name) {
    const found = known.get(name)
    if (found !== undefined) return found
    const learned = learn(name)
    if (known.size < MAX_NAMES && typeof name === 'string' && name.length <= MAX_LENGTH) {
      known.set(name, learned)
    }
    return learned
  }
}

/**
 * Returns the lower-case name of a header. Node changes the case of each name that it looks up, and V8 searches all
 * strings in the process for the new string. Both are unnecessary for a name that is already in lower case and is
 * stored as a property key. With ten middlewares, this function and sending added headers as text reduce a request from
 * 319,000 to 287,000 instructions (`npm run bench -- --count --only middlewares`, Node 24).
 */
export const headerKey: (name: string) => string = rememberNames(learnKey)

function learnKey(name: string): string {
  // For a name that is not a string, Node's own method throws an error.
  if (typeof name !== 'string') return name
  const lower = name.toLowerCase()
  if (name.length > MAX_LENGTH) return lower
  // V8 stores each property name only once, so equal names are the same string object.
  return Object.keys({ [lower]: true })[0] ?? lower
}

/**
 * The length, in UTF-16 units, from which a string is converted to bytes before it is written. For a string that waits
 * for its client, Node allocates up to three bytes per unit in addition to the string. For example, 100 slow clients of
 * a 5 MB response took 1.1 GB with strings, and 0.6 GB with bytes. From this length on, both take the same CPU time.
 * For strings of 4 and 16 KiB, bytes take up to 7 % more.
 */
const LONG = 64 * 1024

/** Converts a string for writing to a connection: long strings become bytes. */
export function wireText(text: string): string | Buffer {
  return text.length < LONG ? text : Buffer.from(text)
}

/** The framework's own response fields for headers. */
export interface OwnHeaders extends HasHeaderLines {
  [kRemoved]: Set<string> | null
  [kAdded]: readonly string[] | null
  [kIsFilled]: boolean
  /** Only response classes that write added headers together with the head have these two fields. */
  readonly [kTakes]?: (name: string) => string | undefined
  readonly [kStatics]?: StaticHeaders['byName']
}

/**
 * The fast path writes the whole head in one call, with text for headers that never change and a flat array for the
 * other headers. `setHeader` would take longer than the rest of a small response. `isUntouched` checks that the
 * application cannot detect the difference.
 */

const node = ServerResponse.prototype

/** The number of `finish` listeners that Node's server adds. */
const NODE_FINISH_LISTENERS = 1

/** The type of nearly all responses. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/** The header line with {@link JSON_TYPE}. */
export const JSON_LINE: string = headerLine('Content-Type', JSON_TYPE)

/**
 * Whether no header was set or removed, and no code is waiting for the head or the end of the response. Code that waits
 * for the head replaces `writeHead` (as on-headers does) or `end`. Loggers wait for the end and then read headers, but
 * the response does not store the headers of a flat array.
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
  // If the static headers were set individually, an empty list means that all of them were removed.
  return node.getHeaderNames.call(res).length === 0 && res[kRemoved] === null && !res[kIsFilled]
}

/**
 * Writes the head of an untouched response.
 *
 * @param lines Complete header lines as text, including the static headers.
 * @param headers `[name, value, …]`. Headers from `addHeaders` that must be passed to Node are added to this array.
 * @throws if the reason phrase has characters that HTTP does not allow.
 */
export function writeFlatHead(res: Response & OwnHeaders, lines: string, headers: unknown[]): void {
  res[kHeaderLines] = lines + linesOfAdded(res[kAdded] ?? [], headers)
  try {
    node.writeHead.call(res, res.statusCode, headers as OutgoingHttpHeader[])
  } finally {
    // If Node refused the head, a response with other lines follows.
    res[kHeaderLines] = ''
  }
}

/**
 * Returns the lines of added headers, and adds headers that must be passed to Node to `headers`. In the flat array, the
 * two rate limit headers took 1,200 more instructions on Node 24, and 1,800 on Node 20 (`bench:features -- --count
 * --only limit`).
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

/** The headers that every response has unless it changes them, in all necessary forms. */
export interface StaticHeaders {
  /** All header lines, in the HTTP format. */
  readonly text: string
  /** The headers by lower-case name. */
  readonly byName: ReadonlyMap<string, StaticHeader>
}

export interface StaticHeader {
  readonly name: string
  readonly value: string
  /** The header line, in the HTTP format. */
  readonly line: string
}

/**
 * Creates static headers from names and values; `null` if there are none.
 *
 * @throws TypeError for a name or a value that HTTP does not allow.
 */
export function staticHeaders(entries: Iterable<readonly [string, string]>): StaticHeaders | null {
  const byName = new Map<string, StaticHeader>()
  for (const [name, value] of entries) {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    byName.set(name.toLowerCase(), { name, value, line: headerLine(name, value) })
  }
  if (byName.size === 0) return null
  return { text: [...byName.values()].map(({ line }) => line).join(''), byName }
}

/** Returns the line of a header (RFC 9112, section 5). */
export function headerLine(name: string, value: string): string {
  return `${name}: ${value}\r\n`
}

/** A response that can insert text between the first line of its head and the headers that were set. */
interface HasHeaderLines {
  [kHeaderLines]: string
}

/** The undocumented method with which Node writes a head. */
interface HeadWriter {
  _storeHeader(firstLine: string, headers: unknown): void
}

const writer = ServerResponse.prototype as unknown as HeadWriter

/**
 * Writes the header lines of a response together with its head. Node matches every name and value with patterns for
 * each response, which takes 29,000 of the 186,000 instructions of a request with helmet's headers. Headers that never
 * change are checked only once, at boot.
 */
export function defineHeaderLines(prototype: object): void {
  if (!canWriteHeaderLines()) return
  const value = function storeHeaderWithLines(
    this: HasHeaderLines & ServerResponse,
    firstLine: string,
    headers: unknown,
  ): void {
    writer._storeHeader.call(this, firstLine + this[kHeaderLines], headers)
  }
  Object.defineProperty(prototype, '_storeHeader', { value, writable: true, configurable: true })
}

let verdict: boolean | undefined

/**
 * Whether Node sends text after the first line of a head unchanged. All versions of Node have done so, but the
 * documentation does not guarantee it. Otherwise, static headers are set individually.
 */
export function canWriteHeaderLines(): boolean {
  verdict ??= tryHeaderLines()
  return verdict
}

function tryHeaderLines(): boolean {
  // Bun calls this method only for a response without a connection, as in this test.
  if (IS_BUN || typeof writer._storeHeader !== 'function') return false
  class Probe extends ServerResponse {
    _storeHeader(firstLine: string, headers: unknown): void {
      writer._storeHeader.call(this, firstLine + headerLine('X-First', '1'), headers)
    }
  }
  const request = { method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1 } as IncomingMessage
  const res = new Probe(request).writeHead(200, ['X-Own', '2']) as { _header?: unknown }
  return String(res._header).startsWith('HTTP/1.1 200 OK\r\nX-First: 1\r\nX-Own: 2\r\n')
}
