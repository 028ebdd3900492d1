import { createServer } from 'node:net'
import { inspect } from 'node:util'
import { ConfigError, memoryRateLimit } from 'blazon'
import {
  type RedisOptions,
  redisCache,
  redisIdempotency,
  redisLimits,
  redisSessions,
} from 'blazon/redis'
import { createClient } from 'redis'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { usable } from '../../support.js'
import { until } from '../until.js'
import { describeWithServer, Server } from './server.js'
import { entry, testContext } from './support.js'

const MINUTE = 60_000

afterEach(() => {
  vi.doUnmock('redis')
})

describe('the options of redisCache() and redisLimits()', () => {
  const rootNodes = [{ url: 'redis://a:6379' }]
  const wrong: [string, object, RegExp][] = [
    [
      'a URL without a scheme',
      { url: 'user:hunter2@host' },
      /redisCache\(\): url\s+(It is not a URL|Its scheme)/,
    ],
    [
      'a password that is not percent-encoded',
      { url: 'redis://:hunt/er2@[host' },
      /must be percent-encoded/,
    ],
    ['another scheme', { url: 'http://:hunter2@host' }, /Its scheme is http:\/\//],
    ['a path that is not a number', { url: 'redis://:hunter2@host/db' }, /not a database number/],
    ['both url and client', { url: 'redis://a', client: {} }, /url and client\s+They specify/],
    ['both url and cluster', { url: 'redis://a', cluster: { rootNodes } }, /url and cluster/],
    ['a cluster without nodes', { cluster: { rootNodes: [] } }, /cluster\.rootNodes/],
    [
      'a node with another scheme',
      { cluster: { rootNodes: [{ url: 'ftp://:hunter2@a' }] } },
      /rootNodes\[0\]\.url/,
    ],
    [
      'a second node with a path',
      { cluster: { rootNodes: [{ url: 'redis://a' }, { url: 'redis://:hunter2@a/db' }] } },
      /rootNodes\[1\]\.url\s+Its path is not a database number/,
    ],
    ['a prefix that is not text', { prefix: 7 }, /prefix\s+It is not a string/],
    ['a long prefix', { prefix: 'x'.repeat(101) }, /at most 100 characters/],
    ['a timeout of 0', { timeout: 0 }, /timeout/],
    ['an unknown unit of time', { timeout: '50 parsecs' }, /50 parsecs is not a duration/],
    ['a timeout of 25 days', { timeout: '25d' }, /25d is not a duration of .+ at most 24 days/],
    ['an infinite timeout', { timeout: Number.POSITIVE_INFINITY }, /timeout/],
    [
      'a misspelled option',
      { prefx: 'hunter2:' },
      /prefx\s+It is not an option.+\s+.+prefix, timeout/,
    ],
    ['an object that is not a client', { client: {} }, /client\s+It is not a node-redis client/],
    ['a fallback without consume()', { fallback: {} }, /fallback\s+It has no `consume` method/],
    [
      'a URL instead of options',
      'redis://:hunter2@host' as never,
      /options must be an object\.\s+Pass \{ url:/,
    ],
    ['null', null as never, /Pass \{ url:/],
  ]

  it.each(wrong)('cause a ConfigError without the password: %s', (_, options, message) => {
    expect(() => usable(redisCache(options as RedisOptions))).toThrow(message)
    expect(() => usable(redisLimits(options as RedisOptions))).toThrow(ConfigError)
    try {
      usable(redisCache(options as RedisOptions))
    } catch (error) {
      expect(inspect(error, { depth: 9 })).not.toMatch(/hunt/)
    }
  })

  it('can all be set to valid values', () => {
    for (const options of [
      {},
      { url: 'rediss://user:pass@host:6380/2' },
      { cluster: { rootNodes } },
      { timeout: 0.2, prefix: '' },
      { timeout: '24d', prefix: 'x'.repeat(100) },
      { url: 'redis://host' },
      { url: 'redis://host/' },
      // One object for both, so that they share a connection.
      { fallback: memoryRateLimit() },
    ]) {
      expect(usable(redisCache(options))).toBeDefined()
    }
  })

  it('cause an error that names the function of the store, and lists all problems', () => {
    const options = { prefix: 7, timeout: 0 } as unknown as RedisOptions
    for (const [name, make] of Object.entries({
      redisCache,
      redisLimits,
      redisSessions,
      redisIdempotency,
    })) {
      let error: unknown
      try {
        usable<unknown>(make(options))
      } catch (thrown) {
        error = thrown
      }
      const subjects = (error as ConfigError).problems.map(({ subject }) => subject)
      expect(subjects).toEqual([`${name}(): prefix`, `${name}(): timeout`])
    }
  })

  it('cause an error that names the package to install if redis is missing', async () => {
    vi.doMock('redis', () => {
      throw new Error("Cannot find package 'redis'")
    })
    const opening = redisCache().open?.(testContext().context)
    await expect(opening).rejects.toThrow(ConfigError)
    await expect(redisLimits().open?.(testContext().context)).rejects.toThrow(/npm install redis@6/)
  })
})

describe('a rediss URL', () => {
  it('connects over TLS', async () => {
    let first: number | undefined
    const server = createServer((socket) => {
      socket.once('data', (data) => {
        first = data[0]
        socket.destroy()
      })
      socket.on('error', () => {})
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const cache = redisCache({ url: `rediss://127.0.0.1:${address.port}` })
    await cache.open?.(testContext().context)
    // 0x16 begins a TLS handshake. A Redis command begins with `*`.
    await until(() => first !== undefined)
    expect(first).toBe(0x16)
    await cache.close?.()
    server.close()
  })
})

describeWithServer('a Redis server with a password', () => {
  it('is used with the password, and no log contains it', async () => {
    await using server = await Server.start('--requirepass', 'hunter2')
    const { context, logged } = testContext()
    const right = redisCache({ url: server.url.replace('//', '//:hunter2@'), timeout: '10s' })
    await right.open?.(context)
    await right.set('a', entry('a'), MINUTE)
    expect((await right.get('a'))?.body).toBe('a')
    expect(logged).toEqual([])
    const wrong = redisCache({ url: server.url.replace('//', '//:hunter3@'), timeout: '10s' })
    await wrong.open?.(context)
    expect(await wrong.get('a')).toBeUndefined()
    expect(logged.map(({ facts }) => facts)).toEqual([{ reason: 'WRONGPASS' }])
    const none = redisCache({ clientOptions: { url: server.url, RESP: 2 }, timeout: '10s' })
    await none.open?.(context)
    expect(await none.get('a')).toBeUndefined()
    expect(inspect(logged, { depth: 9 })).not.toContain('hunter')
    for (const cache of [right, wrong, none]) await cache.close?.()
    expect(inspect([right, wrong], { depth: 9, showHidden: true })).not.toContain('hunter')
  })
})

describeWithServer('a client from the application', () => {
  it('is used, and stays open after the store closes', async () => {
    await using server = await Server.start()
    const client = createClient({ url: server.url, disableOfflineQueue: true })
    await client.connect()
    const cache = redisCache({ client, timeout: '10s' })
    await cache.open?.(testContext().context)
    await cache.set('a', entry('a'), MINUTE)
    expect((await cache.get('a'))?.body).toBe('a')
    await cache.close?.()
    expect(await client.get('blazon:origin')).toMatch(/^\w{40}$/)
    expect(client.listenerCount('error')).toBe(0)
    client.destroy()
  })

  it('is connected and closed by the store if the application did not connect it', async () => {
    await using server = await Server.start()
    const client = createClient({ url: server.url, disableOfflineQueue: true })
    const cache = redisCache({ client, timeout: '10s' })
    await cache.open?.(testContext().context)
    expect(client.isReady).toBe(true)
    await cache.close?.()
    expect(client.isOpen).toBe(false)
  })
})

describeWithServer('the Redis stores', () => {
  it('share the connection of one options object until the last store closes, and can be reopened', async () => {
    await using server = await Server.start()
    const redis = await createClient({ url: server.url }).connect()
    const clients = async () => (await redis.clientList()).length - 1
    const options = { url: server.url, timeout: '10s' }
    const [cache, limits] = [redisCache(options), redisLimits(options)]
    const { context } = testContext()
    await cache.open?.(context)
    await limits.open?.(context)
    expect(await clients()).toBe(1)
    await cache.close?.()
    await cache.close?.()
    const count = { key: 'a', limit: 5, windowMs: MINUTE }
    expect((await limits.consume(count)).remaining).toBe(4)
    await limits.close?.()
    await until(async () => (await clients()) === 0)
    await cache.open?.(context)
    await cache.set('a', entry('a'), MINUTE)
    expect((await cache.get('a'))?.body).toBe('a')
    await redisCache({ ...options }).open?.(context)
    expect(await clients()).toBe(2)
    await cache.close?.()
    redis.destroy()
  })

  it('return no entry before they are opened and after they are closed', async () => {
    const cache = redisCache()
    expect(await cache.get('a')).toBeUndefined()
    expect(await cache.delete('a')).toBe(false)
    await cache.close?.()
    expect(await cache.versions(['a'])).toEqual([expect.any(String)])
  })
})
