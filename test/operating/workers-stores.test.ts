import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Crew } from './workers.js'

/** An application with a limit of 10, and a cached route that says who has made the response. */
const program = (stores: { limits: string; cache: string }) => `
import { Cache, CacheManager, inject } from 'blazon'
import { redisCache, redisLimits } from 'blazon/redis'
const prefix = ${JSON.stringify(randomUUID())}
class Work {
  cache = inject(CacheManager)
  pid() { return process.pid }
  async forget() { await this.cache.invalidateTags(['made']); return process.pid }
  cached() { say('made'); return process.pid }
}
const add = (name, ...decorators) => {
  const descriptor = Object.getOwnPropertyDescriptor(Work.prototype, name)
  for (const decorate of decorators) decorate(Work.prototype, name, descriptor)
}
add('pid', Get('pid'))
add('cached', Cache({ ttl: '1m', tags: ['made'] }), Get('cached'))
add('forget', Get('forget'))
Controller()(Work)
const app = new App({
  controllers: [Work],
  rateLimit: { limit: 10, window: '5m', store: ${stores.limits} },
  cache: { store: ${stores.cache} },
  metrics: true,
})
await app.listen(0)
`

async function statuses(crew: Crew, requests: number): Promise<number[]> {
  const sent = Array.from({ length: requests }, async () => (await crew.ask('/pid')).status)
  return Promise.all(sent)
}

const count = (list: readonly number[], status: number) =>
  list.filter((each) => each === status).length

describe('two workers', () => {
  it('over Redis keep one limit exactly, and make a cached response once', async () => {
    const crew = await Crew.start(
      program({ limits: 'redisLimits({ prefix })', cache: 'redisCache({ prefix })' }),
    )
    expect(crew.service.output).not.toContain('W_WORKERS_MEMORY')
    const makers = new Set<number>()
    for (let index = 0; index < 4; index++) {
      const { data } = (await (await crew.ask('/cached')).json()) as { data: number }
      makers.add(data)
    }
    expect(makers.size).toBe(1)
    expect(crew.service.output.match(/^made$/gm)).toHaveLength(1)
    // The four above count, too: the limit is that of the application.
    expect(count(await statuses(crew, 30), 200)).toBe(6)
  })

  it('over Redis make a response once more after one of them has invalidated it, and count each read once', async () => {
    const crew = await Crew.start(
      program({ limits: 'undefined', cache: 'redisCache({ prefix })' }).replace(
        'limit: 10',
        'limit: 100',
      ),
    )
    const reads = async () => {
      const metrics = await (await crew.ask('/metrics')).text()
      const found = metrics.matchAll(/^cache_reads_total\{result="(\w+)"\} (\d+)$/gm)
      return Object.fromEntries([...found].map(([, result, value]) => [result, Number(value)]))
    }
    for (let round = 1; round <= 3; round++) {
      const makers = new Set<number>()
      for (let index = 0; index < 4; index++) {
        const { data } = (await (await crew.ask('/cached')).json()) as { data: number }
        makers.add(data)
      }
      expect(makers.size).toBe(1)
      expect(crew.service.output.match(/^made$/gm)).toHaveLength(round)
      expect(await reads()).toEqual({ hits: 3 * round, misses: round, stale: 0, bypasses: 0 })
      expect((await crew.ask('/forget')).status).toBe(200)
    }
  })

  it('in memory have a limit and a cache each, and boot says so once', async () => {
    const crew = await Crew.start(program({ limits: 'undefined', cache: 'undefined' }))
    const warnings = crew.service.logged('W_WORKERS_MEMORY')
    expect(warnings.map(({ message }) => String(message).split('\n')[0])).toEqual([
      '[W_WORKERS_MEMORY] rateLimit',
      '[W_WORKERS_MEMORY] cache',
    ])
    const makers = new Set<number>()
    for (let index = 0; index < 4; index++) {
      const { data } = (await (await crew.ask('/cached')).json()) as { data: number }
      makers.add(data)
    }
    expect(makers.size).toBe(2)
    expect(count(await statuses(crew, 40), 200)).toBe(2 * 10 - 4)
  })
})
