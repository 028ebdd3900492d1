import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { redisLimits } from 'blazon/redis'
import { createClient } from 'redis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../until.js'
import { describeWithRedis, describeWithServer, ownPrefix, Server, url } from './server.js'
import { testContext } from './support.js'

const MINUTE = 60_000
const prefix = ownPrefix()

describeWithRedis('rate limits in Redis', () => {
  const limits = redisLimits({ url, prefix, timeout: '10s' })
  const redis = createClient({ url })

  beforeAll(async () => {
    await redis.connect()
    await limits.open?.(testContext().context)
  })

  afterAll(async () => {
    await limits.close?.()
    for await (const keys of redis.scanIterator({ MATCH: `${prefix}*` })) {
      if (keys.length > 0) await redis.del(keys)
    }
    redis.destroy()
  })

  it('allow exactly as many requests as the limit', async () => {
    const count = { key: 'exact', limit: 3, windowMs: MINUTE }
    const results = []
    for (let i = 0; i < 5; i++) results.push(await limits.consume(count))
    expect(results.map(({ isAllowed }) => isAllowed)).toEqual([true, true, true, false, false])
    expect(results.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0, 0])
    for (const { resetMs } of results) {
      expect(resetMs).toBeGreaterThan(0)
      expect(resetMs).toBeLessThanOrEqual(MINUTE)
    }
  })

  it('count each key separately', async () => {
    const one = { limit: 1, windowMs: MINUTE }
    const long = 'x'.repeat(2000)
    for (const key of ['a', 'a:b', 'a:b:c', '', '\u0000', long, `${long}y`]) {
      expect(await limits.consume({ ...one, key }), key).toMatchObject({ isAllowed: true })
      expect(await limits.consume({ ...one, key }), key).toMatchObject({ isAllowed: false })
    }
  })

  it('support windows shorter than a second', async () => {
    const count = { key: 'short', limit: 1, windowMs: 250 }
    await until(async () => (await limits.consume(count)).isAllowed)
    await until(async () => {
      const { isAllowed, resetMs } = await limits.consume(count)
      expect(resetMs).toBeLessThanOrEqual(250)
      return isAllowed
    })
    expect(await redis.pTTL(`${prefix}limit:short`)).toBeLessThanOrEqual(250)
  })

  it('start a window with its first request, and delete the count at its end', async () => {
    await limits.consume({ key: 'window', limit: 5, windowMs: 90_500 })
    const ttl = await redis.pTTL(`${prefix}limit:window`)
    expect(ttl).toBeGreaterThan(60_000)
    expect(ttl).toBeLessThanOrEqual(90_500)
    // A count without an expiry gets a new one.
    await redis.persist(`${prefix}limit:window`)
    await limits.consume({ key: 'window', limit: 5, windowMs: 90_500 })
    expect(await redis.pTTL(`${prefix}limit:window`)).toBeGreaterThan(0)
  })

  it('allow exactly the limit among 100 concurrent requests', async () => {
    const count = { key: 'many', limit: 17, windowMs: MINUTE }
    const results = await Promise.all(Array.from({ length: 100 }, () => limits.consume(count)))
    expect(results.filter(({ isAllowed }) => isAllowed).length).toBe(17)
  })

  it('allow exactly the limit for two processes together', async () => {
    const processes = [startCounter(), startCounter()]
    await Promise.all(processes.map((child) => lineOf(child)))
    for (const child of processes) child.stdin?.write('go\n')
    const allowed = (await Promise.all(processes.map((child) => lineOf(child)))).map(Number)
    expect((allowed[0] ?? 0) + (allowed[1] ?? 0)).toBe(73)
  })

  it('treat an invalid count as a failure of Redis, and use the fallback', async () => {
    await redis.hSet(`${prefix}limit:hash`, 'a', '1')
    const count = { key: 'hash', limit: 1, windowMs: MINUTE }
    expect(await limits.consume(count)).toMatchObject({ isAllowed: true, remaining: 0 })
    expect(await limits.consume(count)).toMatchObject({ isAllowed: false })
  })
})

/** A process that sends 100 requests at once on a signal, and reports how many were allowed. */
function startCounter(): ChildProcess {
  const file = fileURLToPath(new URL('./count-in-process.ts', import.meta.url))
  return spawn(process.execPath, ['--import', 'tsx', file], {
    env: { ...process.env, NODE_OPTIONS: '', COUNT_URL: url, COUNT_PREFIX: prefix },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}

async function lineOf(child: ChildProcess): Promise<string> {
  const [data] = await Promise.race([
    once(child.stdout as NodeJS.ReadableStream, 'data'),
    once(child, 'exit').then(([code]) => [`ended with ${code}`]),
  ])
  return String(data).trim()
}

describeWithServer('rate limits in a Redis server that loses its scripts', () => {
  it('allow exactly as many requests as the limit', async () => {
    await using server = await Server.start()
    const limits = redisLimits({ url: server.url, timeout: '10s' })
    await limits.open?.(testContext().context)
    const redis = await createClient({ url: server.url }).connect()
    const count = { key: 'forgotten', limit: 30, windowMs: MINUTE }
    let allowed = 0
    for (let round = 0; round < 4; round++) {
      const results = await Promise.all(Array.from({ length: 10 }, () => limits.consume(count)))
      allowed += results.filter(({ isAllowed }) => isAllowed).length
      await redis.scriptFlush()
    }
    expect(allowed).toBe(30)
    expect(await redis.get('blazon:limit:forgotten')).toBe('40')
    redis.destroy()
    await limits.close?.()
  })
})

it.each([
  ['returns null', async () => null],
  ['returns a reply of another type', async () => 'OK'],
  ['rejects without an Error', () => Promise.reject('no')],
])('rate limits use the fallback if the client %s', async (_, sendCommand) => {
  const client = {
    isOpen: true,
    isReady: true,
    on: () => client,
    off: () => client,
    listeners: () => [],
    connect: async () => client,
    destroy: () => {},
    withTypeMapping: () => client,
    sendCommand,
  }
  const limits = redisLimits({ client })
  await limits.open?.(testContext().context)
  const count = { key: 'ip', limit: 1, windowMs: MINUTE }
  expect(await limits.consume(count)).toMatchObject({ isAllowed: true, remaining: 0 })
  expect(await limits.consume(count)).toMatchObject({ isAllowed: false })
  await limits.close?.()
})

describeWithServer('rate limits with a failing fallback', () => {
  it('reject the call with the error of the fallback', async () => {
    await using server = await Server.start()
    const fallback = {
      consume() {
        throw new Error('no fallback')
      },
    }
    const limits = redisLimits({ url: server.url, fallback, timeout: '20ms' })
    await limits.open?.(testContext().context)
    server.pause()
    const count = { key: 'ip', limit: 1, windowMs: MINUTE }
    await expect(Promise.resolve(limits.consume(count))).rejects.toThrow('no fallback')
    await limits.close?.()
  })
})

describeWithServer('rate limits without Redis', () => {
  it('are counted in the same process, with one count for each window', async () => {
    await using server = await Server.absent()
    const limits = redisLimits({ url: server.url })
    const { context, clock } = testContext()
    await limits.open?.(context)
    await clock.advance(1)
    const count = { key: 'ip', limit: 2, windowMs: MINUTE }
    const first = { isAllowed: true, remaining: 1, resetMs: MINUTE }
    expect(await limits.consume(count)).toEqual(first)
    await clock.advance('20s')
    expect(await limits.consume(count)).toMatchObject({ remaining: 0, resetMs: 40_000 })
    expect(await limits.consume(count)).toMatchObject({ isAllowed: false, resetMs: 40_000 })
    expect(await limits.consume({ ...count, key: 'other' })).toMatchObject({ isAllowed: true })
    await clock.advance('40s')
    expect(await limits.consume(count)).toEqual(first)
    await limits.close?.()
  })

  it('are counted by the fallback of the options, which is opened and closed', async () => {
    await using server = await Server.absent()
    const calls: string[] = []
    const fallback = {
      open: () => void calls.push('open'),
      close: () => void calls.push('close'),
      consume: () => ({ isAllowed: true, remaining: 7, resetMs: 1 }),
    }
    const limits = redisLimits({ url: server.url, fallback })
    await limits.open?.(testContext().context)
    const count = { key: 'ip', limit: 1, windowMs: MINUTE }
    expect(await limits.consume(count)).toEqual({ isAllowed: true, remaining: 7, resetMs: 1 })
    await limits.close?.()
    expect(calls).toEqual(['open', 'close'])
  })
})
