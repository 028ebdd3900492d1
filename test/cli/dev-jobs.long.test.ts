import { expect, it } from 'vitest'
import type { WorkView } from '../../src/cli/dev/dashboard/views.js'
import { describeJobs } from '../integrations/jobs/support.js'
import { Reader } from './dashboard/reader.js'
import { DevRun, devProject } from './dev-run.js'

const MAIN = `
import { App, Controller, Get, inject } from 'blazon'
import { defineJob, Job, Jobs, jobs, Worker } from 'blazon/jobs'
import { Database, postgres } from 'blazon/postgres'

const Print = defineJob('print', { retries: 0 })
let paper = false

@Worker()
class Printer {
  db = inject(Database)
  @Job(Print)
  async print() {
    await this.db.query('select $1::text as sheet', ['A4'])
    if (!paper) throw new Error('no paper')
  }
}

@Controller('print')
class PrintController {
  jobs = inject(Jobs)
  @Get() async print() { await this.jobs.send(Print); return 'sent' }
  @Get('paper') refill() { paper = true; return 'refilled' }
}

const plugins = [postgres({ embedded: 'memory' }), jobs({ work: true, workers: [Printer] })]
const app = new App({ controllers: [PrintController], plugins, logger: { level: 'error' } })
await app.listen(Number(process.env.PORT))
`

describeJobs('the dashboard', () => {
  it('lists jobs with their statements, and can run a dead job again', async () => {
    const project = devProject({ 'jobs.ts': MAIN, 'tsconfig.json': '{}' })
    for (const name of ['pg-boss', '@electric-sql/pglite'])
      project.install(name, new URL(`../../node_modules/${name}`, import.meta.url).pathname)
    const run = await DevRun.start(project, { args: ['--entry', 'jobs.ts'] })
    const output = await run.until('blazon dev: ready')
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+/.exec(output) ?? []
    const reader = new Reader(url)
    expect(await reader.read('/data/work')).toEqual([{ title: 'Jobs', items: [] }])

    expect((await run.ask('/print')).status).toBe(200)
    const job = async () => (await reader.read<WorkView>('/data/work'))[0]?.items[0]
    await expect.poll(async () => (await job())?.state).toBe('dead')
    const dead = await job()
    expect(dead).toMatchObject({ name: 'print', isFailed: true, actions: ['retry'] })
    expect(dead?.facts).toMatchObject({ Runs: '1', 'Last failure': 'no paper' })
    expect(dead?.statements.map(({ text, place }) => [text, place])).toEqual([
      ['select $1::text as sheet', expect.stringMatching(/^jobs\.ts:\d+:\d+$/)],
    ])

    await run.ask('/print/paper')
    const retry = `/data/work/0/retry/${dead?.id}`
    expect(await reader.read(retry, 'POST')).toBe('The job will run once more.')
    await expect.poll(async () => (await job())?.state).toBe('done')
    expect(await reader.read(retry, 'POST')).toBe('The job is no longer dead.')
    expect(await reader.read('/data/work/1/retry/x', 'POST')).toEqual({
      message: 'The application has no such list.',
    })
  })
})
