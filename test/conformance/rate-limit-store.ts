import { randomUUID } from 'node:crypto'
import type { RateLimitStore } from 'blazon'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** A store that is open, and time as it sees it. */
export interface StoreUnderTest {
  readonly store: RateLimitStore
  /** Lets so many milliseconds pass. */
  pass(ms: number): Promise<void>
}

/** What every store promises of its counts. The store may be shared with others: keys here are new each time. */
export function describeRateLimitStore(name: string, makeStore: () => Promise<StoreUnderTest>) {
  describe(`${name}, as a store of rate limits`, () => {
    let under: StoreUnderTest
    let run: string
    beforeEach(async () => {
      under = await makeStore()
      run = randomUUID()
    })
    afterEach(async () => {
      await under.store.close?.()
    })

    /** Counts one request. */
    const consume = async (key: string, limit: number, windowMs = 60_000) =>
      under.store.consume({ key: run + key, limit, windowMs })
    /** Counts several at once; how many of them were allowed. */
    const allowed = async (times: number, key: string, limit: number, windowMs?: number) => {
      const all = Array.from({ length: times }, () => consume(key, limit, windowMs))
      return (await Promise.all(all)).filter(({ isAllowed }) => isAllowed).length
    }

    it('allows what is within the limit, and says what is left', async () => {
      const results = []
      for (let i = 0; i < 4; i++) results.push(await consume('a', 3))
      expect(results.map(({ isAllowed }) => isAllowed)).toEqual([true, true, true, false])
      expect(results.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0])
    })

    it('says when the window ends, which refusals do not put off', async () => {
      const first = await consume('a', 1)
      await under.pass(1)
      const refused = await consume('a', 1)
      expect(refused.isAllowed).toBe(false)
      expect(first.resetMs).toBeGreaterThan(0)
      expect(first.resetMs).toBeLessThanOrEqual(60_000)
      expect(refused.resetMs).toBeLessThanOrEqual(first.resetMs)
    })

    it('allows exactly the limit of any number at once', async () => {
      expect(await allowed(100, 'a', 37)).toBe(37)
      expect(await allowed(100, 'a', 37)).toBe(0)
    })

    it('begins another window after the end of one', async () => {
      expect(await allowed(3, 'a', 1, 2000)).toBe(1)
      await under.pass(2100)
      expect(await allowed(3, 'a', 1, 2000)).toBe(1)
    })

    it('begins each window with its first request', async () => {
      await consume('early', 2, 4000)
      await under.pass(2000)
      await consume('late', 2, 4000)
      await under.pass(2100)
      expect((await consume('early', 2, 4000)).remaining).toBe(1)
      expect((await consume('late', 2, 4000)).remaining).toBe(0)
    })

    it.each([
      ['a separator', 'a:b', 'a'],
      ['letter case', 'a', 'A'],
      ['white space', 'a', 'a '],
      ['a line break', 'a\r\nb', 'a'],
      ['a NUL', 'a\0', 'a'],
      ['what looks like a pattern', '*', 'a'],
      ['names of properties', '__proto__', 'constructor'],
      ['look-alikes', 'а', 'a'],
      ['composition', '\u00e9', 'e\u0301'],
      ['nothing', '', ' '],
      ['the ends of long keys', `${'x'.repeat(10_000)}1`, `${'x'.repeat(10_000)}2`],
    ])('tells keys apart by %s', async (_, one, other) => {
      expect(await allowed(2, one, 1)).toBe(1)
      expect(await allowed(2, other, 1)).toBe(1)
    })

    it('keeps many keys apart', async () => {
      const keys = Array.from({ length: 500 }, (_, i) => `key ${i}`)
      const results = await Promise.all(keys.map((key) => allowed(2, key, 1)))
      expect(results.every((count) => count === 1)).toBe(true)
    })

    it('counts to a limit that nobody reaches', async () => {
      const limit = 999_999_999_999_999
      expect((await consume('a', limit)).remaining).toBe(limit - 1)
    })
  })
}
