import { CacheManager, inject, runWithTenant, tenantScoped } from 'blazon'
import { defineJob, Job, Jobs, jobs, Worker } from 'blazon/jobs'
import { postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { startPgliteFromTemplate } from '../../pglite-template.js'
import { describeJobs } from './support.js'

startPgliteFromTemplate()

const Count = defineJob('count')
const seen: unknown[] = []

class Counter {
  runs = 0
}

@Worker()
class Counts {
  private readonly cache = inject(CacheManager)
  private readonly counter = inject(Counter)

  @Job(Count)
  async count({ tenant }: { readonly tenant: string | null }) {
    const cache = this.cache.forTenant()
    seen.push([tenant, await cache.get('last'), ++this.counter.runs])
    await cache.set('last', `of ${tenant}`)
  }
}

describeJobs('a running job', () => {
  it('reads and writes only the cache and the instances of its tenant', async () => {
    await using app = await TestApp.create({
      providers: [tenantScoped(Counter, () => new Counter())],
      tenant: {},
      cache: {},
      plugins: [postgres({ embedded: 'memory' }), jobs({ workers: [Counts] })],
    })
    for (const tenant of ['acme', 'globex', 'acme']) {
      await runWithTenant(tenant, () => app.get(Jobs).send(Count))
      await app.jobs.drain()
    }
    expect(seen).toEqual([
      ['acme', undefined, 1],
      ['globex', undefined, 1],
      ['acme', 'of acme', 2],
    ])
  })
})
