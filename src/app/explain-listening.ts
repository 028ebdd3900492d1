import { existsSync, lstatSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname } from 'node:path'

/**
 * Adds the cause and a remedy to the message of an error of `server.listen`. The error stays the same object, with its
 * `code`.
 *
 * @param place The port, or the path of a socket.
 */
export async function explainListening(error: unknown, place: number | string): Promise<unknown> {
  if (!(error instanceof Error)) return error
  const { code } = error as NodeJS.ErrnoException
  const reason =
    typeof place === 'string' ? await reasonOfPath(code, place) : reasonOfPort(code, place)
  if (reason !== null) error.message += `. ${reason}`
  return error
}

function reasonOfPort(code: string | undefined, port: number): string | null {
  if (code !== 'EADDRINUSE') return null
  return `Another program uses port ${port}: end it, or choose another one.`
}

async function reasonOfPath(code: string | undefined, path: string): Promise<string | null> {
  // Node reports a folder that is missing as a permission that is missing.
  if (code === 'EACCES' && !existsSync(dirname(path))) {
    return `The folder ${dirname(path)} does not exist: create it, or choose another path.`
  }
  if (code !== 'EADDRINUSE') return null
  // Windows lists no pipes.
  const file = lstatSync(path, { throwIfNoEntry: false })
  if (file !== undefined && !file.isSocket()) {
    return 'The path belongs to a file or folder that is not a socket: choose another path.'
  }
  return (await isStale(path))
    ? 'No program listens at this socket: a process that was killed has left it. Remove the file, and start again.'
    : 'Another program uses this path: end it, or choose another one.'
}

/** Whether no process has opened the socket. */
function isStale(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path })
    socket.once('connect', () => {
      socket.destroy()
      resolve(false)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'))
  })
}
