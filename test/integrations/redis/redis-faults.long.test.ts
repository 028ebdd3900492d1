import { type RedisOptions, redisCache, redisLimits } from 'blazon/redis'
import { createClient } from 'redis'
import { afterEach, expect, it, vi } from 'vitest'
import { Gate } from '../gate.js'
import { until } from '../until.js'
import { describeWithServer, Server } from './server.js'
import { entry, testContext } from './support.js'

const MINUTE = 60_000
/** A deadline that no other timer of this file uses, so that the started deadlines can be counted. */
const TIMEOUT = 403

afterEach(() => {
  vi.restoreAllMocks()
})

/** Opens both stores on one connection. */
async function openStores(url: string, more: RedisOptions = {}) {
  const options = { url, timeout: `${TIMEOUT}ms`, ...more }
  const [cache, limits] = [redisCache(options), redisLimits(options)]
  const { context, clock, logged } = testContext()
  await Promise.all([cache.open?.(context), limits.open?.(context)])
  const close = async () => {
    await Promise.all([cache.close?.(), limits.close?.()])
  }
  return { cache, limits, clock, logged, [Symbol.asyncDispose]: close }
}

/** Counts the deadlines that start from now on. */
function countDeadlines(): () => number {
  const timers = vi.spyOn(globalThis, 'setTimeout')
  return () => timers.mock.calls.filter(([, ms]) => ms === TIMEOUT).length
}

type Stores = Awaited<ReturnType<typeof openStores>>

/** The store calls of one request. */
async function request({ cache, limits }: Stores, key: string) {
  const limit = await limits.consume({ key: 'ip', limit: 1000, windowMs: MINUTE })
  const found = await cache.get(key)
  const [version = ''] = await cache.versions(['tag'])
  if (found === undefined) await cache.set(key, entry(key, { tags: [['tag', version]] }), MINUTE)
  return { isAllowed: limit.isAllowed, body: found?.body }
}

/** Whether the cache returns an entry that was just stored. */
async function works({ cache }: Stores): Promise<boolean> {
  await cache.set('works', entry('1'), MINUTE)
  return (await cache.get('works')) !== undefined
}

describeWithServer('an application without Redis at boot', () => {
  it('starts, responds, logs the outage once, and uses Redis as soon as it runs', async () => {
    await using server = await Server.absent()
    await using stores = await openStores(server.url)
    const deadlines = countDeadlines()
    for (let i = 0; i < 20; i++) {
      expect(await request(stores, 'a')).toEqual({ isAllowed: true, body: undefined })
    }
    expect(await stores.cache.delete('a')).toBe(false)
    await stores.cache.clear('a')
    // Without a connection, no command is sent, so no deadline starts.
    expect(deadlines()).toBe(0)
    expect(stores.logged.map(({ level }) => level)).toEqual(['warn'])
    expect(stores.logged[0]?.facts).toEqual({ reason: 'ECONNREFUSED' })
    await server.start()
    await until(() => works(stores))
    expect(stores.logged.map(({ level }) => level)).toEqual(['warn', 'info'])
  })
})

describeWithServer('a Redis server that is killed under load', () => {
  it('causes no failed request, and is used again when it runs again', async () => {
    await using server = await Server.start()
    await using stores = await openStores(server.url)
    let [isOver, count] = [false, 0]
    const load = Array.from({ length: 20 }, async (_, worker) => {
      for (let i = 0; !isOver; i++) {
        const key = `${worker}:${i % 50}`
        const { isAllowed, body } = await request(stores, key)
        expect(body ?? key).toBe(key)
        expect(isAllowed || count > 1000).toBe(true)
        count++
        if (i % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
      }
    })
    await until(() => count > 200)
    await server.kill()
    const [killedAt] = [count]
    await until(() => count > killedAt + 200)
    await server.start()
    await until(() => works(stores))
    isOver = true
    await Promise.all(load)
  })
})

describeWithServer('a paused Redis server', () => {
  it('delays requests by one deadline at most, and is used again when it resumes', async () => {
    await using server = await Server.start()
    await using stores = await openStores(server.url)
    await until(() => works(stores))
    server.pause()
    const deadlines = countDeadlines()
    for (let i = 0; i < 20; i++) {
      const { isAllowed, body } = await request(stores, 'works')
      expect({ isAllowed, body }).toEqual({ isAllowed: true, body: undefined })
    }
    // Only the first command of the first request was sent: Redis replies in order, so the others are refused
    // at once.
    expect(deadlines()).toBe(1)
    server.resume()
    await until(() => works(stores))
  })

  it('delays each of several concurrent requests by one deadline', async () => {
    await using server = await Server.start()
    await using stores = await openStores(server.url)
    server.pause()
    const deadlines = countDeadlines()
    await Promise.all(Array.from({ length: 30 }, (_, i) => request(stores, `${i}`)))
    expect(deadlines()).toBe(30)
    expect(stores.logged.map(({ level }) => level)).toEqual(['warn'])
    await request(stores, 'a')
    expect(deadlines()).toBe(30)
    // Late replies do not end the pause, because a server may be slow for long. Only the clock does.
    server.resume()
    await until(async () => {
      await stores.clock.advance('10s')
      return works(stores)
    })
    expect(stores.logged.map(({ level }) => level)).toEqual(['warn', 'info'])
  })

  it('does not cause a late reply to be used for another command', async () => {
    await using server = await Server.start()
    await using stores = await openStores(server.url)
    const keys = Array.from({ length: 40 }, (_, i) => `k${i}`)
    for (const key of keys) await stores.cache.set(key, entry(key), MINUTE)
    server.pause()
    const lost = keys.slice(0, 4).map((key) => stores.cache.get(key))
    expect(await Promise.all(lost)).toEqual([undefined, undefined, undefined, undefined])
    server.resume()
    await until(async () => (await stores.cache.get('k9')) !== undefined)
    const found = await Promise.all(keys.map((key) => stores.cache.get(key)))
    expect(found.map((one) => one?.body)).toEqual(keys)
  })

  it('gets a new connection if it does not reply for 10 seconds', async () => {
    await using server = await Server.start()
    await using stores = await openStores(server.url)
    await stores.cache.set('old', entry('old'), MINUTE)
    server.pause()
    // It is uncertain whether the server executes this write. It receives the write before all later commands.
    await stores.cache.set('old', entry('older'), MINUTE)
    await stores.cache.delete('old')
    await stores.clock.advance('10s')
    server.resume()
    await until(() => works(stores))
    expect(await stores.cache.get('old')).toBeUndefined()
    const redis = await createClient({ url: server.url }).connect()
    // This test's connection and that of the stores. The former connection of the stores is closed.
    expect((await redis.clientList()).length).toBe(2)
    redis.destroy()
  })

  it('does not cause other clients to lose their connections to the server that replaces it', async () => {
    await using server = await Server.start()
    await using next = await Server.start()
    await using gate = await Gate.before(server.port)
    await using stores = await openStores(`redis://127.0.0.1:${gate.port}`)
    await until(() => works(stores))
    const admin = await createClient({ url: server.url }).connect()
    const [own] = (await admin.clientList()).map(({ id }) => id)
    admin.destroy()
    const open = async () => {
      const client = createClient({ url: next.url })
      client.on('error', () => {})
      return client.connect()
    }
    const others = [await open()]
    while ((await others.at(-1)?.clientId()) !== own) others.push(await open())
    server.pause()
    await request(stores, 'a')
    gate.lead(next.port)
    await stores.clock.advance('10s')
    await until(() => works(stores))
    const connections = await others[0]?.clientList()
    expect(connections?.some(({ id }) => id === own)).toBe(true)
    for (const client of others) client.destroy()
  })

  it('causes no unhandled rejection if its connection is dropped during a ping', async () => {
    const rejections: unknown[] = []
    const note = (error: unknown) => rejections.push(error)
    process.on('unhandledRejection', note)
    await using server = await Server.start()
    await using stores = await openStores(server.url, { clientOptions: { pingInterval: 20 } })
    await until(() => works(stores))
    server.pause()
    // Longer than the interval of the pings.
    await request(stores, 'a')
    await stores.clock.advance('10s')
    server.resume()
    await until(() => works(stores))
    process.off('unhandledRejection', note)
    expect(rejections).toEqual([])
  })
})

describeWithServer('a slow Redis server', () => {
  it('receives no commands after five late replies, until it replies in time', async () => {
    await using server = await Server.start()
    await using gate = await Gate.before(server.port)
    await using stores = await openStores(`redis://127.0.0.1:${gate.port}`)
    await until(() => works(stores))
    const deadlines = countDeadlines()
    for (let late = 1; late <= 5; late++) {
      expect(stores.logged).toEqual([])
      gate.hold()
      // The next command is sent only after the late reply to the previous one has arrived.
      await until(async () => {
        await request(stores, 'a')
        return deadlines() === late
      })
      gate.release()
    }
    for (let i = 0; i < 10; i++) {
      // Wait for the last late reply.
      await new Promise((resolve) => setTimeout(resolve, 10))
      await request(stores, 'a')
    }
    expect(deadlines()).toBe(5)
    expect(stores.logged.map(({ facts }) => facts)).toEqual([{ reason: 'no replies in time' }])
    await until(async () => {
      await stores.clock.advance('10s')
      return works(stores)
    })
    expect(stores.logged.map(({ level }) => level)).toEqual(['warn', 'info'])
  })

  it('delays no request until it is tried again', async () => {
    await using server = await Server.start()
    await using gate = await Gate.before(server.port)
    await using stores = await openStores(`redis://127.0.0.1:${gate.port}`)
    gate.hold()
    await Promise.all(Array.from({ length: 5 }, () => stores.cache.get('a')))
    const deadlines = countDeadlines()
    for (let i = 0; i < 10; i++) await request(stores, 'a')
    await stores.clock.advance('9s')
    for (let i = 0; i < 10; i++) await request(stores, 'a')
    expect(deadlines()).toBe(0)
  })
})

describeWithServer('a full Redis server', () => {
  it('stores no new entries, but still allows reads, deletes and counts', async () => {
    await using server = await Server.start(
      '--maxmemory',
      '4mb',
      '--maxmemory-policy',
      'noeviction',
    )
    await using stores = await openStores(server.url)
    const { cache, limits, logged } = stores
    await until(() => works(stores))
    const [version] = await cache.versions(['tag'])
    const redis = await createClient({ url: server.url }).connect()
    await redis.configSet('maxmemory', '1')
    await expect(redis.set('a', '1')).rejects.toThrow(/^OOM/)
    await cache.set('new', entry('1'), MINUTE)
    await cache.set('newer', entry('1'), MINUTE)
    expect(await cache.get('new')).toBeUndefined()
    expect((await cache.get('works'))?.body).toBe('1')
    expect(await cache.versions(['tag'])).toEqual([version])
    await cache.invalidate(['tag'])
    const [later, again] = [await cache.versions(['tag']), await cache.versions(['tag'])]
    // A version that was not stored is unique: an entry with it is never found.
    expect(new Set([version, ...later, ...again]).size).toBe(3)
    expect(await cache.delete('works')).toBe(true)
    const count = { key: 'ip', limit: 2, windowMs: MINUTE }
    const allowed = []
    for (let i = 0; i < 3; i++) allowed.push((await limits.consume(count)).isAllowed)
    expect(allowed).toEqual([true, true, false])
    const full = { level: 'warn', facts: { reason: 'OOM' } }
    expect(logged).toEqual([{ ...full, message: 'Redis refused to store a cached value.' }])
    await redis.configSet('maxmemory', '0')
    expect(await works(stores)).toBe(true)
    await redis.configSet('maxmemory', '1')
    await cache.set('newest', entry('1'), MINUTE)
    expect(logged).toHaveLength(2)
    redis.destroy()
  })
})
