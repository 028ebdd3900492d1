// What every candidate does alike: it is told what to be, says where it listens, and ends with its parent.
import { KEEP_ALIVE_SECONDS } from '../orders.mjs'

/** The application that this process is, or the variant: the first argument. */
export const workload = process.argv[2]

/** Listens on a free port of loopback and reports it. */
export function serve(server) {
  server.keepAliveTimeout = KEEP_ALIVE_SECONDS * 1000
  server.listen(0, '127.0.0.1', () => announce(server.address().port))
}

export function announce(port) {
  process.on('disconnect', () => process.exit())
  process.send({ port })
}
