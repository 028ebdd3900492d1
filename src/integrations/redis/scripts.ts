import { createHash } from 'node:crypto'
import { isUnknownScript } from './describe-failure.js'
import type { Link } from './link.js'

/** A script of Redis. The server finds one that it has run before by its digest. */
export interface Script {
  readonly text: string
  readonly digest: string
}

export function script(text: string): Script {
  return { text, digest: createHash('sha1').update(text).digest('hex') }
}

/** Runs a script on one key. @param words The key, then the arguments. */
export async function runScript(
  link: Link,
  { text, digest }: Script,
  words: readonly string[],
): Promise<unknown> {
  try {
    return await link.run(({ sendScript }) => sendScript('EVALSHA', digest, '1', ...words))
  } catch (error) {
    // The script did not run, so it may run now. `EVAL` also stores it until the server restarts.
    if (!isUnknownScript(error)) throw error
    return await link.run(({ sendScript }) => sendScript('EVAL', text, '1', ...words))
  }
}
