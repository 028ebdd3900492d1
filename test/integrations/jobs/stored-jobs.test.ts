import { DatabaseLink, runWithTenant } from 'blazon'
import { defineJob, Job, Jobs, jobs, listJobs, retryJob, Worker } from 'blazon/jobs'
import { postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { startPgliteFromTemplate } from '../../pglite-template.js'
import { describeJobs } from './support.js'

startPgliteFromTemplate()

const Print = defineJob('print', { input: z.object({ n: z.number() }), retries: 0 })
const Sweep = defineJob('sweep', { tenant: false, retries: 0 })
let isFailing = true

@Worker()
class Printer {
  @Job(Print)
  print() {
    if (isFailing) throw new Error('no paper')
  }
  @Job(Sweep) sweep() {}
}

describeJobs('the stored jobs', () => {
  let app: TestApp
  let link: DatabaseLink
  beforeAll(async () => {
    app = await TestApp.create({
      tenant: {},
      plugins: [postgres({ embedded: 'memory' }), jobs({ workers: [Printer], schema: 'own_jobs' })],
    })
    link = app.get(DatabaseLink)
  })
  afterAll(() => app?.close())

  const list = (filter: object = {}) => listJobs(link, { schema: 'own_jobs', ...filter })
  const send = (tenant: string, n: number) =>
    runWithTenant(tenant, () => app.get(Jobs).send(Print, { n })) as Promise<string>

  it('are listed newest first, by name, state, tenant and number, and run again if they are dead', async () => {
    const first = await send('acme', 1)
    await app.jobs.drain({ failures: 'keep' })
    await app.clock.advance('1m')
    const sweep = (await app.get(Jobs).send(Sweep)) as string
    await app.jobs.drain()
    await app.clock.advance('1m')
    const second = await send('globex', 2)
    const ids = async (filter: object) => (await list(filter)).map(({ id }) => id)
    expect(await list()).toEqual([
      expect.objectContaining({
        ...{ id: second, name: 'print', state: 'waiting', tenant: 'globex', attempts: 0 },
        ...{
          reason: null,
          input: { n: 2 },
          sentAt: expect.any(Date),
          startAfter: expect.any(Date),
        },
      }),
      expect.objectContaining({
        ...{ id: sweep, name: 'sweep', state: 'done', tenant: null, attempts: 1, input: null },
      }),
      expect.objectContaining({
        ...{ id: first, state: 'dead', tenant: 'acme', attempts: 1, reason: 'no paper' },
      }),
    ])
    expect(await ids({ name: 'sweep' })).toEqual([sweep])
    expect(await ids({ state: 'dead' })).toEqual([first])
    expect(await ids({ tenant: 'globex' })).toEqual([second])
    expect(await ids({ tenant: null })).toHaveLength(3)
    expect(await ids({ limit: 1 })).toEqual([second])
    expect(await runWithTenant('acme', () => app.get(Jobs).list())).toMatchObject([{ id: first }])
    for (const id of [second, sweep, 'none'])
      expect(await retryJob(link, id, 'own_jobs')).toBe(false)
    expect(await retryJob(link, first, 'own_jobs')).toBe(true)
    expect(await ids({ state: 'waiting' })).toEqual([second, first])
    isFailing = false
    expect(await app.jobs.drain()).toHaveLength(2)
    expect(await ids({ state: 'done' })).toHaveLength(3)
  })
})
