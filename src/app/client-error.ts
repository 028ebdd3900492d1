import type { Duplex } from 'node:stream'
import type { Response } from '../contracts/handler.js'
import { clientErrorResponse } from '../pipeline/fail.js'

/** Bytes that may still come in while others of the connection are answered; Node's parser refuses each piece of them anew. */
const MOST_UNREADABLE_BYTES = 1024 * 1024
/** How long a client may take to close its side: as for a refused body, it can read the answer meanwhile. */
const LINGER_MS = 1000

/** What Node notes on a connection: not part of its documented interface. */
interface Connection extends Duplex {
  /** The response whose turn it is. */
  readonly _httpMessage?: Response | null
  readonly bytesRead?: number
}

/** Connections on which nothing more is understood, and how many bytes had come until then. */
const refusedAt = new WeakMap<Connection, number>()

/**
 * Answers what Node's parser could not read as a request, or what did not come in time. The connection ends with it, but not before
 * the requests that came before: each of them is answered first, in its turn, and takes the time that it would take anyway.
 */
export function handleClientError(error: NodeJS.ErrnoException, socket: Connection): void {
  if (error.code === 'ECONNRESET') return void socket.destroy()
  const { bytesRead = 0 } = socket
  const before = refusedAt.get(socket)
  if (before === undefined) {
    refusedAt.set(socket, bytesRead)
    refuse(error, socket)
  } else if (bytesRead - before > MOST_UNREADABLE_BYTES) socket.destroy()
}

function refuse(error: NodeJS.ErrnoException, socket: Connection): void {
  // An answer before has said that it is the last.
  if (!socket.writable) return end(socket, '')
  const answer = socket._httpMessage ?? null
  // Nobody is being answered, or the request that is broken, and whose own answer this will be.
  if (answer === null || hasNoResponse(answer)) return end(socket, clientErrorResponse(error))
  // Whatever is written into another answer would be read as part of it. One to the broken request itself may wait for the rest of it.
  if (answer.req.complete) answer.once('finish', () => refuse(error, socket))
  else end(socket, '')
}

function hasNoResponse({ headersSent, req }: Response): boolean {
  return !headersSent && !req.complete
}

/** Lets go of a connection once what is written has been sent. A client that sends on until then would miss it if the connection were cut. */
function end(socket: Connection, answer: string): void {
  if (socket.destroyed) return
  if (socket.writable) socket.end(answer)
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  timer.unref()
  socket.once('close', () => clearTimeout(timer))
}
