import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Clock, ConfigError, memoryRateLimit } from 'blazon'
import type { RateLimitResult } from 'blazon/plugin'
import { describe, expect, it } from 'vitest'
import { describeRateLimitStore } from '../../conformance/rate-limit-store.js'
import { rounds } from '../../rounds.js'

/** A clock that only `pass` moves. */
function manualClock() {
  let time = 1000
  const never = () => ({ cancel() {} })
  const clock: Clock = {
    now: () => 1_700_000_000_000 - time,
    monotonic: () => time,
    setTimeout: never,
    setInterval: never,
  }
  return {
    clock,
    pass: async (ms: number) => {
      time += ms
    },
  }
}

function openStore(maxKeys?: number) {
  const { clock, pass } = manualClock()
  const warnings: unknown[] = []
  const logger = { info() {}, warn: (...args: unknown[]) => warnings.push(args), error() {} }
  const store = memoryRateLimit(maxKeys === undefined ? {} : { maxKeys })
  store.open?.({ clock, logger })
  const consume = (key: string, limit: number, windowMs = 60_000) =>
    store.consume({ key, limit, windowMs }) as RateLimitResult
  return { store, pass, consume, warnings }
}

describeRateLimitStore('memory', async () => openStore())
describe('memoryRateLimit', () => {
  it.each([0, -1, 1.5, Number.NaN, '10'])('refuses maxKeys: %s', (maxKeys) => {
    expect(() => memoryRateLimit({ maxKeys: maxKeys as number })).toThrow(RangeError)
  })

  it('refuses an unknown option', () => {
    expect(() => memoryRateLimit({ maxkeys: 1 } as never)).toThrow(ConfigError)
  })

  it('warns once about shared counters, whatever number of limits share them', () => {
    const { consume, warnings } = openStore(1)
    consume('own', 1)
    for (const limit of [1, 2, 3]) consume(`shared ${limit}`, limit)
    expect(warnings).toEqual([[{ maxKeys: 1 }, expect.stringContaining('share a counter')]])
  })

  it('starts a shared count again at the exact end of its window', async () => {
    const { consume, pass } = openStore(1)
    expect(consume('own', 1).isAllowed).toBe(true)
    expect(consume('shared', 1).isAllowed).toBe(true)
    await pass(1)
    expect(consume('later', 1).isAllowed).toBe(true)
    await pass(59_998)
    expect(consume('shared', 1).isAllowed).toBe(false)
    await pass(1)
    expect(consume('shared', 1).isAllowed).toBe(true)
    expect(consume('later', 1).isAllowed).toBe(false)
    await pass(1)
    expect(consume('later', 1).isAllowed).toBe(true)
  })

  it('returns a result, not a promise', () => {
    expect(openStore().consume('a', 1)).toEqual({ isAllowed: true, remaining: 0, resetMs: 60_000 })
  })

  it('returns a resetMs within the window even if the clock has fractions of milliseconds', async () => {
    const { consume, pass } = openStore()
    // (79513.68… + 60000) - 79513.68… is 60000.000000000015.
    await pass(78513.68350913234)
    expect(consume('a', 1).resetMs).toBe(60_000)
  })

  it('throws before it is opened', () => {
    const count = { key: 'a', limit: 1, windowMs: 1000 }
    expect(() => memoryRateLimit().consume(count)).toThrow('not open')
  })

  it('keeps the count of one key when a client uses 100,000 other keys', () => {
    const { consume, warnings } = openStore(100)
    expect([consume('mine', 2), consume('mine', 2)].map(({ remaining }) => remaining)).toEqual([
      1, 0,
    ])
    for (let i = 0; i < 100_000; i++) consume(`other ${i}`, 2)
    expect(consume('mine', 2).isAllowed).toBe(false)
    expect(warnings).toHaveLength(1)
  })

  it('allows a key at most three times its limit within one window, however many keys exist', async () => {
    const { consume, pass } = openStore(50)
    const allowedAt = new Map<string, number[]>()
    let time = 0
    // Windows end and begin throughout, so that keys move into the free places and out of them.
    for (let i = 0; i < 60_000; i++) {
      if (i % 20 === 0) await pass(7)
      if (i % 20 === 0) time += 7
      const key = `key ${(i * i * 31) % 211}`
      if (!consume(key, 3, 1000).isAllowed) continue
      allowedAt.set(key, [...(allowedAt.get(key) ?? []).slice(-9), time])
      const times = allowedAt.get(key) as number[]
      if (times.length === 10 && time - (times[0] as number) < 1000)
        throw new Error(`10 in 1 s: ${key}`)
    }
    expect(time).toBeGreaterThan(20_000)
    expect(allowedAt.size).toBeGreaterThan(50)
  })

  it('continues to refuse a key of the shared counter after a place becomes free', async () => {
    const { consume, pass } = openStore(1)
    consume('first', 5, 1000)
    await pass(900)
    for (let i = 0; i < 5; i++) expect(consume('late', 5, 1000).isAllowed).toBe(true)
    // The window of the first key has ended, and its place is free.
    await pass(200)
    expect(consume('late', 5, 1000).isAllowed).toBe(false)
    await pass(800)
    expect(consume('late', 5, 1000).isAllowed).toBe(true)
  })

  it('reuses the places of ended windows', async () => {
    const { consume, pass, warnings } = openStore(10)
    for (let round = 0; round < 100; round++) {
      for (let i = 0; i < 10; i++) {
        expect(consume(`round ${round} key ${i}`, 1, round % 2 ? 1000 : 2000).isAllowed).toBe(true)
      }
      await pass(2000)
    }
    expect(warnings).toEqual([])
  })

  it('uses one place for a key that returns in every window', async () => {
    const { consume, pass, warnings } = openStore(2)
    for (let i = 0; i < 1000; i++) {
      expect(consume('a', 1, 1000).isAllowed).toBe(true)
      expect(consume('b', 1, 1000).isAllowed).toBe(true)
      await pass(1000)
    }
    expect(warnings).toEqual([])
  })

  it('keeps the counts of keys that return before their ended windows are removed', async () => {
    const { consume, pass } = openStore()
    const keys = Array.from({ length: 9 }, (_, i) => `key ${i}`)
    const round = () => keys.map((key) => consume(key, 1).isAllowed)
    expect(round()).not.toContain(false)
    await pass(60_000)
    // Each new window removes a few ended ones, the oldest first. So the last keys return before that.
    keys.reverse()
    expect(round()).not.toContain(false)
    for (let i = 0; i < keys.length; i++) consume(`other ${i}`, 1)
    expect(round()).not.toContain(true)
  })

  it('uses a bounded amount of memory for any number of keys', () => {
    const gc = exposeGc()
    const { consume } = openStore()
    gc()
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < rounds(1_000_000, 150_000); i++)
      consume(`i:2001:db8:${i.toString(16)}:0::/56`, 100)
    gc()
    const grown = process.memoryUsage().heapUsed - before
    expect(grown).toBeGreaterThan(1_000_000)
    expect(grown).toBeLessThan(50_000_000)
    expect(consume('one more', 100).remaining).toBeLessThan(100)
  })

  it('removes all counts when it closes', () => {
    const { store, consume } = openStore()
    consume('a', 1)
    store.close?.()
    expect(consume('a', 1).isAllowed).toBe(true)
  })
})

function exposeGc(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}
