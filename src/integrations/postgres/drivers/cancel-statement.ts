import { connect } from 'node:net'
import type { PgClient } from './pg-package.js'

/** PostgreSQL documentation, 54.7: the number in the place of the protocol version. */
const CANCEL_REQUEST = 80_877_102
/** The limit in milliseconds. If the server has not closed the connection by then, cancelling is useless. */
const MAX_WAIT_MS = 2000

/**
 * Requests that the server cancels the statement that a connection runs, over a separate connection. The server does
 * not report the result, so this is best effort. The request is not encrypted, as in `libpq` before PostgreSQL 17. The
 * key that it reveals is valid only until the connection ends.
 */
export function cancelStatement({ host, port, processID, secretKey }: PgClient): void {
  if (processID === null || secretKey === null) return
  const place = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
  // Let the server close the socket: PgBouncer before 1.20 terminates if the client closes it first
  // (pgbouncer#801).
  const socket = connect(place, () => socket.write(cancelRequest(processID, secretKey)))
  const end = () => socket.destroy()
  socket.on('error', end).setTimeout(MAX_WAIT_MS, end).unref()
  // The server sends no data, but the socket must be read to notice its end.
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
