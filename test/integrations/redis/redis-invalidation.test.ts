import { redisCache } from 'blazon/redis'
import { createClient } from 'redis'
import { expect, it } from 'vitest'
import { Gate } from '../gate.js'
import { until } from '../until.js'
import { describeWithServer, Server } from './server.js'
import { entry, testContext } from './support.js'

const MINUTE = 60_000

async function openCache(url: string, timeout = '2s') {
  const cache = redisCache({ url, timeout })
  const { context, clock, logged } = testContext()
  await cache.open?.(context)
  const close = async () => cache.close?.()
  return { cache, clock, logged, [Symbol.asyncDispose]: close }
}

/** A Redis whose connections can be cut while it keeps running. */
async function reachable() {
  const server = await Server.start()
  const gate = await Gate.before(server.port)
  const redis = await createClient({ url: server.url }).connect()
  const dispose = async () => {
    redis.destroy()
    await gate[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  }
  return {
    server,
    gate,
    redis,
    url: `redis://127.0.0.1:${gate.port}`,
    [Symbol.asyncDispose]: dispose,
  }
}

describeWithServer('an entry that is invalidated while Redis is unreachable', () => {
  it('is never read again, while other entries are still read', async () => {
    await using away = await reachable()
    await using opened = await openCache(away.url)
    const { cache } = opened
    const [version] = await cache.versions(['tag'])
    for (const key of ['a', 'b', 'acme:1', 'acme:2', 'acme-2:1']) {
      await cache.set(key, entry(key), MINUTE)
    }
    away.gate.cut()
    await until(async () => (await cache.get('b')) === undefined)
    expect(await cache.delete('a')).toBe(false)
    await cache.invalidate(['tag'])
    await cache.clear('acme:')
    expect(await away.redis.dbSize()).toBeGreaterThan(5)
    const commands: string[] = []
    const watcher = await createClient({ url: away.server.url }).connect()
    await watcher.monitor((line) => commands.push(String(line)))
    away.gate.mend()
    const stale = ['a', 'acme:1', 'acme:2']
    await until(async () => {
      for (const key of stale) expect(await cache.get(key)).toBeUndefined()
      return (await cache.get('b')) !== undefined
    })
    for (const key of stale) expect(await cache.get(key)).toBeUndefined()
    expect((await cache.get('acme-2:1'))?.body).toBe('acme-2:1')
    expect((await cache.versions(['tag']))[0]).not.toBe(version)
    const order = commands.map((line) => /"(UNLINK|GETRANGE)"/.exec(line)?.[1]).filter(Boolean)
    // Four commands delete: two by name, two by pattern. The first read comes after them.
    expect(order.indexOf('GETRANGE')).toBe(4)
    watcher.destroy()
  })

  it('causes the deletion of all entries if too many keys were invalidated', async () => {
    await using away = await reachable()
    await using opened = await openCache(away.url)
    const { cache } = opened
    await cache.set('a', entry('a'), MINUTE)
    await cache.set('b', entry('b'), MINUTE)
    away.gate.cut()
    await until(async () => (await cache.get('b')) === undefined)
    await cache.delete('a')
    for (let i = 0; i < 10_001; i++) await cache.delete(`other:${i}`)
    away.gate.mend()
    await until(async () => {
      expect(await cache.get('a')).toBeUndefined()
      await cache.set('c', entry('c'), MINUTE)
      return (await cache.get('c')) !== undefined
    })
    expect(await cache.get('a')).toBeUndefined()
    expect(await away.redis.keys('blazon:cache:*')).toEqual(['blazon:cache:c'])
  })

  it('stays invalidated if its write arrives late', async () => {
    await using away = await reachable()
    await using opened = await openCache(away.url, '153ms')
    const { cache } = opened
    await cache.set('a', entry('before'), MINUTE)
    away.gate.hold()
    await cache.set('a', entry('after'), MINUTE)
    expect(await cache.get('a')).toBeUndefined()
    away.gate.release()
    await until(async () => {
      expect(await cache.get('a')).toBeUndefined()
      await cache.set('b', entry('b'), MINUTE)
      return (await cache.get('b')) !== undefined
    })
    expect(await away.redis.exists('blazon:cache:a')).toBe(0)
  })

  it('stays invalidated if an earlier write arrives after the deletion', async () => {
    await using away = await reachable()
    await using opened = await openCache(away.url, '153ms')
    const { cache, clock } = opened
    await until(async () => {
      await cache.set('a', entry('before'), MINUTE)
      return (await cache.get('a')) !== undefined
    })
    away.gate.stall()
    await cache.set('a', entry('late'), MINUTE)
    await cache.delete('a')
    // The connection is given up for a new one, which deletes the entry.
    await clock.advance('10s')
    await until(async () => (await away.redis.exists('blazon:cache:a')) === 0)
    away.gate.unstall()
    for (let i = 0; i < 20; i++) {
      await new Promise((resolve) => setTimeout(resolve, 10))
      expect(await away.redis.exists('blazon:cache:a')).toBe(0)
    }
  })

  it('is deleted even if the process sends no other command', async () => {
    await using away = await reachable()
    await using opened = await openCache(away.url)
    await opened.cache.set('a', entry('a'), MINUTE)
    away.gate.cut()
    await until(async () => (await opened.cache.get('a')) === undefined)
    await opened.cache.delete('a')
    away.gate.mend()
    await until(async () => (await away.redis.exists('blazon:cache:a')) === 0)
  })
})

describeWithServer('a Redis server after a restart or a lost connection', () => {
  it('does not return invalidated entries from an old snapshot', async () => {
    await using server = await Server.start()
    await using opened = await openCache(server.url)
    const { cache } = opened
    const [version = ''] = await cache.versions(['tag'])
    await cache.set('a', entry('a', { tags: [['tag', version]] }), MINUTE)
    await cache.set('b', entry('b'), MINUTE)
    const redis = await createClient({ url: server.url })
      .on('error', () => {})
      .connect()
    await redis.sendCommand(['SAVE'])
    await cache.invalidate(['tag'])
    await cache.delete('b')
    await server.kill()
    await server.start()
    await until(async () => {
      expect(await cache.get('a')).toBeUndefined()
      expect(await cache.get('b')).toBeUndefined()
      await cache.set('c', entry('c'), MINUTE)
      return (await cache.get('c')) !== undefined
    })
    expect(await redis.exists(['blazon:cache:a', 'blazon:cache:b'])).toBe(0)
    redis.destroy()
  })

  it('keeps all entries if only the connection was lost', async () => {
    await using away = await reachable()
    await using opened = await openCache(away.url)
    await opened.cache.set('a', entry('a'), MINUTE)
    away.gate.cut()
    await until(async () => (await opened.cache.get('a')) === undefined)
    away.gate.mend()
    await until(async () => (await opened.cache.get('a')) !== undefined)
    // A process that starts does not delete them either.
    await using other = await openCache(away.url)
    expect((await other.cache.get('a'))?.body).toBe('a')
  })
})
