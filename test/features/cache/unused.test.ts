import {
  App,
  type AppOptions,
  Cache,
  CacheManager,
  type Class,
  Controller,
  Get,
  memoryCache,
} from 'blazon'
import { afterEach, expect, it, vi } from 'vitest'
import type { CacheEngine } from '../../../src/features/cache/cache-engine.js'

const made = vi.hoisted(() => ({ engines: 0 }))

vi.mock('../../../src/features/cache/cache-engine.js', async (load) => {
  const original = await load<{ CacheEngine: typeof CacheEngine }>()
  class CountedEngine extends original.CacheEngine {
    constructor(...args: ConstructorParameters<typeof CacheEngine>) {
      super(...args)
      made.engines++
    }
  }
  return { ...original, CacheEngine: CountedEngine }
})

afterEach(() => {
  made.engines = 0
})

class PlainController {
  list() {
    return []
  }
}
Get()(PlainController.prototype, 'list', describe(PlainController))
Controller('plain')(PlainController)

class CachedController {
  list() {
    return []
  }
}
Get()(CachedController.prototype, 'list', describe(CachedController))
Cache({ ttl: 60 })(CachedController.prototype, 'list', describe(CachedController))
Controller('cached')(CachedController)

function describe({ prototype }: { prototype: object }): TypedPropertyDescriptor<() => never[]> {
  return Object.getOwnPropertyDescriptor(prototype, 'list') as never
}

async function start(controller: Class, options: AppOptions = {}): Promise<App> {
  return await App.create({ controllers: [controller], logger: false, ...options })
}

it('an application without @Cache never creates a cache engine', async () => {
  const app = await start(PlainController)
  expect(app.get(CacheManager)).toBe(CacheManager.getInstance())
  await app.close()
  expect(made.engines).toBe(0)
})

it('the first call to a CacheManager creates a cache engine, and later calls use it', async () => {
  const app = await start(PlainController)
  const cache = app.get(CacheManager)
  await cache.set('a', 1)
  expect([await cache.get('a'), cache.stats().hits, made.engines]).toEqual([1, 1, 1])
  await app.close()
})

it('a cache engine that is created after close() stores nothing', async () => {
  const app = await start(PlainController)
  const cache = app.get(CacheManager)
  await app.close()
  await cache.set('a', 1)
  expect([await cache.get('a'), made.engines]).toEqual([undefined, 1])
})

it.each([
  ['@Cache', CachedController, {}],
  ['a store of its own', PlainController, { cache: { store: memoryCache() } }],
])(
  'an application with %s creates a cache engine when it starts',
  async (_, controller, options) => {
    const app = await start(controller, options)
    expect(made.engines).toBe(1)
    await app.close()
  },
)
