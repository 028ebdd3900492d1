import { connect } from 'node:net'
import type { PgClient } from './pg-package.js'

/** The number that replaces the protocol version in a cancel request (PostgreSQL documentation, 54.7). */
const CANCEL_REQUEST = 80_877_102
/** The maximum wait for the server to close the connection, in milliseconds. After that, cancelling is useless. */
const MAX_WAIT_MS = 2000

/**
 * Sends the server a request, over a separate connection, to cancel a connection's running statement. The server does
 * not report the result, so the cancellation is not guaranteed. The request is not encrypted, as in `libpq` before
 * PostgreSQL 17. The key in the request is valid only until the connection ends.
 */
export function cancelStatement({ host, port, processID, secretKey }: PgClient): void {
  if (processID === null || secretKey === null) return
  const place = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
  // The server must close the socket first: PgBouncer before 1.20 terminates if the client does (pgbouncer#801).
  const socket = connect(place, () => socket.write(cancelRequest(processID, secretKey)))
  const end = () => socket.destroy()
  socket.on('error', end).setTimeout(MAX_WAIT_MS, end).unref()
  // The server sends no data, but the socket must be read to detect its end.
  socket.resume()
}

function cancelRequest(processId: number, secretKey: number): Buffer {
  const request = Buffer.alloc(16)
  request.writeInt32BE(request.length, 0)
  request.writeInt32BE(CANCEL_REQUEST, 4)
  request.writeInt32BE(processId, 8)
  request.writeInt32BE(secretKey, 12)
  return request
}
