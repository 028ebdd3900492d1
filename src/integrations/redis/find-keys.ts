import type { Send } from './driver.js'
import type { Link } from './link.js'

/** The number of keys that a server scans per `SCAN` command. */
const COUNT = '1000'

/** The keys that match a pattern, on every server, in batches. */
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
