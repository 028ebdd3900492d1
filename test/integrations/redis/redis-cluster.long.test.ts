import { redisCache, redisLimits } from 'blazon/redis'
import { createClient } from 'redis'
import { expect, it } from 'vitest'
import { until } from '../until.js'
import { describeWithServer, Server } from './server.js'
import { entry, testContext } from './support.js'

const MINUTE = 60_000

/** Starts three masters that share the slots. */
async function startCluster() {
  const servers = await Promise.all(
    Array.from({ length: 3 }, () => Server.start('--cluster-enabled', 'yes')),
  )
  const clients = await Promise.all(
    servers.map(({ url }) =>
      createClient({ url })
        .on('error', () => {})
        .connect(),
    ),
  )
  const bounds = [0, 5461, 10_923, 16_384]
  for (const [index, client] of clients.entries()) {
    const [from = 0, to = 0] = [bounds[index], bounds[index + 1]]
    await client.clusterAddSlotsRange({ start: from, end: to - 1 })
    await client.clusterMeet('127.0.0.1', servers[0]?.port ?? 0)
  }
  for (const client of clients) {
    await until(async () => /cluster_state:ok/.test(String(await client.clusterInfo())))
    await until(async () => (await client.clusterSlots()).length === 3)
  }
  const dispose = async () => {
    for (const client of clients) client.destroy()
    for (const server of servers) await server[Symbol.asyncDispose]()
  }
  const rootNodes = servers.map(({ url }) => ({ url }))
  return { servers, clients, rootNodes, [Symbol.asyncDispose]: dispose }
}

describeWithServer('a Redis cluster', () => {
  it('stores, reads, deletes, clears and counts on all of its nodes', async () => {
    await using cluster = await startCluster()
    const options = { cluster: { rootNodes: cluster.rootNodes }, timeout: '10s' }
    const [cache, limits] = [redisCache(options), redisLimits(options)]
    const { context, logged } = testContext()
    await Promise.all([cache.open?.(context), limits.open?.(context)])
    const keys = Array.from({ length: 60 }, (_, i) => `${i % 2 ? 'acme' : 'umbrella'}:${i}`)
    await Promise.all(keys.map((key) => cache.set(key, entry(key), MINUTE)))
    for (const client of cluster.clients) expect(await client.dbSize()).toBeGreaterThan(5)
    const bodies = async () =>
      (await Promise.all(keys.map((key) => cache.get(key)))).map((one) => one?.body)
    expect(await bodies()).toEqual(keys)
    await cache.clear('acme:')
    expect(await bodies()).toEqual(keys.map((key) => (key.startsWith('a') ? undefined : key)))
    expect(await cache.delete('umbrella:0')).toBe(true)
    const tags = Array.from({ length: 20 }, (_, i) => `tag${i}`)
    const before = await cache.versions(tags)
    await cache.invalidate(tags.slice(0, 10))
    const after = await cache.versions(tags)
    expect(after.map((version, i) => version === before[i])).toEqual(tags.map((_, i) => i >= 10))
    const found = await cache.getTagged?.('umbrella:2', tags)
    expect(found?.entry?.body).toBe('umbrella:2')
    expect(found?.versions).toEqual(after)
    for (const key of ['a', 'b', 'c', 'd']) {
      const count = { key, limit: 5, windowMs: MINUTE }
      const results = await Promise.all(Array.from({ length: 9 }, () => limits.consume(count)))
      expect(results.filter(({ isAllowed }) => isAllowed).length).toBe(5)
    }
    expect(logged).toEqual([])
    await Promise.all([cache.close?.(), limits.close?.()])
    const rest = await Promise.all(
      cluster.clients.map(async (client) => (await client.clientList()).length),
    )
    expect(rest.length).toBe(3)
  })

  it('is used as soon as a node runs, even if no node ran at startup', async () => {
    await using server = await Server.absent()
    const cache = redisCache({ cluster: { rootNodes: [{ url: server.url }] }, timeout: '10s' })
    const { context, logged } = testContext()
    await cache.open?.(context)
    expect(await cache.get('a')).toBeUndefined()
    await cache.delete('a')
    expect(logged.length).toBe(1)
    await server.start('--cluster-enabled', 'yes')
    const client = await createClient({ url: server.url }).connect()
    await client.clusterAddSlotsRange({ start: 0, end: 16_383 })
    await until(async () => {
      await cache.set('a', entry('a'), MINUTE)
      return (await cache.get('a')) !== undefined
    })
    client.destroy()
    await cache.close?.()
  })

  it('is not used until a node serves every slot', async () => {
    await using server = await Server.start('--cluster-enabled', 'yes')
    const cache = redisCache({ cluster: { rootNodes: [{ url: server.url }] }, timeout: '10s' })
    const { context, logged } = testContext()
    await cache.open?.(context)
    const client = await createClient({ url: server.url }).connect()
    const keys = Array.from({ length: 20 }, (_, i) => `k${i}`)
    const kept = async () => {
      for (const key of keys) await cache.set(key, entry(key), MINUTE)
      return (await Promise.all(keys.map((key) => cache.get(key)))).filter(Boolean).length
    }
    expect(await kept()).toBe(0)
    await client.clusterAddSlotsRange({ start: 0, end: 8191 })
    const attempts = async () =>
      Number(/^total_connections_received:(\d+)/m.exec(await client.info('stats'))?.[1])
    const before = await attempts()
    await until(async () => (await attempts()) > before + 1)
    expect(await kept()).toBe(0)
    await client.clusterAddSlotsRange({ start: 8192, end: 16_383 })
    await until(async () => (await kept()) === keys.length)
    client.destroy()
    await cache.close?.()
    const states = logged.filter(({ message }) => /^Redis is /.test(message))
    expect(states.map(({ facts }) => facts)).toEqual([
      { reason: 'CLUSTERDOWN' },
      { seconds: expect.any(Number) },
    ])
  })

  it('causes no failed read or delete if a node is killed', async () => {
    await using cluster = await startCluster()
    const cache = redisCache({ cluster: { rootNodes: cluster.rootNodes }, timeout: '10s' })
    await cache.open?.(testContext().context)
    const keys = Array.from({ length: 30 }, (_, i) => `k${i}`)
    await Promise.all(keys.map((key) => cache.set(key, entry(key), MINUTE)))
    await cluster.servers[1]?.kill()
    const found = await Promise.all(keys.map((key) => cache.get(key)))
    for (const [i, one] of found.entries()) expect(one?.body ?? keys[i]).toBe(keys[i])
    for (const key of keys) await cache.delete(key)
    await cache.close?.()
  })
})
