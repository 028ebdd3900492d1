import { AsyncLocalStorage } from 'node:async_hooks'
import { CacheManager, type CacheStore, memoryCache } from 'blazon'
import type { CacheEntry } from 'blazon/plugin'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { declareCache, type RunningCache } from '../../../src/features/cache/build-cache.js'
import { cacheGroup } from '../../../src/features/cache/cache-options.js'
import { TestClock } from '../../../src/testing/test-clock.js'
import { entryOf } from '../../conformance/cache-store.js'

const logger = { info() {}, warn() {}, error() {} }
const model = { routes: [], hasGuard: false }

/** The tenant whose code runs, in place of the tenant feature. */
const tenants = new AsyncLocalStorage<string>()
const as = <T>(id: string, run: () => T) => tenants.run(id, run)

let store: CacheStore
let cache: CacheManager
let running: RunningCache[]
let isCurrent = [false, false]

async function start(index = 0): Promise<CacheManager> {
  const clock = new TestClock()
  store = memoryCache()
  const currentTenant = () => tenants.getStore()
  const config = {
    settings: cacheGroup.resolve({ store }),
    clock,
    currentTenant,
    isCurrent: () => isCurrent[index] === true,
  }
  const declared = declareCache(config)
  running.push(await declared.start({ model, logger }))
  return (declared.providers[0] as unknown as { useValue: CacheManager }).useValue
}

beforeEach(async () => {
  running = []
  isCurrent = [false, false]
  cache = await start()
})
afterEach(async () => {
  for (const each of running) await each.close()
})

describe('a cache entry of a tenant', () => {
  it('is not returned to another tenant that uses the same key', async () => {
    await as('acme', () => cache.set('secret', 1))
    await as('acme', () => cache.set('other:secret', 2))
    expect(await as('acme', () => cache.get('secret'))).toBe(1)
    for (const key of ['secret', 'other:secret']) {
      expect(await as('other', () => cache.get(key))).toBeUndefined()
      expect(await as('other', () => cache.getOrSet(key, () => 'own'))).toBe('own')
    }
    expect(await as('acme', () => cache.get('secret'))).toBeUndefined()
  })

  it('can be read by code without a tenant, and all tenants can read an entry without a tenant', async () => {
    await as('acme', () => cache.set('a', 1))
    await cache.set('shared', 2)
    expect(await cache.get('a')).toBe(1)
    expect(await as('acme', () => cache.get('shared'))).toBe(2)
  })

  it('is loaded for each tenant separately, even if several tenants load it at the same time', async () => {
    const load = async () => {
      const mine = tenants.getStore()
      await new Promise(setImmediate)
      return mine
    }
    const asked = Array.from({ length: 30 }, (_, i) => `tenant ${i % 3}`)
    const answers = asked.map((id) => as(id, () => cache.getOrSet('same key', load)))
    expect(await Promise.all(answers)).toEqual(asked)
    const behind = asked.map((id) => as(id, () => cache.forTenant().getOrSet('key', load)))
    expect(await Promise.all(behind)).toEqual(asked)
  })

  it('is removed when its tag is invalidated for its tenant or all tenants, but not for another tenant', async () => {
    const keep = (id: string) =>
      as(id, () => cache.forTenant().getOrSet('k', () => id, { tags: ['t'] }))
    const kept = (id: string) => cache.get(`${id}:k`)
    for (const id of ['acme', 'acme-2']) await keep(id)
    await cache.getOrSet('k', () => 'nobody', { tags: ['t'] })
    await as('acme', () => cache.invalidateTags(['t']))
    expect([await kept('acme'), await kept('acme-2'), await cache.get('k')]).toEqual([
      undefined,
      'acme-2',
      'nobody',
    ])
    await keep('acme')
    await cache.forTenant('acme-2').invalidateTags(['t'])
    expect([await kept('acme'), await kept('acme-2')]).toEqual(['acme', undefined])
    await keep('acme-2')
    await cache.invalidateTags(['t'])
    expect([await kept('acme'), await kept('acme-2'), await cache.get('k')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('forTenant', () => {
  it('reads, writes and deletes only entries of its tenant', async () => {
    const acme = cache.forTenant('acme')
    await acme.set('k', 1)
    expect(await store.get('acme:k')).toMatchObject({ owner: 'acme' })
    expect(await cache.get('acme:k')).toBe(1)
    expect(await as('acme', () => cache.forTenant().get('k'))).toBe(1)
    expect(await cache.forTenant('acme-2').get('k')).toBeUndefined()
    expect(await acme.delete('k')).toBe(true)
    expect(await acme.get('k')).toBeUndefined()
  })

  it('clears only entries of its tenant', async () => {
    for (const id of ['acme', 'acme-2', 'a:b', 'a']) await cache.forTenant(id).set('k', id)
    await cache.set('k', 'nobody')
    await cache.forTenant('acme').clear()
    await cache.forTenant('a').clear()
    const kept = await Promise.all(
      ['acme', 'acme-2', 'a:b', 'a'].map((id) => cache.forTenant(id).get('k')),
    )
    expect([...kept, await cache.get('k')]).toEqual([
      undefined,
      'acme-2',
      'a:b',
      undefined,
      'nobody',
    ])
  })

  it('rejects every call from code that runs for another tenant', async () => {
    const acme = cache.forTenant('acme')
    const uses = [
      () => acme.get('k'),
      () => acme.set('k', 1),
      () => acme.delete('k'),
      () => acme.clear(),
      () => acme.getOrSet('k', () => 1),
      () => acme.invalidateTags(['t']),
    ]
    for (const use of uses)
      await expect(as('other', use)).rejects.toThrow(/runs for the tenant 'other'/)
  })
})

describe('an invalid entry in the store', () => {
  const fresh = entryOf({ freshUntil: Number.MAX_SAFE_INTEGER })
  it.each<[string, unknown]>([
    ['null', null],
    ['text', 'entry'],
    ['no body', { ...fresh, body: undefined }],
    ['a number as its body', { ...fresh, body: 7 }],
    ['no headers', { ...fresh, headers: undefined }],
    ['no tags', { ...fresh, tags: 'a' }],
    ['no creation time', { ...fresh, createdAt: undefined }],
    ['no time', { ...fresh, freshUntil: String(Number.MAX_SAFE_INTEGER) }],
    ['not JSON', { ...fresh, body: '{' }],
  ])('counts as a miss: %s', async (_, entry) => {
    store.get = () => entry as CacheEntry
    expect(await cache.get('k')).toBeUndefined()
    expect(await cache.getOrSet('k', () => 1)).toBe(1)
  })
})

describe('CacheManager.getInstance()', () => {
  it('returns the manager of the application that handles the request, or otherwise the newest manager', async () => {
    const second = await start(1)
    expect(CacheManager.getInstance()).toBe(second)
    isCurrent = [true, false]
    expect(CacheManager.getInstance()).toBe(cache)
    isCurrent = [true, true]
    expect(CacheManager.getInstance()).toBe(second)
  })
})

it('the default store is opened only once by concurrent first calls', async () => {
  const opened: string[] = []
  const declared = declareCache({
    settings: cacheGroup.resolve(undefined),
    clock: new TestClock(),
    currentTenant: () => undefined,
    wrapStore: (inner) =>
      Object.assign(Object.create(inner), {
        open: async () => void opened.push('open'),
        get: () => undefined,
        close() {},
      }) as CacheStore,
  })
  running.push(await declared.start({ model, logger }))
  const manager = (declared.providers[0] as unknown as { useValue: CacheManager }).useValue
  await Promise.all([manager.get('a'), manager.get('b')])
  expect(opened).toEqual(['open'])
})
