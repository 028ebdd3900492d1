import { type DatabaseLink, HttpError, RequestContext, runWithTenant } from 'blazon'
import { defineJob, Jobs } from 'blazon/jobs'
import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { checkSchedules, planSchedules } from '../../../src/integrations/jobs/schedules.js'
import { WorkContext } from '../../../src/plugin/index.js'
import { TestClock } from '../../../src/testing/test-clock.js'

const Print = defineJob('print', { input: z.object({ at: z.coerce.date() }) })
const Plain = defineJob('plain')
const Sweep = defineJob('sweep', { tenant: false })
const AT = new Date('2030-01-01T00:00:00Z')

/** A sender over queues that only record what is sent. */
function open({ usesTenants = false, id = 'j-1' as string | null } = {}) {
  const sent: unknown[][] = []
  const told: object[] = []
  const tasks: (() => unknown)[] = []
  const listed: unknown[][] = []
  const clock = new TestClock()
  clock.set(AT)
  const jobs = new Jobs()
  jobs.parts = {
    ...{ schema: 'own', clock, usesTenants },
    works: new Map([Print, Plain, Sweep].map((job) => [job.name, { job }])),
    link: {
      afterCommit: async (fn: () => unknown) => void tasks.push(fn),
      run: async (text: string, values: unknown[]) => {
        listed.push([/from (\w+)\.job/.exec(text)?.[1], ...values])
        return []
      },
    } as unknown as DatabaseLink,
    queues: {
      send: async (...args: unknown[]) => {
        sent.push(args)
        return id
      },
    },
    onSent: (job: object) => told.push(job),
  } as never
  return { jobs, sent, told, tasks, listed }
}

it('a job is sent with its input as the database returns it, and reported after the commit', async () => {
  const { jobs, sent, told, tasks } = open()
  const input = { at: AT }
  expect(await jobs.send(Print, input)).toBe('j-1')
  const plain = { at: AT.toISOString() }
  expect(sent).toEqual([['print', { input: plain, tenant: null, sender: {} }, {}]])
  expect(told).toEqual([])
  for (const task of tasks) await task()
  expect(told).toEqual([{ id: 'j-1', name: 'print', input: plain, tenant: null }])
})

it('a job has a start, a key and a priority only if they are given', async () => {
  const { jobs, sent } = open()
  const later = new Date('2030-02-01T00:00:00Z')
  await jobs.send(Plain, undefined, { after: '10m', key: 'k', priority: 0 })
  await jobs.send(Plain, undefined, { after: later })
  await jobs.send(Plain, undefined, { after: 1.5 })
  await jobs.send(Plain)
  expect(sent.map(([, , options]) => options)).toEqual([
    { startAfter: new Date('2030-01-01T00:10:00Z'), singletonKey: 'k', priority: 0 },
    { startAfter: later },
    { startAfter: new Date('2030-01-01T00:00:01.500Z') },
    {},
  ])
  await expect(jobs.send(Plain, undefined, { after: 'soon' as never })).rejects.toThrow(
    "Jobs.send(): `after` is soon. Pass a Date, or a duration such as '10m'.",
  )
})

it('a job that its policy excludes is not reported', async () => {
  const { jobs, tasks } = open({ id: null })
  expect(await jobs.send(Plain)).toBeNull()
  expect(tasks).toEqual([])
})

it('a job belongs to the tenant of its sender, unless it is declared without one', async () => {
  for (const usesTenants of [true, false]) {
    const { jobs, sent } = open({ usesTenants })
    await runWithTenant('acme', () => jobs.send(Plain))
    await runWithTenant('acme', () => jobs.send(Sweep))
    expect(sent.map(([name, envelope, options]) => [name, envelope, options])).toEqual([
      ['plain', { input: undefined, tenant: 'acme', sender: {} }, { group: { id: 'acme' } }],
      ['sweep', { input: undefined, tenant: null, sender: {} }, {}],
    ])
    await jobs.send(Sweep)
    const none = jobs.send(Plain)
    if (usesTenants) await expect(none).rejects.toBeInstanceOf(HttpError)
    else expect(await none).toBe('j-1')
  }
})

it('a job is refused if its input is invalid, or if no worker runs this definition', async () => {
  const { jobs, sent } = open()
  await expect(jobs.send(Print, { at: 'never' } as never)).rejects.toThrow(TypeError)
  await expect(jobs.send(Plain, 7 as never)).rejects.toThrow('the job accepts no input')
  for (const job of [defineJob('plain'), defineJob('other')])
    await expect(jobs.send(job)).rejects.toThrow(
      `No worker runs the job ${job.name}. List the class that runs it: jobs({ workers: [ … ] }).`,
    )
  expect(sent).toEqual([])
})

it('a job that another job sends has the sender of that job', async () => {
  const { jobs, sent } = open()
  const facts = { job: 'outer', jobId: 'j-0', attempt: 1, requestId: 'r-1', user: 'u-7' }
  const work = { id: 'j-0', facts, headers: { traceparent: 't' }, idempotencyKey: () => 'k' }
  await WorkContext.run(work as never, () => jobs.send(Plain))
  expect(sent[0]?.[1]).toMatchObject({
    sender: { requestId: 'r-1', traceparent: 't', user: 'u-7' },
  })
  const req = { headers: {}, id: 'r-2' }
  expect(RequestContext.run(req as never, () => RequestContext.current())).toBe(req)
})

it('the list of jobs is limited to the current tenant, and to the given filter', async () => {
  const { jobs, listed } = open({ usesTenants: true })
  await runWithTenant('acme', () => jobs.list({ name: 'print', state: 'dead', limit: 3 }))
  await runWithTenant('acme', () => jobs.list({ tenant: 'globex', schema: 'x' } as never))
  expect(listed).toEqual([
    ['own', 'print', 'dead', 'acme', 3],
    ['own', null, null, 'acme', 50],
  ])
  await expect(jobs.list()).rejects.toMatchObject({ status: 400, code: 'TENANT_REQUIRED' })
  const open2 = open()
  await open2.jobs.list()
  expect(open2.listed).toEqual([['own', null, null, null, 50]])
})

const schedule = (expression: string, zone = 'UTC') => ({ expression, zone })

it('the next run of each schedule is sent with an id that depends only on its plan', async () => {
  const runsOf = async (now: string, expression: string) => {
    const sent: unknown[][] = []
    const clock = new TestClock()
    clock.set(now)
    const hours = (from: Date) =>
      [1, 2, 3].map((hour) => new Date(from.getTime() + hour * 3_600_000))
    const boss = { previewSchedule: (_: string, { from }: { from: Date }) => hours(from) }
    const works = new Map([
      ['hourly', { schedule: schedule(expression) }],
      ['plain', { schedule: null }],
    ])
    const send = async (...args: unknown[]) => void sent.push(args)
    await planSchedules({ queues: { boss, send }, works, clock } as never)
    return sent as [string, object, { id: string; startAfter: Date }][]
  }
  const [run, ...others] = await runsOf('2030-01-01T00:30:00Z', '30 * * * *')
  expect(others).toEqual([])
  // The first run after now: a run that is due at this moment was sent before.
  expect(run).toEqual([
    'hourly',
    { tenant: null, sender: {}, plan: '30 * * * * UTC' },
    {
      id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/),
      startAfter: new Date('2030-01-01T01:30:00Z'),
    },
  ])
  const [again] = await runsOf('2030-01-01T00:30:00Z', '30 * * * *')
  const [changed] = await runsOf('2030-01-01T00:30:00Z', '31 * * * *')
  const [later] = await runsOf('2030-01-01T01:30:00Z', '30 * * * *')
  expect(again?.[2].id).toBe(run?.[2].id)
  expect(changed?.[2].id).not.toBe(run?.[2].id)
  expect(later?.[2].id).not.toBe(run?.[2].id)
})

it('a schedule without a next run is not sent', async () => {
  const send = vi.fn()
  const boss = { previewSchedule: () => [] }
  const works = new Map([['never', { schedule: schedule('0 0 30 2 *') }]])
  await planSchedules({ queues: { boss, send }, works, clock: new TestClock() } as never)
  expect(send).not.toHaveBeenCalled()
})

it('invalid schedules are reported together, with an example', () => {
  const boss = {
    previewSchedule: (expression: string) => {
      if (expression.includes('99')) throw new Error('99 is too high')
    },
  }
  const works = new Map(
    Object.entries({
      good: schedule(' 0  3 * * * ', 'Europe/Vienna'),
      short: schedule('0 3 * *'),
      zone: schedule('0 3 * * *', 'Mars'),
      high: schedule('99 3 * * *'),
      none: null,
    }).map(([name, each]) => [name, { schedule: each, place: `Ticks.${name}` }]),
  )
  const remedy =
    "Pass five fields and an IANA time zone: @Cron('0 3 * * *', { zone: 'Europe/Vienna', name: 'nightly' })."
  try {
    checkSchedules(boss as never, works as never)
    expect.unreachable()
  } catch (error) {
    expect((error as { problems: object[] }).problems).toEqual(
      [
        ['Ticks.short', "'0 3 * *' does not have five fields."],
        ['Ticks.zone', 'There is no time zone Mars.'],
        ['Ticks.high', "'99 3 * * *' is not a cron expression: 99 is too high"],
      ].map(([subject, cause]) => ({ code: 'E_JOB_SCHEDULE', subject, cause, remedy })),
    )
  }
})
