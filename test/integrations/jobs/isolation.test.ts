import {
  Body,
  Controller,
  DatabaseLink,
  Get,
  getTenantId,
  inject,
  Post,
  type Req,
  runWithTenant,
  Tenant,
} from 'blazon'
import { Cron, defineJob, Job, type JobOf, Jobs, jobs, Worker } from 'blazon/jobs'
import { Database, postgres, tenantTable } from 'blazon/postgres'
import { type IsolationReport, TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { startPgliteFromTemplate } from '../../pglite-template.js'
import { describeJobs } from './support.js'

startPgliteFromTemplate()

const Note = z.object({ text: z.string() })
const Print = defineJob('print', { input: Note, retries: 0 })
const Count = defineJob('count', { input: Note, tenant: false })

type Run = (db: Database, run: JobOf<typeof Print>) => Promise<unknown>
type Send = (jobs: Jobs, text: string) => Promise<unknown>

/** Proves an application whose requests store a note and send a job, with a worker that may be wrong. */
async function prove(
  run: Run,
  {
    send = (sender, text) => sender.send(Print, { text }),
    skip = [],
  }: { readonly send?: Send; readonly skip?: string[] } = {},
): Promise<IsolationReport> {
  @Worker()
  class Printer {
    readonly db = inject(Database)

    @Job(Print)
    print(job: JobOf<typeof Print>) {
      return run(this.db, job)
    }

    @Job(Count)
    async count(_run: JobOf<typeof Count>) {
      await this.db.withoutTenant('count', () => this.db.query('select * from notes'))
    }

    @Cron('0 3 * * *', { name: 'nightly' })
    nightly() {}
  }

  @Tenant()
  @Controller('notes')
  class Notes {
    readonly db = inject(Database)
    readonly jobs = inject(Jobs)

    @Post()
    @Body(Note)
    async add({ body: { text } }: Req<{ body: typeof Note }>) {
      await this.db.sql`insert into notes (text) values (${text})`
      await send(this.jobs, text)
      return { text }
    }

    @Get()
    async list() {
      return (await this.db.query('select text from notes')).rows
    }
  }

  await using app = await TestApp.create({
    controllers: [Notes],
    tenant: {},
    plugins: [postgres({ embedded: 'memory' }), jobs({ workers: [Printer] })],
  })
  const columns = ['text text not null', 'printed integer not null default 0']
  await app.get(DatabaseLink).run(tenantTable('notes', { columns }))
  return await app.proveIsolation({ tenants: ['acme', 'globex'], seed: 1, rounds: 1, skip })
}

const jobRow = ({ verdicts }: IsolationReport) =>
  verdicts.find(({ operationId }) => operationId === 'print')

describeJobs('proveIsolation() on an application with jobs', () => {
  it('gives the verdict PASS to a job that touches only rows of its tenant', async () => {
    const report = await prove((db) => db.query('update notes set printed = printed + 1'))
    expect(report.leaks).toEqual([])
    expect(report.verdicts.map(({ operation, verdict }) => `${operation} ${verdict}`)).toEqual([
      'POST /notes PASS',
      'GET /notes PASS',
      'JOB print PASS',
    ])
    expect(jobRow(report)?.evidence).toBe(
      'the runs of acme and globex touched no row of another tenant',
    )
  })

  it('reports a job that reads rows of another tenant', async () => {
    const report = await prove((db) =>
      db.withoutTenant('all', () => db.query('select text from notes')),
    )
    expect(report.leaks.map(({ kind, where }) => `${kind} ${where}`)).toContain(
      'job ran the job print, whose “select text from notes” read data of globex',
    )
    expect(jobRow(report)).toMatchObject({ operation: 'JOB print', verdict: 'LEAK' })
    expect(String(report)).toContain('LEAK JOB print (print, print): acme ran the job print')
  })

  it('reports a job that changes rows of all tenants', async () => {
    const report = await prove((db) =>
      db.withoutTenant('all', () => db.query('update notes set printed = printed + 1')),
    )
    expect(report.leaks[0]).toMatchObject({ kind: 'job', operationId: 'print' })
    expect(report.leaks[0]?.where).toMatch(/touched \d+ rows without the tenant$/)
  })

  it('reports a job that is sent for another tenant', async () => {
    const report = await prove((db) => db.query('select 1 from notes'), {
      send: (sender, text) => {
        const other = getTenantId() === 'acme' ? 'globex' : 'acme'
        return runWithTenant(other, () => sender.send(Print, { text }))
      },
    })
    expect(report.leaks.map(({ kind, to, where }) => `${kind}: ${to} ${where}`)).toEqual([
      'job: globex is the tenant of a job print with data of acme',
      'job: acme is the tenant of a job print with data of globex',
    ])
  })

  it('reports a job without a tenant that contains data of one tenant and reads rows of another tenant', async () => {
    const report = await prove((db) => db.query('select 1 from notes'), {
      send: async (sender, text) => {
        await sender.send(Print, { text })
        await sender.send(Count, { text })
      },
    })
    expect(report.leaks.map(({ where }) => where)).toContain(
      'ran the job count, whose “select * from notes” read data of globex',
    )
    expect(jobRow(report)?.verdict).toBe('PASS')
  })

  it('fails with the name of a job if all its runs fail', async () => {
    const proof = prove((db) => db.transaction(() => Promise.reject(new Error('no paper'))))
    await expect(proof).rejects.toThrow(
      'proveIsolation() did not test the job print: every run failed (no paper).',
    )
  })

  it('fails for a job that no request sends, unless it is skipped', async () => {
    const nothing = { send: async () => {} }
    const run: Run = (db) => db.query('select 1 from notes')
    await expect(prove(run, nothing)).rejects.toThrow(
      "did not test the job print: no request sent it. Send it in a request so that it can run, or skip it: skip: ['print'].",
    )
    const report = await prove(run, { ...nothing, skip: ['print'] })
    expect(jobRow(report)).toBeUndefined()
  })

  it('reports a job that sends no statement as inconclusive', async () => {
    expect(jobRow(await prove(async () => {}))).toMatchObject({
      verdict: 'INCONCLUSIVE',
      evidence: 'no run of acme and globex sent a statement as its tenant',
    })
  })
})
