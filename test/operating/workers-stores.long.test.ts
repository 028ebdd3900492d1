import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Crew } from './workers.js'

/** On a busy machine Redis may take longer than it usually gets, and then a request passes. */
const REDIS = "{ prefix, timeout: '60s' }"

/** An application with a limit of 20, and a cached route that says who has made the response. */
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
  rateLimit: { limit: 20, window: '5m', store: ${stores.limits} },
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

const made = (crew: Crew) => crew.service.output.match(/^made$/gm)?.length ?? 0

/**
 * Asks until the same response has come from the store four times in a row. A response reaches the store after the client has it:
 * until then, the other worker makes its own, which may replace a first one that was already read. Both make one at most, so the
 * row is broken once at most. Returns how many requests that took.
 */
async function readCached(crew: Crew): Promise<number> {
  let [asked, inRow, maker] = [0, 0, 0]
  while (inRow < 4) {
    const response = await crew.ask('/cached')
    const { data } = (await response.json()) as { data: number }
    const isHit = response.headers.get('x-cache') === 'HIT'
    if (asked++ === 0) expect(isHit).toBe(false)
    if (inRow > 0) expect(isHit, 'what is stored stays stored').toBe(true)
    inRow = !isHit ? 0 : data === maker ? inRow + 1 : 1
    maker = data
  }
  return asked
}

describe('two workers', () => {
  it('share one exact limit and cached responses if they use Redis', async () => {
    const crew = await Crew.start(
      program({ limits: `redisLimits(${REDIS})`, cache: `redisCache(${REDIS})` }),
    )
    expect(crew.service.output).not.toContain('W_WORKERS_MEMORY')
    const asked = await readCached(crew)
    // At most once by each worker.
    await expect.poll(() => made(crew)).toBeGreaterThan(0)
    expect(made(crew)).toBeLessThanOrEqual(2)
    // Those of the cached route count, too: the limit is that of the application.
    expect(count(await statuses(crew, 30), 200)).toBe(20 - asked)
  })

  it('create a cached response again after an invalidation in Redis, and count each read once', async () => {
    const crew = await Crew.start(
      program({ limits: 'undefined', cache: `redisCache(${REDIS})` }).replace(
        'limit: 20',
        'limit: 100',
      ),
    )
    const reads = async () => {
      const metrics = await (await crew.ask('/metrics')).text()
      const found = metrics.matchAll(/^cache_reads_total\{worker="\d",result="(\w+)"\} (\d+)$/gm)
      const sums: Record<string, number> = {}
      for (const [, result = '', value] of found) {
        sums[result] = (sums[result] ?? 0) + Number(value)
      }
      return sums
    }
    let asked = 0
    for (let round = 1; round <= 3; round++) {
      asked += await readCached(crew)
      const counted = await reads()
      expect(counted).toMatchObject({
        hits: asked - Number(counted['misses']),
        stale: 0,
        bypasses: 0,
      })
      expect(counted['misses']).toBeGreaterThanOrEqual(round)
      // A line of a worker may arrive after its response.
      await expect.poll(() => made(crew)).toBe(counted['misses'])
      expect((await crew.ask('/forget')).status).toBe(200)
    }
  })

  it('have separate limits and caches without Redis, with one warning for each at boot', async () => {
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
    let [allowed, inBatch] = [0, 1]
    // One of them may have got most of a batch.
    while (inBatch > 0) {
      inBatch = count(await statuses(crew, 40), 200)
      allowed += inBatch
    }
    // The last batch may have missed a worker.
    expect(allowed).toBeGreaterThan(20)
    expect(allowed).toBeLessThanOrEqual(2 * 20 - 4)
  })
})
