import { BadRequestError, Body, Controller, DatabaseLink, getTenantId, inject, Log, Post, Tenant } from 'blazon'
import { Job, type JobOf, Jobs, defineJob, jobs, Worker } from 'blazon/jobs'
import { Database, postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { startPgliteFromTemplate } from '../../pglite-template.js'
import { describeJobs } from './support.js'

startPgliteFromTemplate()

const Receipt = defineJob('receipt', { input: z.object({ order: z.number() }), retries: 2 })

@Worker()
class Receipts {
  static seen: object[] = []
  static fails = 0
  private readonly db = inject(Database)
  private readonly log = inject(Log)

  @Job(Receipt)
  async write({ id, name, input, attempt, tenant, sender }: JobOf<typeof Receipt>) {
    Receipts.seen.push({ id, name, input, attempt, tenant, sender, current: getTenantId() })
    await this.db.query('insert into effects values ($1, current_setting($2))', [id, 'app.tenant_id'])
    this.log.info({ order: input.order }, 'Written')
    if (Receipts.fails-- > 0) throw new Error('no paper')
  }
}

@Controller('orders')
class Orders {
  private readonly jobs = inject(Jobs)

  @Tenant()
  @Body(z.object({ order: z.any(), fail: z.boolean().optional() }))
  @Post()
  async create(req: { body: { order: number; fail?: boolean | undefined } }) {
    const id = await this.jobs.send(Receipt, { order: req.body.order })
    if (req.body.fail) throw new BadRequestError('refused after the send')
    return { id }
  }
}

describeJobs('jobs on an embedded database', () => {
  let app: TestApp

  beforeEach(async () => {
    Receipts.seen = []
    Receipts.fails = 0
    app = await TestApp.create({
      controllers: [Orders],
      tenant: {},
      plugins: [postgres({ embedded: 'memory' }), jobs({ work: true, workers: [Receipts] })],
    })
    await app.get(DatabaseLink).run('create table effects (id uuid, tenant text); grant all on effects to app_tenant')
  })
  afterEach(() => app.close())

  const order = (body: object) =>
    app.request().post('/orders').set('x-tenant-id', 'acme').set('x-request-id', 'r-1').send(body)

  it('leaves no job of a request that fails after the send', async () => {
    expect((await order({ order: 1, fail: true })).status).toBe(400)
    expect(app.jobs.sent).toEqual([])
    expect(await app.jobs.drain()).toEqual([])
  })

  it('runs a job as its tenant', async () => {
    expect((await order({ order: 1 })).status).toBe(200)
    expect(app.jobs.sent).toMatchObject([{ name: 'receipt', tenant: 'acme', input: { order: 1 } }])
    const reports = await app.jobs.drain({ failures: 'keep' })
    console.log(reports, Receipts.seen)
  })
})
