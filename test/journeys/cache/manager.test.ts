import {
  App,
  Cache,
  CacheManager,
  Controller,
  Get,
  inject,
  type Request,
  runWithTenant,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { defer, nameTenant, settle } from './support.js'

class Products {
  readonly cache = inject(CacheManager)
  loads = 0

  list() {
    return this.cache.getOrSet('products', () => [`product ${++this.loads}`], { ttl: '5m' })
  }
}

@Controller('products')
class ProductsController {
  private readonly products = inject(Products)

  @Get()
  list() {
    return this.products.list()
  }
}

@Controller('tenants')
class TenantsController {
  @Cache({ ttl: 60, key: () => 'name' })
  @Get('name')
  name(req: Request) {
    return `I am ${req.get('x-tenant-id')}`
  }
}

const apps: App[] = []
const start = async () => {
  const app = await TestApp.create({
    controllers: [ProductsController, TenantsController],
    providers: [Products],
    middlewares: [nameTenant],
  })
  apps.push(app)
  // From now on, only the tests move the clock.
  await app.clock.advance(0)
  return app
}
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close()
})

describe('the CacheManager', () => {
  it('can be injected even if no route has @Cache', async () => {
    const app = await start()
    for (const _ of [1, 2]) {
      expect((await app.request().get('/products')).body.data).toEqual(['product 1'])
    }
    await app.clock.advance('5m')
    expect((await app.request().get('/products')).body.data).toEqual(['product 2'])
  })

  it('of the application that started last is returned by getInstance()', async () => {
    expect(() => CacheManager.getInstance()).toThrow(/no application is running/)
    const [first, second] = [await start(), await start()]
    expect(CacheManager.getInstance()).toBe(second.get(CacheManager))
    await second.close()
    expect(CacheManager.getInstance()).toBe(first.get(CacheManager))
    await first.close()
    expect(() => CacheManager.getInstance()).toThrow(/inject CacheManager/)
  })

  it('stores values for each application separately', async () => {
    const [first, second] = [await start(), await start()]
    await first.get(CacheManager).set('a', 1)
    expect(await second.get(CacheManager).get('a')).toBeUndefined()
    expect(await first.get(CacheManager).get('a')).toBe(1)
  })

  it('reads the cached response of a tenant under `<tenant>:<key>`', async () => {
    const app = await start()
    await app.asTenant('acme').request().get('/tenants/name')
    const cache = CacheManager.getInstance()
    expect(await cache.get('acme:name')).toMatchObject({ data: 'I am acme' })
    expect(await cache.forTenant('acme').get('name')).toMatchObject({ data: 'I am acme' })
    expect(await cache.forTenant('other').get('name')).toBeUndefined()
    expect(await cache.get('name')).toBeUndefined()
    expect(await cache.delete('acme:name')).toBe(true)
    const { headers } = await app.asTenant('acme').request().get('/tenants/name')
    expect(headers['x-cache']).toBe('MISS')
  })

  it('cannot replace the cached response of a route with another value', async () => {
    const app = await start()
    await CacheManager.getInstance().set('acme:name', { data: 'I am somebody else' })
    const { body } = await app.asTenant('acme').request().get('/tenants/name')
    expect(body.data).toBe('I am acme')
  })
})

describe('values in CacheManager', () => {
  it('are kept for a minute, or for their ttl', async () => {
    const app = await start()
    const cache = CacheManager.getInstance()
    await cache.set('minute', 1)
    await cache.set('seconds', 2, 5)
    await cache.set('hours', 3, '2h')
    const read = () => Promise.all(['minute', 'seconds', 'hours'].map((key) => cache.get(key)))
    await app.clock.advance('4999ms')
    expect(await read()).toEqual([1, 2, 3])
    await app.clock.advance('1ms')
    expect(await read()).toEqual([1, undefined, 3])
    await app.clock.advance('55s')
    expect(await read()).toEqual([undefined, undefined, 3])
  })

  it('are deleted if they are set with a ttl of 0', async () => {
    await start()
    const cache = CacheManager.getInstance()
    await cache.set('a', 1)
    await cache.set('a', 2, 0)
    expect(await cache.get('a')).toBeUndefined()
  })

  it('are copied when they are stored and read', async () => {
    await start()
    const cache = CacheManager.getInstance()
    const given = { list: [1] }
    await cache.set('a', given)
    given.list.push(2)
    const first = await cache.get<typeof given>('a')
    first?.list.push(3)
    const loaded = await cache.getOrSet('b', () => given)
    loaded.list.push(4)
    expect(await cache.get('a')).toEqual({ list: [1] })
    expect(await cache.get('b')).toEqual({ list: [1, 2] })
    expect(await cache.getOrSet('c', () => new Date(0))).toBe('1970-01-01T00:00:00.000Z')
  })

  it.each([null, false, 0, '', [], '__proto__', { a: { b: null } }])('can be %j', async (value) => {
    await start()
    const cache = CacheManager.getInstance()
    await cache.set('a', value)
    expect(await cache.get('a')).toEqual(value)
    expect(await cache.getOrSet('a', () => 'loaded')).toEqual(value)
  })

  it.each([undefined, () => 1, Symbol('a')])(
    'must not be %s, which JSON does not support',
    async (value) => {
      await start()
      await expect(CacheManager.getInstance().set('a', value)).rejects.toThrow(TypeError)
    },
  )

  it('are refused with the method name in the error if JSON cannot represent them', async () => {
    await start()
    const cache = CacheManager.getInstance()
    await expect(cache.set('a', 1n)).rejects.toThrow(
      /^CacheManager\.set\(\): the value cannot be represented in JSON: /,
    )
    const ring: unknown[] = []
    ring.push(ring)
    await expect(cache.getOrSet('a', () => ring)).rejects.toThrow(/^CacheManager\.getOrSet\(\): /)
  })

  it('are readable by every tenant, unless they were stored with forTenant()', async () => {
    await start()
    const cache = CacheManager.getInstance()
    await cache.set('acme:rates', 1)
    await cache.forTenant('acme').set('prices', 2)
    const read = () => Promise.all([cache.get('acme:rates'), cache.get('acme:prices')])
    expect(await runWithTenant('acme', read)).toEqual([1, 2])
    expect(await runWithTenant('globex', read)).toEqual([1, undefined])
  })

  it('are refused if the key, the ttl or a tag is invalid', async () => {
    await start()
    const cache = CacheManager.getInstance()
    for (const key of [undefined, null, '', 1, {}] as never[]) {
      await expect(cache.get(key)).rejects.toThrow(TypeError)
      await expect(cache.set(key, 1)).rejects.toThrow(TypeError)
      await expect(cache.delete(key)).rejects.toThrow(TypeError)
      await expect(cache.getOrSet(key, () => 1)).rejects.toThrow(TypeError)
    }
    for (const ttl of [-1, Number.NaN, Number.POSITIVE_INFINITY, 'soon', '5 minutes']) {
      await expect(cache.set('a', 1, ttl)).rejects.toThrow(RangeError)
    }
    for (const ttl of [null, {}, true] as never[]) {
      await expect(cache.set('a', 1, ttl)).rejects.toThrow(TypeError)
    }
    for (const tags of ['a', [1], undefined] as never[]) {
      await expect(cache.invalidateTags(tags)).rejects.toThrow(TypeError)
    }
    await expect(cache.getOrSet('a', () => 1, { tags: 'a' as never })).rejects.toThrow(TypeError)
    // A ttl in the place of the options would have no effect.
    for (const options of [60, '60s', null] as never[]) {
      await expect(cache.getOrSet('a', () => 1, options)).rejects.toThrow(/Pass { ttl: '60s' }/)
    }
    expect(() => cache.forTenant()).toThrow(/there is no tenant ID/)
    expect(() => cache.forTenant('')).toThrow(/there is no tenant ID/)
  })

  it('can have any nonempty string as their key', async () => {
    await start()
    const cache = CacheManager.getInstance()
    const keys = [
      '__proto__',
      'constructor',
      '*',
      'a:b:c',
      '{a}',
      '\u0000',
      '\ud800',
      ' ',
      'ü',
      'x'.repeat(1e5),
    ]
    for (const key of keys) await cache.set(key, key.length)
    for (const key of keys) expect(await cache.get(key)).toBe(key.length)
  })
})

describe('the method getOrSet', () => {
  it('loads the value once for concurrent calls', async () => {
    await start()
    const cache = CacheManager.getInstance()
    const value = defer<string>()
    let loads = 0
    const answers = Promise.all(
      Array.from({ length: 10 }, () =>
        cache.getOrSet('a', () => {
          loads++
          return value.promise
        }),
      ),
    )
    await settle()
    value.resolve('b')
    expect(new Set(await answers)).toEqual(new Set(['b']))
    expect(loads).toBe(1)
  })

  it('returns a value that is in memory without waiting', async () => {
    const { cache } = (await start()).get(Products)
    await cache.set('known', 1)
    const order: string[] = []
    const hit = cache.getOrSet('known', () => 2).then((value) => order.push(`hit ${value}`))
    const later = Promise.resolve().then(() => order.push('later'))
    await Promise.all([hit, later])
    expect(order).toEqual(['hit 1', 'later'])
  })

  it('rejects all concurrent calls if the load fails, and loads again for the next call', async () => {
    await start()
    const cache = CacheManager.getInstance()
    const value = defer<string>()
    const answers = Promise.allSettled([1, 2].map(() => cache.getOrSet('a', () => value.promise)))
    await settle()
    value.reject(new Error('down'))
    expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await cache.getOrSet('a', () => 'up')).toBe('up')
  })

  it('does not store a loaded value if its entry was changed during the load', async () => {
    await start()
    const cache = CacheManager.getInstance()
    for (const forget of [
      () => cache.delete('a'),
      () => cache.set('a', 'set'),
      () => cache.clear(),
      () => cache.invalidateTags(['t']),
    ]) {
      const value = defer<string>()
      const old = cache.getOrSet('a', () => value.promise, { tags: ['t'] })
      await settle()
      await forget()
      const kept = await cache.get('a')
      value.resolve('old')
      expect(await old).toBe('old')
      expect(await cache.get('a')).toBe(kept)
      await cache.delete('a')
    }
  })

  it('does not store undefined', async () => {
    await start()
    const cache = CacheManager.getInstance()
    let loads = 0
    const load = async () => void loads++
    const found = await Promise.all([1, 2, 3].map(() => cache.getOrSet('a', load)))
    expect([found, loads]).toEqual([[undefined, undefined, undefined], 1])
    expect(await cache.getOrSet('a', () => 1)).toBe(1)
  })

  it('stores values with tags, by which they can be invalidated', async () => {
    await start()
    const cache = CacheManager.getInstance()
    const read = async () => [
      await cache.getOrSet('a', () => 'new', { tags: ['x', 'y'] }),
      await cache.getOrSet('b', () => 'new', { tags: ['y'] }),
      await cache.getOrSet('c', () => 'new'),
    ]
    for (const key of ['a', 'b', 'c']) {
      await cache.getOrSet(key, () => 'old', { tags: { a: ['x', 'y'], b: ['y'] }[key] ?? [] })
    }
    await cache.invalidateTags(['x', 'nobody'])
    expect(await read()).toEqual(['new', 'old', 'old'])
    await cache.invalidateTags([])
    await cache.invalidateTags(['y'])
    expect(await cache.get('b')).toBeUndefined()
  })

  it('does not store a value if one of its tags is invalidated while the value is being loaded', async () => {
    await start()
    const cache = CacheManager.getInstance()
    const loaded = defer<string>()
    const value = cache.getOrSet('a', () => loaded.promise, { tags: ['x', 'y'] })
    await settle()
    await cache.invalidateTags(['y'])
    loaded.resolve('old')
    expect(await value).toBe('old')
    expect(await cache.get('a')).toBeUndefined()
  })

  it('does not share a value with later calls if it is invalidated while it is being loaded', async () => {
    await start()
    const cache = CacheManager.getInstance()
    for (const tag of ['x', 'y']) {
      const loaded = defer<string>()
      const tags = ['x', 'y']
      const early = [1, 2].map(() => cache.getOrSet('a', () => loaded.promise, { tags }))
      await settle()
      await cache.invalidateTags([tag])
      const late = cache.getOrSet('a', () => `after ${tag}`, { tags })
      await settle()
      loaded.resolve('old')
      expect([...(await Promise.all(early)), await late]).toEqual(['old', 'old', `after ${tag}`])
      expect(await cache.get('a')).toBe(`after ${tag}`)
      await cache.delete('a')
    }
  })

  it('does not change an earlier result of stats()', async () => {
    await start()
    const cache = CacheManager.getInstance()
    const before = cache.stats()
    await cache.get('nothing')
    expect(cache.stats().misses - before.misses).toBe(1)
    expect(cache.stats()).not.toBe(cache.stats())
  })

  it('is counted in stats() as a hit or a miss', async () => {
    await start()
    const cache = CacheManager.getInstance()
    await cache.getOrSet('a', () => 1)
    await cache.getOrSet('a', () => 1)
    await cache.get('b')
    expect(cache.stats()).toEqual({ hits: 1, misses: 2, stale: 0, bypasses: 0 })
  })
})

describe('an application before init()', () => {
  it('is not returned by CacheManager.getInstance()', async () => {
    const app = new App({ logger: false })
    apps.push(app)
    expect(() => CacheManager.getInstance()).toThrow(/no application/)
    await app.init()
    expect(CacheManager.getInstance()).toBe(app.get(CacheManager))
  })
})
