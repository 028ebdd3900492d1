import { DatabaseLink } from 'blazon'
import { Cron, defineJob, Job, jobs, Worker } from 'blazon/jobs'
import { describe, expect, it } from 'vitest'
import { findWork, JOB } from '../../../src/integrations/jobs/worker.js'

const SENT = new Date('2030-01-01T00:00:00Z')
const DUE = new Date('2030-01-01T00:05:00Z')

/** The list of jobs for the dashboard, over a database of the test. */
async function open(answers: object[][]) {
  const sent: string[] = []
  const run = async (text: string, values: unknown[]) => {
    sent.push(`${/from (\w+)\.job/.exec(text)?.[1]} ${values}`)
    return answers.shift()
  }
  const plugin = jobs({ workers: [], schema: 'own' })
  const get = (token: unknown) => (token === DatabaseLink ? { run } : undefined)
  const work = (await plugin.work?.({ get } as never)) as NonNullable<
    Awaited<ReturnType<NonNullable<typeof plugin.work>>>
  >
  return { work, sent }
}

describe('the dashboard of blazon dev', () => {
  it('lists jobs without their inputs, and offers to run a dead job once more', async () => {
    const job = {
      id: 'j-1',
      name: 'print',
      tenant: 'acme',
      attempts: 2,
      sentAt: SENT,
      startAfter: DUE,
    }
    const dead = { ...job, state: 'dead', reason: 'no paper', input: { secret: 1 } }
    const waiting = { ...job, id: 'j-2', state: 'waiting', reason: null, input: { secret: 2 } }
    const { work, sent } = await open([[dead, waiting]])
    expect(work.title).toBe('Jobs')
    const shown = { name: 'print', tenant: 'acme', at: SENT.getTime() }
    const facts = { Runs: '2', Due: DUE.toISOString() }
    expect(await work.list(7)).toEqual([
      {
        ...{ ...shown, id: 'j-1', state: 'dead', isFailed: true, actions: ['retry'] },
        facts: { ...facts, 'Last failure': 'no paper' },
      },
      {
        ...{ ...shown, id: 'j-2', state: 'waiting', isFailed: false, actions: [] },
        facts: { ...facts, 'Last failure': '' },
      },
    ])
    expect(sent).toEqual(['own ,,,7'])
  })

  it('says if a job is no longer dead', async () => {
    const { work, sent } = await open([[]])
    expect(await work.actions?.['retry']?.('j-1')).toBe('The job is no longer dead.')
    expect(sent).toEqual(['own j-1'])
  })
})

const Print = defineJob('print')

@Worker()
class Printer {
  @Job(Print) print() {}
  @Cron('0 3 * * *', { name: 'nightly', zone: 'Europe/Vienna', timeout: '1m', retries: 1 })
  nightly() {}
  @Cron('0 4 * * *', { name: 'early' }) early() {}
}
class Unmarked {
  print() {}
}

/** The instances that the container would find. */
function findIn(...instances: object[]) {
  const call = () => 'called'
  return (option: unknown) => {
    if (option !== JOB) return [{ instance: new Printer() }]
    return instances.map((instance) => ({
      ...{ instance, method: 'print', call },
      value: { of: () => Print, schedule: null },
    }))
  }
}

describe('the methods that run jobs', () => {
  it('are found with their class, in the order of their jobs', () => {
    const works = findWork({ find: findIn(new Printer()) } as never, [Printer])
    expect(
      [...works].map(([name, { job, place, schedule }]) => [name, job, place, schedule]),
    ).toEqual([['print', Print, 'Printer.print', null]])
    expect(works.get('print')?.run({} as never)).toBe('called')
  })

  it('must be in classes with @Worker()', () => {
    const run = () => findWork({ find: findIn(new Unmarked()) } as never, [Printer, Unmarked])
    try {
      run()
      expect.unreachable()
    } catch (error) {
      const cause = 'The class Unmarked has no @Worker().'
      const remedy = 'Decorate it with @Worker(), and list it: jobs({ workers: [Unmarked] }).'
      expect((error as { problems: object[] }).problems).toEqual(
        ['Unmarked', 'Unmarked.print'].map((subject) => ({
          ...{ code: 'E_JOB_WORKER', subject, cause, remedy },
        })),
      )
    }
  })

  it('cannot have the same job twice', () => {
    const run = () => findWork({ find: findIn(new Printer(), new Printer()) } as never, [])
    expect(run).toThrow('Printer.print and Printer.print both run it.')
    expect(run).toThrow('Keep one of the methods.')
  })
})

describe('@Cron()', () => {
  it('refuses wrong options', () => {
    expect(() => Cron('0 3 * * *', { name: 'x', zones: 'UTC' } as never)).toThrow(
      "@Cron('0 3 * * *'): zones",
    )
    expect(() => Cron('0 3 * * *', { name: 'a b' })).toThrow("defineJob('a b'): name")
    expect(() => Cron('0 3 * * *', { name: 'x', concurrency: 2 } as never)).toThrow('concurrency')
  })
})
