import { connect } from 'node:net'
import type { PgClient } from './pg-package.js'

/** PostgreSQL documentation, 54.7: the number that stands where a version would. */
const CANCEL_REQUEST = 80_877_102
/** Longer than this it is of no use: the server is not there. */
const PATIENCE_MS = 2000

/**
 * Asks the server to end what a connection runs, over a connection of its own. Best effort: nobody hears whether it has helped. It goes
 * unencrypted, as that of `libpq` did until PostgreSQL 17; what it tells ends with the connection.
 */
export function cancelStatement({ host, port, processID, secretKey }: PgClient): void {
  if (processID === null || secretKey === null) return
  const place = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
  // The server ends it. PgBouncer before 1.20 comes to its own end where the client is the first to (pgbouncer#801).
  const socket = connect(place, () => socket.write(cancelRequest(processID, secretKey)))
  const end = () => socket.destroy()
  socket.on('error', end).setTimeout(PATIENCE_MS, end).unref()
  // The server says nothing.
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
