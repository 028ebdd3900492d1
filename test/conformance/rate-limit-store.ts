import { randomUUID } from 'node:crypto'
import type { RateLimitStore } from 'blazon'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** An open store, with a function that moves its time. */
export interface StoreUnderTest {
  readonly store: RateLimitStore
  /** Lets at least this number of milliseconds pass for the store. */
  pass(ms: number): Promise<void>
}

/** The conformance suite of `RateLimitStore`. Other processes may use the store, so each test uses new keys. */
export function describeRateLimitStore(name: string, makeStore: () => Promise<StoreUnderTest>) {
  describe(`${name} as a RateLimitStore`, () => {
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
    /** Counts concurrent requests. Returns how many were allowed. */
    const allowed = async (times: number, key: string, limit: number, windowMs?: number) => {
      const all = Array.from({ length: times }, () => consume(key, limit, windowMs))
      return (await Promise.all(all)).filter(({ isAllowed }) => isAllowed).length
    }

    it('allows requests up to the limit and returns the number that remain', async () => {
      const results = []
      for (let i = 0; i < 4; i++) results.push(await consume('a', 3))
      expect(results.map(({ isAllowed }) => isAllowed)).toEqual([true, true, true, false])
      expect(results.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0])
    })

    it('returns the time until the window ends, which refused requests do not extend', async () => {
      const first = await consume('a', 1)
      await under.pass(1)
      const refused = await consume('a', 1)
      expect(refused.isAllowed).toBe(false)
      expect(first.resetMs).toBeGreaterThan(0)
      expect(first.resetMs).toBeLessThanOrEqual(60_000)
      expect(refused.resetMs).toBeLessThanOrEqual(first.resetMs)
    })

    it('allows exactly the limit among 100 concurrent requests', async () => {
      expect(await allowed(100, 'a', 37)).toBe(37)
      expect(await allowed(100, 'a', 37)).toBe(0)
    })

    it('starts a new window after the end of the previous one', async () => {
      expect(await allowed(3, 'a', 1, 2000)).toBe(1)
      await under.pass(2100)
      expect(await allowed(3, 'a', 1, 2000)).toBe(1)
    })

    it('starts the window of each key with the first request of the key', async () => {
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
      ['a pattern character', '*', 'a'],
      ['names of properties', '__proto__', 'constructor'],
      ['letters that look alike', 'а', 'a'],
      ['Unicode composition', '\u00e9', 'e\u0301'],
      ['an empty key', '', ' '],
      ['the last character of a long key', `${'x'.repeat(10_000)}1`, `${'x'.repeat(10_000)}2`],
    ])('counts two keys separately: %s', async (_, one, other) => {
      expect(await allowed(2, one, 1)).toBe(1)
      expect(await allowed(2, other, 1)).toBe(1)
    })

    it('counts 500 keys separately', async () => {
      const keys = Array.from({ length: 500 }, (_, i) => `key ${i}`)
      const results = await Promise.all(keys.map((key) => allowed(2, key, 1)))
      expect(results.every((count) => count === 1)).toBe(true)
    })

    it('supports a limit of 15 digits', async () => {
      const limit = 999_999_999_999_999
      expect((await consume('a', limit)).remaining).toBe(limit - 1)
    })
  })
}
