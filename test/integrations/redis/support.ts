import type { CacheEntry, StoreContext } from '../../../src/contracts/cache.js'
import { TestClock } from '../../../src/testing/test-clock.js'

/** A context to open stores with, and the lines that it logged. */
export function testContext() {
  const clock = new TestClock()
  const logged: { level: string; facts: object; message: string }[] = []
  const log = (level: string) => (facts: object, message: string) => {
    logged.push({ level, facts, message })
  }
  const logger = { info: log('info'), warn: log('warn'), error: log('error') }
  const context: StoreContext = { clock, logger }
  return { context, clock, logged }
}

/** An entry with a text body. */
export function entry(body: string, more: Partial<CacheEntry> = {}): CacheEntry {
  const times = { createdAt: 1000, freshUntil: 61_000 }
  return { owner: null, user: null, kind: 'value', body, headers: [], tags: [], ...times, ...more }
}
