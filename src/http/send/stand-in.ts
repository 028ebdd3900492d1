import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

type Headers = OutgoingHttpHeaders | readonly (OutgoingHttpHeader | readonly [string, string])[]

/** The methods of a response that an adapter can replace to collect the response. */
export type Collectors = Pick<ServerResponse, 'writeHead' | 'write' | 'end' | 'destroy'>

/** A connection in which any member can be missing. */
type MockSocket = Partial<Pick<Socket, 'end'>> & {
  write?: (...args: unknown[]) => unknown
  destroySoon?: () => void
  writableLength?: number
}

const node = ServerResponse.prototype

/** Returns the functions that collect a response without a connection; `null` if the response has a connection. */
export function collectorsOf(res: ServerResponse, req: IncomingMessage): Collectors | null {
  // A response that is waiting for an earlier response on its connection has no socket yet.
  if ((res.socket ?? req.socket) instanceof Duplex) return null
  const { writeHead, write, end, destroy } = res
  return { writeHead, write, end, destroy }
}

/**
 * Prepares a response that has no connection. Serverless adapters turn such a response into an event:
 *
 * - At the end, they read `getHeaders()`. It does not contain headers that were only written with the head. Therefore,
 *   all headers are set by name.
 * - They collect the body in methods of their class, or in a mock connection. Therefore, these methods are kept.
 * - They wait for `finish` or `error`. An aborted response emits `error`, because there is no connection to close.
 */
export function prepareStandIn(
  res: ServerResponse,
  { writeHead, destroy, write, end }: Collectors,
): void {
  if (res.socket != null) completeMock(res.socket as MockSocket, res)
  // A middleware of the host can wait for the head in its own `writeHead`.
  if (!Object.hasOwn(res, 'writeHead')) {
    res.writeHead = headWriter(writeHead === node.writeHead ? null : writeHead)
  }
  Object.assign(res, { write, end, destroy: destroy === node.destroy ? failOnDestroy : destroy })
}

/** Adds the members that Node and the framework read from a connection. */
function completeMock(socket: MockSocket, res: ServerResponse): void {
  // Node reads this property to check whether everything has been written.
  socket.writableLength ??= 0
  const { write } = socket
  if (typeof write === 'function') {
    // A mock does not emit `drain`, so the result must be `true`. Otherwise, a writer would wait for `drain`.
    socket.write = (...args) => write.apply(socket, args) ?? true
  }
  if (typeof socket.end !== 'function') socket.destroySoon ??= () => res.destroy()
}

/** Destroys a response, and emits `error` if the adapter listens for it. */
function failOnDestroy(this: ServerResponse, error?: Error): ServerResponse {
  if (this.destroyed) return this
  node.destroy.call(this, error)
  if (this.writableEnded) return this
  setImmediate(() => {
    this.emit('error', error ?? new Error('The response was aborted'))
    this.emit('close')
  })
  return this
}

/**
 * Returns a `writeHead` that sets the headers in its arguments, and then calls the adapter's `writeHead`, or otherwise
 * the `writeHead` of the response's class. With nested applications, this is the class of the responding application.
 */
function headWriter(theirs: Collectors['writeHead'] | null): Collectors['writeHead'] {
  return function writeSetHead(this: ServerResponse, status: number, ...rest: unknown[]) {
    const [first, second] = rest
    const reason = typeof first === 'string' ? first : undefined
    setAll(this, (reason === undefined ? (second ?? first) : second) as Headers | undefined)
    // This call also sets the headers of the application.
    if (theirs !== null) this.getHeaders()
    const { writeHead } = theirs === null ? Object.getPrototypeOf(this) : { writeHead: theirs }
    writeHead.apply(this, reason === undefined ? [status] : [status, reason])
    return this
  }
}

function setAll(res: ServerResponse, headers: Headers | undefined): void {
  if (!Array.isArray(headers)) {
    for (const [name, value] of Object.entries(headers ?? {})) {
      if (value !== undefined) res.setHeader(name, value as OutgoingHttpHeader)
    }
    return
  }
  const pairs = pairsOf(headers)
  for (const [name] of pairs) res.removeHeader(name)
  for (const [name, value] of pairs) res.appendHeader(name, value)
}

/** Node accepts both `[name, value, …]` and `[[name, value], …]`. */
function pairsOf(headers: readonly unknown[]): [string, string][] {
  if (Array.isArray(headers[0])) return headers as [string, string][]
  return Array.from({ length: headers.length / 2 }, (_, i) => [
    headers[2 * i] as string,
    headers[2 * i + 1] as string,
  ])
}
