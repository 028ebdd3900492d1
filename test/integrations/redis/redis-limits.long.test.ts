import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { redisLimits } from 'blazon/redis'
import { createClient } from 'redis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compiledProgram } from '../compiled-program.js'
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

  it('allow exactly the limit for two processes together', async () => {
    const processes = [await startCounter(), await startCounter()]
    await Promise.all(processes.map((child) => lineOf(child)))
    for (const child of processes) child.stdin?.write('go\n')
    const allowed = (await Promise.all(processes.map((child) => lineOf(child)))).map(Number)
    expect((allowed[0] ?? 0) + (allowed[1] ?? 0)).toBe(73)
  })
})

/** A process that sends 100 requests at once on a signal, and reports how many were allowed. */
async function startCounter(): Promise<ChildProcess> {
  const file = fileURLToPath(new URL('./count-in-process.ts', import.meta.url))
  return spawn(process.execPath, [await compiledProgram(file)], {
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
