import { type CacheStore, type MemoryCacheOptions, memoryCache } from 'blazon'
import { describe, expect, it } from 'vitest'
import { TestClock } from '../../../src/testing/test-clock.js'
import { describeCacheStore, entryOf } from '../../conformance/cache-store.js'

const HOUR = 3_600_000
const logger = { info() {}, warn() {}, error() {} }

async function open(
  options?: MemoryCacheOptions,
): Promise<{ store: CacheStore; clock: TestClock }> {
  const clock = new TestClock()
  await clock.advance(0)
  const store = memoryCache(options)
  await store.open?.({ clock, logger })
  return { store, clock }
}

describeCacheStore('memoryCache()', async () => {
  const { store, clock } = await open()
  return {
    store,
    pass: (ms) => clock.advance(ms / 1000),
    end: async () => void (await store.close?.()),
  }
})

/** The number of keys of an owner that the store still has. */
async function countOf(store: CacheStore, owner: string, upTo: number): Promise<number> {
  let count = 0
  for (let i = 0; i < upTo; i++) if ((await store.get(`${owner}:${i}`)) !== undefined) count++
  return count
}

async function fill(
  store: CacheStore,
  owner: string,
  { from = 0, to }: { from?: number; to: number },
) {
  for (let i = from; i < to; i++) {
    await store.set(`${owner}:${i}`, entryOf({ owner, body: '1' }), HOUR)
  }
}

describe('memoryCache()', () => {
  it('throws before it is opened and after it is closed', async () => {
    expect(() => memoryCache().get('a')).toThrow(/not open/)
    const { store } = await open()
    store.close?.()
    expect(() => store.get('a')).toThrow(/not open/)
  })

  it('expires an entry at the exact millisecond, even if the wall clock changes', async () => {
    const { store, clock } = await open()
    await store.set('a', entryOf(), 1000)
    clock.set('2000-01-01')
    await clock.advance('999ms')
    expect(store.get('a')).toBeDefined()
    clock.set('2100-01-01')
    expect(store.get('a')).toBeDefined()
    await clock.advance('1ms')
    expect(store.get('a')).toBeUndefined()
  })

  it('returns values, not promises', async () => {
    const { store } = await open()
    expect(store.set('a', entryOf(), HOUR)).toBeUndefined()
    expect(store.get('a')).toMatchObject({ body: '"body"' })
    expect(store.versions(['a'])).toEqual(['1'])
  })

  it('keeps only the most recently used entries, at most maxEntries', async () => {
    const { store } = await open({ maxEntries: 100 })
    await fill(store, 'a', { to: 100 })
    store.get('a:0')
    await fill(store, 'a', { from: 100, to: 150 })
    expect(store.get('a:0')).toBeDefined()
    expect(store.get('a:1')).toBeUndefined()
    expect(await countOf(store, 'a', 150)).toBe(100)
  })

  it('keeps at most maxBytes, and no entry that is larger than maxBytes', async () => {
    const { store } = await open({ maxBytes: 100_000 })
    for (let i = 0; i < 100; i++) {
      await store.set(`key ${i}`, entryOf({ body: 'x'.repeat(9500) }), HOUR)
    }
    const kept = Array.from({ length: 100 }, (_, i) => store.get(`key ${i}`))
    expect(kept.filter((entry) => entry !== undefined)).toHaveLength(9)
    await store.set('key 99', entryOf({ body: 'x'.repeat(100_000) }), HOUR)
    expect(store.get('key 99')).toBeUndefined()
    expect(store.get('key 98')).toBeDefined()
  })

  it('counts keys, owners, headers, tags and bodies towards maxBytes', async () => {
    const long = 'x'.repeat(2000)
    for (const [key, fields] of [
      [long, {}],
      ['key', { owner: long }],
      ['key', { headers: ['Link', long] }],
      ['key', { tags: [[long, '1']] as const }],
      ['key', { body: Buffer.alloc(2000) }],
      ['key', { body: 'ü'.repeat(1000) }],
    ] as const) {
      const { store } = await open({ maxBytes: 2000 })
      await store.set(key, entryOf(fields), HOUR)
      expect(store.get(key)).toBeUndefined()
    }
  })

  it('lets a single owner use all entries, and divides them among several owners', async () => {
    const { store } = await open({ maxEntries: 100 })
    await fill(store, 'a', { to: 100 })
    expect(await countOf(store, 'a', 100)).toBe(100)
    await fill(store, 'b', { to: 1 })
    expect(await countOf(store, 'a', 100)).toBe(25)
    await fill(store, 'b', { to: 1000 })
    expect(await countOf(store, 'a', 100)).toBe(25)
    expect(await countOf(store, 'b', 1000)).toBe(25)
    expect(store.get('b:999')).toBeDefined()
  })

  it('removes no entry of one owner when another owner writes many entries or bytes', async () => {
    const { store } = await open({ maxEntries: 1000, maxBytes: '1mb' })
    await fill(store, 'small', { to: 100 })
    for (let i = 0; i < 500; i++) {
      await store.set(`big:${i}`, entryOf({ owner: 'big', body: 'x'.repeat(20_000) }), HOUR)
    }
    await store.set('big:one', entryOf({ owner: 'big', body: 'x'.repeat(400_000) }), HOUR)
    expect(await countOf(store, 'small', 100)).toBe(100)
    expect(await countOf(store, 'big', 500)).toBe(12)
    expect(store.get('big:one')).toBeUndefined()
  })

  it('keeps an entry that its owner reads, and removes entries that the owner only writes', async () => {
    const { store } = await open({ maxEntries: 100 })
    await fill(store, 'other', { to: 1 })
    await fill(store, 'a', { to: 1 })
    for (let i = 1; i < 500; i++) {
      store.get('a:0')
      await fill(store, 'a', { from: i, to: i + 1 })
    }
    expect(store.get('a:0')).toBeDefined()
  })

  it('keeps one entry of each owner even if the share is less than one entry', async () => {
    const { store } = await open({ maxEntries: 3 })
    for (const owner of ['a', 'b']) await fill(store, owner, { to: 2 })
    expect([await countOf(store, 'a', 2), await countOf(store, 'b', 2)]).toEqual([1, 1])
  })

  it('does not report the deletion of an entry that has expired', async () => {
    const { store, clock } = await open()
    await store.set('a', entryOf(), 1000)
    await clock.advance('1s')
    expect(store.delete('a')).toBe(false)
  })

  it('gives the share of a cleared owner to the other owners', async () => {
    const { store } = await open({ maxEntries: 100 })
    await fill(store, 'a', { to: 10 })
    await fill(store, 'b', { to: 10 })
    await store.clear('b:')
    await fill(store, 'a', { to: 100 })
    expect(await countOf(store, 'a', 100)).toBe(100)
  })

  it('keeps at most maxEntries entries for 50,000 keys, owners and tags', async () => {
    const { store } = await open({ maxEntries: 500 })
    for (let i = 0; i < 50_000; i++) {
      const owner = `tenant ${i}`
      const tags = await store.versions([`tag ${i}`])
      await store.set(
        `${owner}:key`,
        entryOf({ owner, tags: [[`tag ${i}`, String(tags[0])]] }),
        HOUR,
      )
    }
    const kept = Array.from({ length: 50_000 }, (_, i) => store.get(`tenant ${i}:key`))
    expect(kept.filter((entry) => entry !== undefined)).toHaveLength(500)
  })

  it('gives a removed tag a new version, so that old entries with the tag are misses', async () => {
    const { store } = await open({ maxEntries: 10 })
    const [before] = await store.versions(['tag'])
    for (let i = 0; i < 100; i++) await store.versions([`other ${i}`])
    expect(await store.versions(['tag'])).not.toEqual([before])
  })
})
