import { Cache, CacheManager, type CacheStore, Controller, Get, memoryCache } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { settle } from './support.js'

let calls = 0

@Controller()
class PlainController {
  @Cache({ ttl: 10, staleWhileRevalidate: 10, tags: ['t'] })
  @Get('plain')
  plain() {
    return ++calls
  }
}

type Mode = 'fine' | 'throws' | 'rejects' | 'hangs' | 'later' | 'lies'

/** A store in memory of which a test can make all methods, or one of them, fail. */
function fragileStore(inner = memoryCache()) {
  const state: { mode: Mode; only?: keyof CacheStore; closed: number } = { mode: 'fine', closed: 0 }
  const store = new Proxy(inner, {
    get(target, name: keyof CacheStore) {
      const run = target[name] as (...args: unknown[]) => unknown
      if (run === undefined) return undefined
      if (name === 'close') return () => void state.closed++
      if (name === 'open' || (state.only !== undefined && state.only !== name)) {
        return run.bind(target)
      }
      const modes: Record<Mode, (...args: unknown[]) => unknown> = {
        fine: run.bind(target),
        throws: () => {
          throw new Error('away')
        },
        rejects: () => Promise.reject(new Error('away')),
        hangs: () => new Promise(() => {}),
        later: async (...args) => run.apply(target, args),
        lies: () => 'nothing of the kind',
      }
      return modes[state.mode]
    },
  })
  return { store, state }
}

let app: TestApp
let state: ReturnType<typeof fragileStore>['state']
beforeEach(async () => {
  calls = 0
  const fragile = fragileStore()
  state = fragile.state
  app = await TestApp.create({
    controllers: [PlainController],
    cache: { store: fragile.store },
    contract: 'off',
  })
  await app.clock.advance(0)
})
afterEach(() => app.close())

const ask = async () => {
  const { status, headers, body } = await app.request().get('/plain')
  return `${status} ${headers['x-cache']} ${body.data}`
}
const warnings = () => app.logs.map(({ level, message }) => `${level} ${message}`)

describe('a cache store that fails', () => {
  it.each<Mode>(['throws', 'rejects'])('is bypassed until it recovers if it %s', async (mode) => {
    expect(await ask()).toBe('200 MISS 1')
    state.mode = mode
    for (const call of [2, 3, 4]) expect(await ask()).toBe(`200 BYPASS ${call}`)
    state.mode = 'fine'
    for (let hit = 0; hit < 2; hit++) expect(await ask()).toBe('200 HIT 1')
    const outage = [
      'warn get() of the cache store fails: requests continue without the cache',
      'info get() of the cache store works again',
    ]
    expect(warnings()).toEqual(outage)
    state.mode = mode
    expect(await ask()).toBe('200 BYPASS 5')
    state.mode = 'fine'
    expect(await ask()).toBe('200 HIT 1')
    // The limits of the failed calls pass after the store works again.
    await app.clock.advance('1s')
    expect(warnings()).toEqual([...outage, ...outage])
  })

  it('is bypassed after 100 ms if its read never ends', async () => {
    state.mode = 'hangs'
    const answers = Promise.all([ask(), ask()])
    await settle()
    expect(calls).toBe(0)
    await app.clock.advance('101ms')
    // Both have waited for the read; neither waits for the tags of the other.
    await app.clock.advance('101ms')
    expect((await answers).sort()).toEqual(['200 BYPASS 1', '200 BYPASS 2'])
    expect(warnings()).toHaveLength(1)
  })

  it.each<keyof CacheStore>(['get', 'versions', 'set'])(
    'does not make a request fail if its method %s fails',
    async (only) => {
      state.only = only
      state.mode = 'rejects'
      const answers = await Promise.all([ask(), ask(), ask()])
      expect(answers.every((answer) => answer.startsWith('200 '))).toBe(true)
      await settle()
      state.mode = 'fine'
      expect((await ask()).slice(0, 4)).toBe('200 ')
    },
  )

  it.each(['get', 'versions'] as const)(
    'is the recorded reason if its %s() fails',
    async (only) => {
      Object.assign(state, { only, mode: 'rejects' })
      const { decisions } = app.explain(await app.request().get('/plain'))
      expect(decisions.findLast(({ by }) => by === 'cache')).toMatchObject({
        verdict: 'bypass',
        reason: 'the store has failed',
      })
    },
  )

  it('causes one warning if only its writes fail', async () => {
    state.only = 'set'
    state.mode = 'rejects'
    for (const call of [1, 2, 3]) expect(await ask()).toBe(`200 MISS ${call}`)
    await settle()
    state.mode = 'fine'
    expect(await ask()).toBe('200 MISS 4')
    expect(await ask()).toBe('200 HIT 4')
    expect(warnings()).toEqual([
      'warn set() of the cache store fails: requests continue without the cache',
      'info set() of the cache store works again',
    ])
  })

  it('is treated by CacheManager as an empty store that ignores writes', async () => {
    const cache = CacheManager.getInstance()
    await cache.set('a', 1)
    for (const mode of ['throws', 'rejects'] as const) {
      state.mode = mode
      expect(await cache.get('a')).toBeUndefined()
      expect(await cache.getOrSet('a', () => 2)).toBe(2)
      await cache.set('a', 3)
      expect(await cache.delete('a')).toBe(false)
      await cache.clear()
      await cache.invalidateTags(['t'])
    }
    state.mode = 'fine'
    expect(await cache.get('a')).toBe(1)
  })
})

it('a loaded value is not stored if the versions of its tags cannot be read', async () => {
  const cache = app.get(CacheManager)
  Object.assign(state, { only: 'versions', mode: 'rejects' })
  expect(await cache.getOrSet('a', () => 1, { tags: ['t'] })).toBe(1)
  state.mode = 'fine'
  expect(await cache.get('a')).toBeUndefined()
})

it('a loaded value is outdated if another process invalidates its tag during the load', async () => {
  const store = memoryCache()
  const asked = vi.spyOn(store, 'versions')
  const other = await TestApp.create({ controllers: [PlainController], cache: { store } })
  onTestFinished(() => other.close())
  const load = async () => {
    // Another process shares the store, but does not know of this load.
    await store.invalidate(asked.mock.calls.flat(2))
    return 'old'
  }
  const cache = other.get(CacheManager)
  expect(await cache.getOrSet('a', load, { tags: ['t'] })).toBe('old')
  expect(await cache.getOrSet('a', () => 'new', { tags: ['t'] })).toBe('new')
})

describe('an asynchronous cache store', () => {
  it('results in the same HIT, STALE and MISS responses as a synchronous store', async () => {
    state.mode = 'later'
    const answers = await Promise.all([ask(), ask(), ask()])
    expect(answers.sort()).toEqual(['200 HIT 1', '200 HIT 1', '200 MISS 1'])
    await app.clock.advance(11)
    expect(await ask()).toBe('200 STALE 1')
    await settle()
    expect(await ask()).toBe('200 HIT 2')
    await CacheManager.getInstance().invalidateTags(['t'])
    expect(await ask()).toBe('200 MISS 3')
    // The limit of each call passes after its result.
    await app.clock.advance('1s')
    expect(await ask()).toBe('200 HIT 3')
    expect(warnings()).toEqual([])
  })
})

describe('a cache store with getTagged', () => {
  const asked: string[] = []
  let tagged: TestApp
  beforeEach(async () => {
    asked.length = 0
    const inner = memoryCache()
    const fragile = fragileStore({
      get: (key) => inner.get(key),
      set: (key, entry, ttlMs) => inner.set(key, entry, ttlMs),
      delete: (key) => inner.delete(key),
      clear: (prefix) => inner.clear(prefix),
      versions(tags) {
        asked.push('versions')
        return inner.versions(tags)
      },
      invalidate: (tags) => inner.invalidate(tags),
      open: (context) => inner.open?.(context),
      async getTagged(key, tags) {
        asked.push('getTagged')
        return { entry: await inner.get(key), versions: await inner.versions(tags) }
      },
    })
    state = fragile.state
    const cache = { store: fragile.store }
    tagged = await TestApp.create({ controllers: [PlainController], cache, contract: 'off' })
    await tagged.clock.advance(0)
    await app.close()
    app = tagged
  })

  it('is called once for each request, whether it has the response or not', async () => {
    expect(await ask()).toBe('200 MISS 1')
    expect(await ask()).toBe('200 HIT 1')
    await app.clock.advance(11)
    expect(await ask()).toBe('200 STALE 1')
    await settle()
    expect(await ask()).toBe('200 HIT 2')
    expect(asked).toEqual(['getTagged', 'getTagged', 'getTagged', 'getTagged'])
    await CacheManager.getInstance().invalidateTags(['t'])
    expect(await ask()).toBe('200 MISS 3')
    expect(await ask()).toBe('200 HIT 3')
  })

  it('is called once by getOrSet(), which also finds values that were stored with other tags', async () => {
    const cache = app.get(CacheManager)
    expect(await cache.getOrSet('a', () => 1, { tags: ['t'] })).toBe(1)
    await settle()
    asked.length = 0
    expect(await cache.getOrSet('a', () => 2, { tags: ['t'] })).toBe(1)
    expect(asked).toEqual(['getTagged'])
    expect(await cache.getOrSet('a', () => 2, { tags: ['u'] })).toBe(1)
    await cache.invalidateTags(['t'])
    expect(await cache.getOrSet('a', () => 3, { tags: ['u'] })).toBe(3)
  })

  it('is also called for the versions of the tags that an entry was stored with', async () => {
    const cache = CacheManager.getInstance()
    expect(await cache.getOrSet('GET /plain', () => 1, { tags: ['other'] })).toBe(1)
    // The value of getOrSet is not a response, although it has the key of a response.
    expect(await ask()).toBe('200 MISS 1')
    expect(asked).toContain('versions')
    expect(await ask()).toBe('200 HIT 1')
  })

  it.each<Mode>(['throws', 'rejects', 'lies'])(
    'is bypassed until it works again if it %s',
    async (mode) => {
      expect(await ask()).toBe('200 MISS 1')
      Object.assign(state, { only: 'getTagged', mode })
      for (const call of [2, 3]) expect(await ask()).toBe(`200 BYPASS ${call}`)
      state.mode = 'fine'
      expect(await ask()).toBe('200 HIT 1')
    },
  )
})

describe('the cache store of an application', () => {
  it('is closed once when the application closes', async () => {
    await app.close()
    await app.close()
    expect(state.closed).toBe(1)
  })

  it('prevents the start of the application if it cannot be opened', async () => {
    const store = { ...memoryStub(), open: () => Promise.reject(new Error('no such medium')) }
    const start = TestApp.create({ controllers: [PlainController], cache: { store } })
    await expect(start).rejects.toThrow('no such medium')
  })
})

function memoryStub(): CacheStore {
  const nothing = () => undefined
  return {
    get: nothing,
    set: nothing,
    delete: () => false,
    clear: nothing,
    versions: (tags) => tags,
    invalidate: nothing,
  }
}
