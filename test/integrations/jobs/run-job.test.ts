import { type DatabaseLink, getTenantId, HttpError } from 'blazon'
import type { JobRun } from 'blazon/jobs'
import type { JobWithMetadata } from 'pg-boss'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineJob } from '../../../src/integrations/jobs/job.js'
import { type JobsDeps, LostClaimError, Queues } from '../../../src/integrations/jobs/queues.js'
import { DeadJobError, runJob } from '../../../src/integrations/jobs/run-job.js'
import type { Work } from '../../../src/integrations/jobs/worker.js'
import { WorkContext } from '../../../src/plugin/index.js'

const Print = defineJob('print', {
  input: z.object({ n: z.coerce.number() }),
  retries: 2,
  timeout: '30s',
})
const SENDER = {
  requestId: 'r-1',
  user: 'u-7',
  traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`,
}

function taken(more: Partial<JobWithMetadata> = {}): JobWithMetadata {
  return {
    id: 'j-1',
    name: 'print',
    data: { input: { n: '7' }, tenant: 'acme', sender: SENDER },
    retryCount: 0,
    retryLimit: 2,
    startAfter: new Date(5),
    signal: new AbortController().signal,
    ...more,
  } as JobWithMetadata
}

/** What runs a job, with a list of what has happened. */
function parts({ state = 'active', affected = 1, isEmbedded = false } = {}) {
  const log: string[] = []
  const lines: [facts: object, message: string][] = []
  const query = async (text: string) => {
    log.push(text.replace(/select set_config\('(\w+)', '(\d+)', true\)/, '$1 $2'))
    return []
  }
  const link = {
    isEmbedded,
    transaction: async (fn: () => Promise<void>) => {
      log.push('begin')
      await fn()
      log.push('commit')
    },
    join: (fn: (run: typeof query) => unknown) => fn(query),
  } as unknown as DatabaseLink
  const boss = Object.fromEntries(
    ['complete', 'fail', 'cancel', 'resume', 'update'].map((name) => [
      name,
      async (...args: unknown[]) => {
        const [, second, third] = args
        const facts = name === 'update' ? third : name === 'fail' ? third : undefined
        const { db: _, ...rest } = (facts ?? {}) as { db?: unknown }
        const id = typeof second === 'object' ? 'job' : second
        log.push(
          [name, id, Object.keys(rest).length > 0 && JSON.stringify(rest)]
            .filter(Boolean)
            .join(' '),
        )
        return { affected }
      },
    ]),
  )
  const queues = new Queues(
    boss as never,
    { own: {} as never, join: (fn) => fn({} as never) },
    true,
  )
  const logger = {
    info() {},
    warn() {},
    error: (...line: [object, string]) => void lines.push(line),
  }
  const deps = { link, queues, logger, stateOf: async () => state } as unknown as JobsDeps
  return { deps, log, lines }
}

const work = (run: (run: JobRun) => unknown, more: Partial<Work> = {}): Work => ({
  ...{ job: Print as never, run, schedule: null, place: 'Printer.print' },
  ...more,
})

const LIMIT = 'idle_in_transaction_session_timeout 35000'
const FAILED = '{"name":"Error","message":"no paper"}'
const fails = () => {
  throw new Error('no paper')
}

describe('a run of a job', () => {
  it('is completed in its transaction, as its tenant, with the facts of its sender', async () => {
    const { deps, log } = parts()
    const seen: unknown[] = []
    const report = await runJob(
      work((run) => {
        const { facts, headers, id, idempotencyKey } = WorkContext.current() ?? {}
        seen.push(run, getTenantId(), facts, headers, id)
        seen.push([idempotencyKey?.(), idempotencyKey?.(), idempotencyKey?.()])
        log.push('run')
      }),
      taken({ retryCount: 1 }),
      deps,
    )
    expect(report).toEqual({
      id: 'j-1',
      name: 'print',
      tenant: 'acme',
      attempt: 2,
      outcome: 'done',
    })
    expect(log).toEqual(['begin', LIMIT, 'run', 'complete job', 'commit'])
    expect(seen).toEqual([
      {
        ...{ id: 'j-1', name: 'print', tenant: 'acme', attempt: 2, input: { n: 7 } },
        ...{ dueAt: new Date(5), signal: expect.any(AbortSignal), sender: SENDER },
      },
      'acme',
      {
        ...{ job: 'print', jobId: 'j-1', attempt: 2, requestId: 'r-1', user: 'u-7' },
        trace_id: 'ab'.repeat(16),
      },
      { 'x-request-id': 'r-1', traceparent: SENDER.traceparent },
      'j-1',
      ['j-1', 'j-1.2', 'j-1.3'],
    ])
  })

  it('has no facts of a sender that is unknown, and no idle limit in an embedded database', async () => {
    const { deps, log } = parts({ isEmbedded: true })
    const seen: unknown[] = []
    const job = taken({ data: { tenant: null, sender: {}, input: { n: 1 } } })
    await runJob(
      work(() => {
        const { facts, headers } = WorkContext.current() ?? {}
        seen.push(facts, headers, getTenantId())
      }),
      job,
      deps,
    )
    expect(seen).toEqual([{ job: 'print', jobId: 'j-1', attempt: 1 }, {}, undefined])
    expect(log[1]).toBe('idle_in_transaction_session_timeout 0')
  })

  it('does not count runs after which the job was given back', async () => {
    const attempts = await Promise.all(
      [
        [0, 2],
        [1, 3],
        [2, 3],
        [2, 1],
        [0, 3],
      ].map(async ([retryCount = 0, retryLimit = 0]) => {
        const { deps } = parts()
        return (
          await runJob(
            work(() => {}),
            taken({ retryCount, retryLimit }),
            deps,
          )
        ).attempt
      }),
    )
    expect(attempts).toEqual([1, 1, 2, 3, 1])
  })

  it.each<[string, Partial<JobWithMetadata>, string, string]>([
    ['with retries left', { retryCount: 1 }, 'retry', 'A job has failed, and will run again'],
    ['without retries left', { retryCount: 2 }, 'dead', 'A job has failed, and will not run again'],
  ])('that fails %s is recorded and logged', async (_, more, outcome, message) => {
    const { deps, log, lines } = parts()
    const report = await runJob(work(fails), taken(more), deps)
    const attempt = Number(more.retryCount) + 1
    expect(report).toMatchObject({ outcome, attempt, error: { message: 'no paper' } })
    expect(log).toEqual(['begin', LIMIT, `fail job ${FAILED}`])
    const facts = { job: 'print', jobId: 'j-1', attempt, tenant: 'acme', ...SENDER }
    expect(lines).toEqual([[{ err: report.error, ...facts }, message]])
  })

  it('that throws a DeadJobError does not run again, although it has retries left', async () => {
    const { deps, log, lines } = parts()
    const dead = () => Promise.reject(new DeadJobError('gone'))
    expect(await runJob(work(dead), taken(), deps)).toMatchObject({ outcome: 'dead' })
    expect(log.slice(2)).toEqual([
      ...['cancel job', 'resume j-1', 'update {"id":"j-1","retryLimit":0}'],
      'fail j-1 {"name":"DeadJobError","message":"gone"}',
    ])
    expect(lines[0]?.[1]).toBe('A job has failed, and will not run again')
  })

  it('that has lost its job saves nothing and records nothing', async () => {
    const { deps, log, lines } = parts({ affected: 0 })
    const report = await runJob(
      work(() => {}),
      taken({ retryCount: 2 }),
      deps,
    )
    expect(report.outcome).toBe('retry')
    expect(report.error).toBeInstanceOf(LostClaimError)
    expect(String(report.error)).toContain(
      'The job print j-1 no longer belongs to this run, so this run saved nothing.',
    )
    expect(log).toEqual(['begin', LIMIT, 'complete job'])
    expect(lines).toHaveLength(1)
  })

  it('of a suspended tenant is given back for a minute, with one more retry', async () => {
    const { deps, log } = parts({ state: 'suspended' })
    const report = await runJob(work(fails), taken(), deps)
    expect(report).toEqual({
      id: 'j-1',
      name: 'print',
      tenant: 'acme',
      attempt: 1,
      outcome: 'waiting',
    })
    expect(log).toEqual([
      ...['cancel job', 'resume j-1'],
      'update {"id":"j-1","retryLimit":3,"startAfter":60}',
    ])
  })

  it.each<[string, Partial<JobWithMetadata>, string, object]>([
    ['of an unknown tenant', {}, 'There is no tenant acme.', { state: 'unknown' }],
    [
      'that another program has sent',
      { data: { n: 1 } },
      'Another program sent the job: its data lacks a tenant or a sender.',
      {},
    ],
    [
      'with an input that is not valid',
      { data: { input: { n: 'x' }, tenant: null, sender: {} } },
      expect.stringMatching(/^The input of the job print does not match its schema: n: /),
      {},
    ],
  ])('%s is dead, with the reason', async (_, more, message, how) => {
    const { deps, log } = parts(how)
    const report = await runJob(work(fails), taken(more), deps)
    expect(report).toMatchObject({ outcome: 'dead', error: { name: 'DeadJobError', message } })
    expect(log).toContain('resume j-1')
    expect(log).not.toContain('begin')
  })

  it('ends when its signal aborts, even if its method does not', async () => {
    const { deps, log } = parts()
    const cut = new AbortController()
    const run = runJob(
      work(() => {
        cut.abort(new Error('no paper'))
        return new Promise(() => {})
      }),
      taken({ signal: cut.signal }),
      deps,
    )
    expect(await run).toMatchObject({ outcome: 'retry', error: { message: 'no paper' } })
    expect(log.at(-1)).toBe(`fail job ${FAILED}`)
    const late = parts()
    const never = runJob(
      work(() => late.log.push('run')),
      taken({ signal: cut.signal }),
      late.deps,
    )
    expect(await never).toMatchObject({ error: { message: 'no paper' } })
    expect(late.log).not.toContain('run')
  })

  it('of a schedule that was changed is completed without a run', async () => {
    const schedule = { expression: '0 3 * * *', zone: 'UTC' }
    const data = (plan: string) => ({ tenant: null, sender: {}, plan, input: { n: 1 } })
    for (const [plan, expected] of [
      ['0 4 * * * UTC', ['complete job']],
      ['0 3 * * * Europe/Vienna', ['complete job']],
      ['0 3 * * * UTC', ['begin', LIMIT, 'run', 'complete job', 'commit']],
    ] as const) {
      const { deps, log } = parts()
      const scheduled = work(() => log.push('run'), { schedule })
      const report = await runJob(scheduled, taken({ data: data(plan) }), deps)
      expect([report.outcome, log]).toEqual(['done', expected])
    }
  })

  it('rejects if its result cannot be recorded', async () => {
    const { deps } = parts()
    const down = new HttpError(503, 'down')
    Object.assign(deps.queues.boss, { fail: () => Promise.reject(down) })
    await expect(runJob(work(fails), taken(), deps)).rejects.toBe(down)
  })
})
