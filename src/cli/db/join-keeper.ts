import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'

/**
 * The key under which `blazon/postgres` looks for a function that returns the socket of an embedded database, and the file in
 * which a process of `blazon dev` notes it. `integrations/postgres/keeper/` has both lines again: this room must not import
 * the internal files of an integration.
 */
const KEEP = Symbol.for('blazon.keep')
const LOCK_FILE = 'blazon.lock'

/**
 * Lets this process use the embedded database of a folder through `blazon dev`, if the command has it open. Otherwise
 * two processes would need it, and only one can open it.
 *
 * @returns a function that ends this.
 */
export async function joinKeeper(folder: string): Promise<() => void> {
  const path = socketOf(folder)
  if (path === undefined || !(await responds(path))) return () => {}
  const holder = globalThis as { [KEEP]?: unknown }
  holder[KEEP] = async () => ({ path, marker: join(folder, LOCK_FILE) })
  return () => delete holder[KEEP]
}

function socketOf(folder: string): string | undefined {
  try {
    const { socket } = JSON.parse(readFileSync(join(folder, LOCK_FILE), 'utf8'))
    return typeof socket === 'string' ? socket : undefined
  } catch {
    // No process has the database open, or the lock is just being written.
    return undefined
  }
}

/** The process may have been killed, and its lock is left. */
function responds(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
