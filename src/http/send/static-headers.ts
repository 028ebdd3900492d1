import {
  type IncomingMessage,
  ServerResponse,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http'
import { IS_BUN } from '../runtime.js'
import { kHeaderLines } from '../symbol-fields.js'

/** The headers of every response, unless a handler or a middleware changes one, in the forms that responses need. */
export interface StaticHeaders {
  /** All header lines, as they are sent. */
  readonly text: string
  /** By lower-case name. */
  readonly byName: ReadonlyMap<string, StaticHeader>
}

/** One static header. */
export interface StaticHeader {
  readonly name: string
  readonly value: string
  /** The header line, as it is sent. */
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

/** A response that can put text between the first line of its head and the headers that were set. */
export interface HasHeaderLines {
  [kHeaderLines]: string
}

/** The method with which Node writes a head; no part of its documented interface. */
interface HeadWriter {
  _storeHeader(firstLine: string, headers: unknown): void
}

const node = ServerResponse.prototype as unknown as HeadWriter

/**
 * Writes the header lines of a response together with its head. Node checks every name and value with two patterns at each
 * response: 29,000 of the 186,000 instructions of a request with helmet's headers. Headers that never change are
 * checked once, at boot.
 */
export function defineHeaderLines(prototype: object): void {
  if (!canWriteHeaderLines()) return
  const value = function storeHeaderWithLines(
    this: HasHeaderLines & ServerResponse,
    firstLine: string,
    headers: unknown,
  ): void {
    node._storeHeader.call(this, firstLine + this[kHeaderLines], headers)
  }
  Object.defineProperty(prototype, '_storeHeader', { value, writable: true, configurable: true })
}

let verdict: boolean | undefined

/**
 * Whether Node sends text after the first line of a head unchanged. Every version of Node has done so, but its
 * documentation does not promise it. If Node does not, static headers are set one by one.
 */
export function canWriteHeaderLines(): boolean {
  verdict ??= tryHeaderLines()
  return verdict
}

function tryHeaderLines(): boolean {
  // Bun calls the method only for a response without a connection, as in this trial.
  if (IS_BUN || typeof node._storeHeader !== 'function') return false
  class Probe extends ServerResponse {
    _storeHeader(firstLine: string, headers: unknown): void {
      node._storeHeader.call(this, firstLine + headerLine('X-First', '1'), headers)
    }
  }
  const request = { method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1 } as IncomingMessage
  const res = new Probe(request).writeHead(200, ['X-Own', '2']) as { _header?: unknown }
  return String(res._header).startsWith('HTTP/1.1 200 OK\r\nX-First: 1\r\nX-Own: 2\r\n')
}
