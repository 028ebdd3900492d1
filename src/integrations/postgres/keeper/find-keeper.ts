import { resolve } from 'node:path'
import { ConfigError } from '../../../index.js'
import type { EmbeddedEngine } from '../drivers/pglite-package.js'
import type { Opening } from './protocol.js'

/** Starts a process that outlives this one, unless it is already running, and returns its first message. */
type Keep = (module: string, argument: string) => Promise<Opening>

/**
 * The key of the function that `blazon dev` defines in application processes. All other processes open their databases
 * themselves.
 */
const KEEP = Symbol.for('blazon.keep')

/**
 * Returns a function that opens a folder's database in a process that outlives this one. If the folder cannot be used,
 * the returned function throws the same ConfigError as without a keeper. Returns `undefined` in a process that
 * `blazon dev` has not started.
 */
export function findKeeper(): ((folder: string) => Promise<EmbeddedEngine>) | undefined {
  const keep = (globalThis as { [KEEP]?: Keep })[KEEP]
  if (keep === undefined) return undefined
  return async (folder) => {
    const opening = await keep(new URL('./main.js', import.meta.url).href, resolve(folder))
    if (!('path' in opening)) throw unusable(opening)
    const { KeptEngine } = await import('./kept-engine.js')
    return await KeptEngine.connect(opening.path)
  }
}

function unusable({ message, problems }: Exclude<Opening, { path: string }>): Error {
  return problems === undefined ? new Error(message) : new ConfigError(problems)
}
