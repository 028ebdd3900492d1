import type { JobWithMetadata } from 'pg-boss'
import { describe, expect, it } from 'vitest'
import { defineJob } from '../../../src/integrations/jobs/job.js'
import type { JobsDeps } from '../../../src/integrations/jobs/queues.js'
import { LostClaimError, Queues } from '../../../src/integrations/jobs/queues.js'
import type { Work } from '../../../src/integrations/jobs/worker.js'
import { Workers } from '../../../src/integrations/jobs/workers.js'
import { TestClock } from '../../../src/testing/test-clock.js'
import { gate } from '../../journeys/gate.js'
import { turns } from '../../journeys/turns.js'

const Print = defineJob('print', { concurrency: 6, perTenant: 2 })
const Nightly = defineJob('nightly', { tenant: false })

type Handle = (jobs: JobWithMetadata[]) => Promise<void>

/** pg-boss without a database: the test hands out the jobs. */
class FakeBoss {
  readonly handles = new Map<string, Handle>()
  readonly options = new Map<string, object>()
  readonly log: string[] = []
  idle: { id: string; name: string; count: number }[] = []

  async work(name: string, options: object, handle: Handle) {
    this.options.set(name, options)
    this.handles.set(name, handle)
  }
  async offWork(name: string, options: object) {
    this.log.push(`off ${name} ${JSON.stringify(options)}`)
  }
  getWipData = () => this.idle
  notifyWorker = (id: string) => void this.log.push(`notify ${id}`)
  async send(name: string, _data: object, { startAfter }: { startAfter: Date }) {
    this.log.push(`send ${name} ${startAfter.toISOString()}`)
    return 'id'
  }
  previewSchedule(_expression: string, { from }: { from: Date }) {
    const hour = 3_600_000
    return [1, 2, 3, 4, 5].map((n) => new Date(Math.floor(from.getTime() / hour + n) * hour))
  }
  async complete(_name: string, { id }: JobWithMetadata) {
    this.log.push(`complete ${id}`)
    return { affected: 1 }
  }
  async cancel(_name: string, { id }: JobWithMetadata) {
    this.log.push(`cancel ${id}`)
    return { affected: 1 }
  }
  async resume() {}
  async update(
    _name: string,
    _data: undefined,
    { id, retryLimit, startAfter }: Record<string, unknown>,
  ) {
    await turns(1)
    this.log.push(`give back ${id} ${retryLimit} ${startAfter}`)
  }
}

/** Workers whose jobs run until the test opens their gates. */
async function start(concurrency: number) {
  const boss = new FakeBoss()
  const clock = new TestClock()
  clock.set('2030-01-01T00:30:00Z')
  const began: string[] = []
  const gates = new Map<string, ReturnType<typeof gate>>()
  const errors: [object, string][] = []
  const link = {
    isEmbedded: false,
    transaction: (fn: () => Promise<void>) => fn(),
    join: (fn: (query: () => Promise<object[]>) => unknown) => fn(async () => []),
  }
  const run: Work['run'] = async ({ id }) => {
    began.push(id)
    const held = gate()
    gates.set(id, held)
    await held.opened
  }
  const database = { own: {}, join: (fn: (db: object) => unknown) => fn({}) }
  const schedule = { expression: '0 * * * *', zone: 'UTC' }
  const works = new Map<string, Work>([
    ['print', { job: Print as never, run, schedule: null, place: '' }],
    ['nightly', { job: Nightly as never, run: () => {}, schedule, place: '' }],
  ])
  const logger = {
    info() {},
    warn() {},
    error: (...line: [object, string]) => void errors.push(line),
  }
  const queues = new Queues(boss as never, database as never, true)
  const parts = { link, queues, works, clock, logger, stateOf: async () => 'active' }
  const workers = new Workers(parts as unknown as JobsDeps, concurrency)
  await workers.start()
  const job = (id: string, more: object = {}) =>
    ({
      ...{ id, name: 'print', data: { tenant: null, sender: {} }, retryCount: 0, retryLimit: 3 },
      ...{ startAfter: new Date(0), signal: new AbortController().signal, ...more },
    }) as unknown as JobWithMetadata
  /** Hands out a job, and returns the end of its run. */
  const take = async (id: string) => {
    const ended = (boss.handles.get('print') as Handle)([job(id)])
    await turns(5)
    return ended
  }
  return { boss, clock, workers, began, gates, errors, take, job }
}

describe('the workers of a process', () => {
  it('ask for as many jobs as each job and each tenant may run, and plan the schedules', async () => {
    const { boss } = await start(4)
    expect([...boss.options]).toEqual([
      [
        'print',
        {
          ...{ includeMetadata: true, pollingIntervalSeconds: 1 },
          ...{ localConcurrency: 6, localGroupConcurrency: 2 },
        },
      ],
      ['nightly', expect.objectContaining({ localConcurrency: 2, localGroupConcurrency: 1 })],
    ])
    expect(boss.log).toEqual(['send nightly 2030-01-01T01:00:00.000Z'])
  })

  it('run at most as many jobs as their process may, and the others in order', async () => {
    const { workers, began, gates, job, boss } = await start(2)
    const handle = boss.handles.get('print') as Handle
    const ends = ['a', 'b', 'c', 'd'].map((id) => handle([job(id)]))
    await turns(5)
    expect([began, workers.running]).toEqual([['a', 'b'], 4])
    gates.get('b')?.open()
    await ends[1]
    await turns(5)
    expect(began).toEqual(['a', 'b', 'c'])
    for (const id of ['a', 'c']) gates.get(id)?.open()
    await turns(5)
    gates.get('d')?.open()
    await Promise.all(ends)
    expect([began, workers.running]).toEqual([['a', 'b', 'c', 'd'], 0])
    void handle([job('e')])
    void handle([job('f')])
    void handle([job('g')])
    await turns(5)
    expect(began.slice(4)).toEqual(['e', 'f'])
  })

  it('look for jobs at once after a send, and again after a run', async () => {
    const { boss, clock, workers, gates, job } = await start(2)
    boss.idle = [
      { id: 'idle', name: 'print', count: 0 },
      { id: 'busy', name: 'print', count: 1 },
      { id: 'other', name: 'nightly', count: 1 },
    ]
    const handle = boss.handles.get('print') as Handle
    const runOne = async (id: string) => {
      boss.log.length = 0
      const ended = handle([job(id)])
      await turns(5)
      gates.get(id)?.open()
      await ended
      return boss.log.filter((line) => line.startsWith('notify'))
    }
    expect(await runOne('a')).toEqual(['notify busy'])
    boss.log.length = 0
    workers.wake('print')
    expect(boss.log).toEqual(['notify idle', 'notify busy'])
    await clock.advance('999ms')
    expect(await runOne('b')).toEqual(['notify idle', 'notify busy'])
    await clock.advance('1ms')
    expect(await runOne('c')).toEqual(['notify busy'])
  })

  it('plan the next run of a schedule after each of its runs and every 20 seconds, and log a failure', async () => {
    const { boss, clock, errors, job, workers } = await start(2)
    const planned = () => boss.log.filter((line) => line.startsWith('send')).length
    expect(planned()).toBe(1)
    const data = { tenant: null, sender: {}, plan: '0 * * * * UTC' }
    await boss.handles.get('nightly')?.([job('n', { name: 'nightly', data })])
    expect(planned()).toBe(2)
    await clock.advance('19s')
    expect(planned()).toBe(2)
    await clock.advance('1s')
    expect(planned()).toBe(3)
    const down = new Error('down')
    boss.send = () => Promise.reject(down)
    await clock.advance('20s')
    expect(errors).toEqual([[{ err: down }, 'The next runs of the schedules could not be sent']])
    await workers.leave(0)
    await clock.advance('1m')
    expect(errors).toHaveLength(1)
  })
})

describe('workers that leave', () => {
  it('fetch no more jobs, let running jobs end, and give waiting jobs back', async () => {
    const { boss, workers, gates, take, job, began } = await start(1)
    void take('a')
    void take('b')
    await turns(5)
    const left = workers.leave(1000)
    let hasLeft = false
    void left.then(() => {
      hasLeft = true
    })
    await turns(10)
    expect(boss.log.filter((line) => line.startsWith('off'))).toEqual([
      'off print {"wait":false}',
      'off nightly {"wait":false}',
    ])
    expect(hasLeft).toBe(false)
    gates.get('a')?.open()
    await left
    expect(began).toEqual(['a'])
    expect(boss.log).toContain('complete a')
    expect(boss.log).toContain('give back b 4 0')
    await boss.handles.get('print')?.([job('c')])
    expect(boss.log).toContain('give back c 4 0')
  })

  it('end jobs that do not end in time, and give them back', async () => {
    const { boss, clock, workers, take, errors } = await start(1)
    const ended = take('a')
    await turns(5)
    const left = workers.leave(1000)
    await turns(5)
    await clock.advance('999ms')
    expect(boss.log).not.toContain('cancel a')
    const advanced = clock.advance('1ms')
    await left
    expect(boss.log.filter((line) => / a\b/.test(line))).toEqual(['cancel a', 'give back a 4 0'])
    await advanced
    await ended
    expect(errors).toEqual([
      [
        expect.objectContaining({ err: expect.any(LostClaimError), jobId: 'a' }),
        'A job has failed, and will run again',
      ],
    ])
    expect(workers.running).toBe(0)
  })
})
