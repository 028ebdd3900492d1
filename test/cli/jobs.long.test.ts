import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'blazon'
import { defineJob, Job, Jobs, jobs, Worker } from 'blazon/jobs'
import { Database, postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { describeServerJobs } from '../integrations/jobs/worker-process.js'
import { ownServerDatabase, type ServerDatabase } from '../integrations/postgres/own-database.js'
import { until } from '../integrations/until.js'
import { runInProcess } from './run-in-process.js'
import { useFastTsx } from './use-fast-tsx.js'
import { useProjects } from './use-projects.js'

const newProject = useProjects()

const Print = defineJob('print', { retries: 0 })
const Other = defineJob('other')
let isBroken = true

@Worker()
class Printer {
  readonly db = inject(Database)

  @Job(Print)
  print() {
    if (isBroken) throw new Error('no paper\u001b[2J')
  }

  @Job(Other)
  other() {}
}

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'blazon-jobs-'))
  vi.stubEnv('DATABASE_URL', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

describeServerJobs('blazon jobs', () => {
  let database: ServerDatabase
  beforeEach(async () => {
    database = await ownServerDatabase()
  })
  afterEach(() => database[Symbol.asyncDispose]())

  const run = (...argv: string[]) =>
    runInProcess(['jobs', ...argv, '--url', database.options.url], folder)

  async function inApp(use: (app: TestApp) => Promise<void>): Promise<void> {
    const app = await TestApp.create({
      plugins: [postgres(database.options), jobs({ workers: [Printer] })],
    })
    await use(app)
    await app.close()
  }

  it('lists all jobs, lists dead jobs with their reasons, and retries a dead job', async () => {
    let id = ''
    await inApp(async (app) => {
      id = (await app.get(Jobs).send(Print)) as string
      await app.get(Jobs).send(Other, undefined, { after: '1d' })
      await app.jobs.drain({ failures: 'keep' })
    })
    const dead = await run('dead')
    expect(dead.stderr).toBe('1 job.\n')
    expect(dead.stdout).toMatch(
      new RegExp(`^${id}  print  dead  -  1 run  \\d{4}-.*Z  no paper \\[2J\\n$`),
    )
    const waiting = JSON.parse((await run('list', '--state', 'waiting', '--json')).stdout)
    expect(waiting).toMatchObject([{ name: 'other', attempts: 0, reason: null }])
    expect(await run('retry', id)).toMatchObject({ status: 0 })
    isBroken = false
    await inApp(async (app) => {
      expect(await app.jobs.drain()).toMatchObject([{ id, outcome: 'done' }])
    })
    const again = await run('retry', id)
    expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining(`no dead job ${id}`) })
    expect(await run('list', '--schema', 'none')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('no job tables'),
    })
  })
})

it('blazon routes lists the jobs that jobs() documents', async () => {
  const project = useFastTsx(newProject(['zod'])).write({
    'package.json': { type: 'module' },
    'src/app.ts': `import { App, Controller, Get } from 'blazon'
      import { defineJob, jobs } from 'blazon/jobs'
      import { postgres } from 'blazon/postgres'
      import { z } from 'zod'
      @Controller('notes') class Notes { @Get() list() { return [] } }
      const input = z.object({ orderId: z.number(), at: z.string().optional() })
      const documented = [defineJob('receipt', { input }), defineJob('sweep')]
      const plugins = [postgres({ embedded: 'memory' }), jobs({ workers: [], documented })]
      export const app = new App({ controllers: [Notes], plugins })`,
  })
  const { stdout } = await project.run(['routes'])
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(/ {2,}/))
  expect(rows).toEqual([
    ['GET', '/notes', 'Notes.list', 'public'],
    ['JOB', 'receipt', '{ orderId, at? }'],
    ['JOB', 'sweep'],
  ])
  expect((await project.run(['routes', '--filter', 'order'])).stdout).toMatch(/^JOB +receipt/)
})

const MAIN = `
import { App, inject } from 'blazon'
import { defineJob, Job, Jobs, jobs, Worker } from 'blazon/jobs'
import { Database, postgres } from 'blazon/postgres'

const Mark = defineJob('mark')
class Marks {
  db = inject(Database)
  async mark() {
    await this.db.query("insert into marks values ('" + process.pid + "')")
  }
}
Worker()(Marks)
Job(Mark)(Marks.prototype, 'mark', Object.getOwnPropertyDescriptor(Marks.prototype, 'mark'))

const plugins = [postgres({ url: process.env.JOBS_URL }), jobs({ workers: [Marks] })]
if (process.argv.includes('slow')) {
  const signalled = new Promise((resolve) => process.once('SIGTERM', resolve))
  const setup = () => { console.log('starting'); return signalled }
  plugins.push({ name: 'slow', setup })
}
const app = new App({ health: true, logger: { level: 'error' }, plugins })
if (process.argv.includes('send')) {
  await app.init()
  await app.get(Jobs).send(Mark)
  await app.close()
} else await app.listen(Number(process.env.PORT), { host: '127.0.0.1', signals: true })
`

describeServerJobs('blazon start --jobs', () => {
  it('runs jobs that other processes have sent, becomes ready, and ends on a signal', async () => {
    await using database = await ownServerDatabase()
    await database.run('create table marks (pid text)')
    const project = newProject(['pg', 'pg-boss', 'express']).write({
      'package.json': { type: 'module' },
      'dist/main.js': MAIN,
    })
    const port = await freePort()
    const start = (...args: string[]) =>
      spawn(process.execPath, [project.command, 'start', 'dist/main.js', ...args], {
        cwd: project.folder,
        env: {
          ...process.env,
          JOBS_URL: database.options.url,
          PORT: String(port),
          NODE_OPTIONS: '',
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
    const sender = start('--', 'send')
    expect((await once(sender, 'exit'))[0]).toBe(0)
    const states = () => database.run(`select state::text from blazon_jobs.job where name = 'mark'`)
    expect(await states()).toEqual([{ state: 'created' }])

    const worker = start('--jobs')
    const readiness = () => fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)
    await until(async () => (await readiness())?.status === 200)
    await until(async () => (await states())[0]?.['state'] === 'completed')
    expect(await database.run('select pid from marks')).toEqual([{ pid: String(worker.pid) }])
    worker.kill('SIGTERM')
    expect((await once(worker, 'exit'))[0]).toBe(0)

    const starting = start('--jobs', '--', 'slow')
    await once(starting.stdout, 'data')
    starting.kill('SIGTERM')
    expect((await once(starting, 'exit'))[0]).toBe(0)
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
