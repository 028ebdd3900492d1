import { createHash } from 'node:crypto'
import type { Send } from './driver.js'
import { isUnknownScript } from './failures.js'
import { Link } from './link.js'
import type { RedisOptions } from './redis-options.js'

const links = new WeakMap<RedisOptions, Link>()

/**
 * Returns the connection for an options object. Connections are shared by object identity, because two equal objects
 * may be intended to be separate.
 */
export function linkOf(options: RedisOptions): Link {
  let link = links.get(options)
  if (link === undefined) {
    link = new Link(options)
    links.set(options, link)
  }
  return link
}

/** The number of keys that a server scans per `SCAN` command. */
const COUNT = '1000'

/** Finds the keys that match a pattern, on every server, in batches. */
export async function* findKeys(link: Link, pattern: string): AsyncGenerator<Buffer[]> {
  for (const send of await link.run(({ masters }) => masters())) {
    yield* findOn(link, send, pattern)
  }
}

async function* findOn(link: Link, send: Send, pattern: string): AsyncGenerator<Buffer[]> {
  let cursor = '0'
  do {
    const args = ['SCAN', cursor, 'MATCH', pattern, 'COUNT', COUNT] as const
    const [next, keys] = (await link.run(() => send(...args))) as [Buffer, Buffer[]]
    cursor = String(next)
    if (keys.length > 0) yield keys
  } while (cursor !== '0')
}

/**
 * The default timeout for stores on which requests depend. A late reply to such a store results in a 503 response
 * instead of just a cache miss.
 */
const PATIENT = '500ms'

/** Returns the connection for an options object, with a longer default timeout than for a cache. */
export function patientLinkOf(options: RedisOptions): Link {
  return linkOf(options.timeout === undefined ? { ...options, timeout: PATIENT } : options)
}

/** A Redis script. By the digest, the server finds a script that it has already run. */
export interface Script {
  readonly text: string
  readonly digest: string
}

export function script(text: string): Script {
  return { text, digest: createHash('sha1').update(text).digest('hex') }
}

/**
 * Runs a script on one key.
 *
 * @param words The key, then the arguments.
 */
export async function runScript(
  link: Link,
  { text, digest }: Script,
  words: readonly string[],
): Promise<unknown> {
  try {
    return await link.run(({ sendScript }) => sendScript('EVALSHA', digest, '1', ...words))
  } catch (error) {
    // The script did not run, so it is safe to send it again. `EVAL` also stores it until the server restarts.
    if (!isUnknownScript(error)) throw error
    return await link.run(({ sendScript }) => sendScript('EVAL', text, '1', ...words))
  }
}
