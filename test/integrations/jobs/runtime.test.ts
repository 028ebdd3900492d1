import { Clock, type DatabaseLink, Metrics } from 'blazon'
import { Cron, defineJob, Job, Jobs, Worker } from 'blazon/jobs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { bossDatabase, followTests, loadBoss } from '../../../src/integrations/jobs/boss.js'
import { resolveOptions } from '../../../src/integrations/jobs/jobs-options.js'
import { Runtime } from '../../../src/integrations/jobs/runtime.js'
import { JOB } from '../../../src/integrations/jobs/worker.js'
import { TenantStates, UnderTest } from '../../../src/plugin/index.js'
import { TestClock } from '../../../src/testing/test-clock.js'
import { turns } from '../../journeys/turns.js'

// pg-boss itself is not started, so these tests also run on a Node that is too old for it.
const versions = { ...process.versions, node: '22.12.0' }
beforeEach(() => {
  vi.stubGlobal('process', Object.create(process, { versions: { value: versions } }))
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const Print = defineJob('print', {
  retries: 5,
  retryDelay: '7s',
  timeout: '9s',
  keep: '1d',
  policy: 'short',
})

@Worker()
class Printer {
  @Job(Print) print() {}
  @Cron('0 3 * * *', { name: 'nightly', timeout: '1m', retries: 1 }) nightly() {}
}

/** A database that answers the statements of the runtime, and what was sent to it. */
function openLink(answer: (text: string) => object[] = () => []) {
  const log: string[] = []
  const run = async (text: string, values?: readonly unknown[]) => {
    log.push([text.replace(/\s+/g, ' '), ...(values ?? [])].join(' | '))
    return answer(text)
  }
  const link = {
    ...{ connections: 7, isEmbedded: false, isReal: true, run },
    join: (fn: (query: typeof run) => unknown) => fn(run),
    afterCommit: async (fn: () => unknown) => void (await fn()),
  } as unknown as DatabaseLink
  return { link, log }
}

type Methods = Record<string, (...args: unknown[]) => Promise<unknown>>

/** Starts the runtime over a pg-boss without a database. */
async function start(options: object, { isTest = false, more = {} } = {}) {
  const { link, log } = openLink((text) =>
    text.includes('seconds') ? [{ name: 'print', seconds: 4 }] : [],
  )
  Object.assign(link, more)
  const { prototype } = await loadBoss()
  const calls: [name: string, ...args: unknown[]][] = []
  const replace = (name: string, result: unknown = undefined) =>
    vi.spyOn(prototype as unknown as Methods, name).mockImplementation(async (...args) => {
      calls.push([name, ...args])
      return result
    })
  for (const name of ['start', 'stop', 'createQueue', 'updateQueue', 'work', 'offWork', 'send'])
    replace(name, 'id')
  const counts = { readyCount: 3, activeCount: 2, failedCount: 1 }
  const getQueues = replace('getQueues', [{ name: 'print', ...counts }, { name: 'nightly' }])
  const clock = new TestClock()
  clock.set('2030-01-01T00:00:00Z')
  const lines: [string, object][] = []
  const note = (facts: object, message: string) => void lines.push([message, facts])
  const logger = { info: note, warn: note, error: note }
  const metrics: { name: string; type: string; help: string; read(): object[] }[] = []
  const tokens = new Map<unknown, unknown>([
    [Clock, clock],
    [UnderTest, isTest],
    [Metrics, { add: (metric: never) => metrics.push(metric) }],
    [TenantStates, async () => 'active'],
  ])
  const instance = new Printer()
  const find = (option: unknown) => {
    if (option !== JOB) return [{ instance }]
    const schedule = { expression: '0 3 * * *', zone: 'UTC' }
    const Nightly = defineJob('nightly', { tenant: false, timeout: '1m', retries: 1 })
    return [
      { instance, method: 'print', value: { of: () => Print, schedule: null }, call: () => {} },
      { instance, method: 'nightly', value: { of: () => Nightly, schedule }, call: () => {} },
    ]
  }
  const runtime = new Runtime(resolveOptions({ workers: [Printer], ...options }), link)
  const sender = new Jobs()
  const get = (token: unknown) => tokens.get(token)
  const context = { get, logger, usesTenants: false, find }
  await runtime.start(sender, context as never)
  const named = (name: string) => calls.filter(([each]) => each === name).map(([, ...args]) => args)
  return { runtime, sender, metrics, clock, lines, named, log, getQueues, calls }
}

describe('the jobs of an application', () => {
  it('have queues with the options of their jobs, and no workers unless it works', async () => {
    const { named, metrics, runtime, sender, log } = await start({ work: false })
    const print = {
      ...{ retryLimit: 5, retryDelay: 7, retryBackoff: true, retryDelayMax: 3600 },
      ...{ expireInSeconds: 9, deleteAfterSeconds: 86_400 },
    }
    expect(named('createQueue')[0]).toEqual(['print', { ...print, policy: 'short' }])
    expect(named('updateQueue')).toEqual([
      ['print', print],
      [
        'nightly',
        {
          ...print,
          retryLimit: 1,
          retryDelay: 5,
          expireInSeconds: 60,
          deleteAfterSeconds: 604_800,
        },
      ],
    ])
    await runtime.onReady()
    runtime.check()
    expect([named('work'), metrics, log]).toEqual([[], [], []])
    expect(await sender.send(Print)).toBe('id')
    expect(named('send')[0]?.slice(0, 2)).toEqual([
      'print',
      { input: undefined, tenant: null, sender: {} },
    ])
    await runtime.onClosing(0)
    await runtime.onClose()
    expect(named('stop')).toEqual([[{ graceful: false }]])
  })

  it('are worked on from the time when the application is ready, and then wake its workers', async () => {
    const { named, runtime, sender } = await start({ work: true })
    expect(named('work')).toEqual([])
    await runtime.onReady()
    expect(named('work').map(([name]) => name)).toEqual(['print', 'nightly'])
    const { prototype } = await loadBoss()
    const notified: string[] = []
    vi.spyOn(prototype, 'getWipData').mockReturnValue([
      { id: 'w', name: 'print', count: 0 },
    ] as never)
    vi.spyOn(prototype, 'notifyWorker').mockImplementation((id) => void notified.push(id))
    await sender.send(Print)
    expect(notified).toEqual(['w'])
    await runtime.onClosing(0)
    expect(named('offWork')).toHaveLength(2)
  })

  it('are unhealthy if no worker has looked for jobs for a minute', async () => {
    const { runtime } = await start({ work: true })
    const { prototype } = await loadBoss()
    const at = (...ages: (number | null)[]) =>
      vi.spyOn(prototype, 'getWipData').mockReturnValue(
        ages.map((age) => ({
          ...{ createdOn: Date.now() - 70_000 },
          ...(age !== null && { lastFetchedOn: Date.now() - age }),
        })) as never,
      )
    at(70_000, 70_000)
    expect(() => runtime.check()).toThrow('No worker has looked for jobs for a minute.')
    at(null)
    expect(() => runtime.check()).toThrow('No worker has looked for jobs for a minute.')
    vi.spyOn(prototype, 'getWipData').mockReturnValue([{ createdOn: Date.now() - 10 }] as never)
    runtime.check()
    at(70_000, 50_000)
    runtime.check()
    at()
    runtime.check()
  })

  it('are counted for metrics at most every five seconds, and a failure is logged', async () => {
    const { metrics, clock, lines, getQueues } = await start({ work: true })
    await turns(5)
    expect(metrics.map(({ name, type, help }) => [name, type, help])).toEqual([
      ['jobs_waiting', 'gauge', 'Due jobs that are not yet running.'],
      ['jobs_running', 'gauge', 'Jobs that are running.'],
      ['jobs_failed', 'gauge', 'Stored jobs that failed in every run.'],
      ['jobs_oldest_seconds', 'gauge', 'The waiting time of the oldest due job.'],
    ])
    const of = (job: string) =>
      metrics.map(
        ({ read }) =>
          (read() as { value: number; labels: { job: string } }[]).find(
            ({ labels }) => labels.job === job,
          )?.value,
      )
    expect([of('print'), of('nightly')]).toEqual([
      [3, 2, 1, 4],
      [0, 0, 0, 0],
    ])
    expect(getQueues).toHaveBeenCalledTimes(1)
    expect(getQueues).toHaveBeenCalledWith(['print', 'nightly'])
    await clock.advance('4999ms')
    of('print')
    expect(getQueues).toHaveBeenCalledTimes(1)
    await clock.advance('1ms')
    getQueues.mockRejectedValueOnce(new Error('down'))
    expect(of('print')).toEqual([3, 2, 1, 4])
    await turns(5)
    expect(getQueues).toHaveBeenCalledTimes(2)
    expect(lines).toEqual([['The jobs could not be counted', { err: new Error('down') }]])
  })

  it('under test are recorded, and run only on demand', async () => {
    const { runtime, sender, log, named, metrics } = await start({ work: true }, { isTest: true })
    await runtime.onReady()
    expect([named('work'), metrics]).toEqual([[], []])
    expect(log[0]).toContain('create or replace function blazon_jobs.job_now()')
    expect([...runtime.drain.known.keys()]).toEqual(['print'])
    await sender.send(Print)
    expect(runtime.drain.sent).toEqual([
      { id: 'id', name: 'print', input: undefined, tenant: null },
    ])
    expect(named('send')[0]?.[0]).toBe('nightly')
  })

  it('are sent nowhere if a test replaces the database', async () => {
    const { sender, named, calls } = await start({}, { isTest: true, more: { isReal: false } })
    expect(await sender.send(Print)).toMatch(/^[\da-f-]{36}$/)
    expect([named('send'), calls]).toEqual([[], []])
  })
})

it('a job cannot be sent before the application has started', async () => {
  const jobs = new Jobs()
  const message = (name: string) =>
    `Jobs.${name}(): the application has not started. Call it in onReady or later.`
  await expect(jobs.send(Print)).rejects.toThrow(message('send'))
  await expect(jobs.list()).rejects.toThrow(message('list'))
})

it('statements of pg-boss run at the time of a test, in order', async () => {
  const { link, log } = openLink((text) => [{ text: text.slice(0, 6) }])
  const real = bossDatabase(link, null)
  expect(await real.own.executeSql('select $1', [1])).toEqual({ rows: [{ text: 'select' }] })
  await real.join((db) => db.executeSql('select 2'))
  expect(log).toEqual(['select $1 | 1', 'select 2'])
  log.length = 0
  const clock = new TestClock()
  clock.set(5000)
  const tested = bossDatabase(link, clock)
  await tested.own.executeSql('select $1', [1])
  await tested.own.executeSql('begin; commit')
  await tested.join((db) => db.executeSql('select 3'))
  const times = log.flatMap((line) => /'blazon\.jobs_now', '([\d.]+)'/.exec(line)?.[1] ?? [])
  expect(times.map(Number)).toEqual([...times.map(Number)].sort((a, b) => a - b))
  expect(new Set(times).size).toBe(3)
  expect(times.every((time) => Number(time) > 5000 && Number(time) < 6000)).toBe(true)
  expect(log.map((line) => /(true|false)\)/.exec(line)?.[1])).toEqual([
    ...['true', undefined, 'false', 'true', undefined],
  ])
  expect(log[2]).toMatch(/, false\); begin; commit$/)
})

it('the time of a test replaces the time of the database only where it is set', async () => {
  const { link, log } = openLink()
  await followTests(link, 'own')
  expect(log[0]).toContain('function own.job_now()')
  expect(log[0]).toContain("nullif(current_setting('blazon.jobs_now', true), '')::float8 / 1000")
})

it.each(['20.20.0', '22.11.9', '21.99.0'])('pg-boss is refused under Node %s', async (version) => {
  await expect(loadBoss(version)).rejects.toThrow('needs Node 22.12 or later')
})
