import { App, ConfigError, InjectionToken } from 'blazon'
import { Cron, defineJob, Job, jobs, Worker } from 'blazon/jobs'
import { postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { loadBoss } from '../../../src/integrations/jobs/boss.js'
import { startPgliteFromTemplate } from '../../pglite-template.js'
import { describeJobs, runsJobs } from './support.js'

startPgliteFromTemplate()

const Print = defineJob('print')

/** The codes and the subjects of the problems with which an application does not start. */
async function problemsOf(make: () => unknown): Promise<string[]> {
  try {
    await make()
  } catch (error) {
    if (error instanceof ConfigError)
      return error.problems.map(({ code, subject, cause }) => `${code} ${subject}: ${cause}`)
    throw error
  }
  throw new Error('It started.')
}

async function boot(...workers: (new () => object)[]): Promise<void> {
  const app = await TestApp.create({
    plugins: [postgres({ embedded: 'memory' }), jobs({ workers })],
  })
  await app.close()
}

function worker(decorate: (target: { method(): void }) => void): new () => object {
  class Printer {
    method() {}
    other() {}
  }
  decorate(Printer.prototype)
  Worker()(Printer)
  return Printer
}

/** Decorates a method as the legacy dialect does. */
function on(target: object, name: string, decorator: unknown): void {
  const descriptor = Object.getOwnPropertyDescriptor(target, name)
  ;(decorator as (...args: unknown[]) => void)(target, name, descriptor)
}

it('jobs() refuses Node below 22.12 and names the required version', async () => {
  expect(await problemsOf(() => loadBoss('20.20.0'))).toEqual([
    'E_PEER_MISSING blazon/jobs: pg-boss 12 needs Node 22.12 or later, but this process runs 20.20.0.',
  ])
  await expect(loadBoss('22.11.0')).rejects.toThrow('22.12')
  if (runsJobs) expect(await loadBoss()).toBeTypeOf('function')
  else expect(await problemsOf(() => boot())).toEqual([expect.stringContaining('needs Node 22.12')])
})

it('jobs() refuses an application without postgres()', async () => {
  const app = new App({ plugins: [jobs({ workers: [] })], logger: false })
  const [problem] = await problemsOf(() => app.init())
  expect(problem).toMatch(/^E_PROVIDER_MISSING .*add postgres\(\) from blazon\/postgres/)
})

it('defineJob() and jobs() refuse invalid options', async () => {
  const wrong = async (options: object, name = 'x') =>
    (await problemsOf(() => defineJob(name, options as never))).map((each) =>
      each.replace(/^E_OPTION_INVALID /, ''),
    )
  const subjects: [object, string, string][] = [
    [{}, 'a b', 'name'],
    [{ retries: -1 }, 'x', 'retries'],
    [{ retries: 1.5 }, 'x', 'retries'],
    [{ timeout: 'soon' }, 'x', 'timeout'],
    [{ timeout: '24h' }, 'x', 'timeout'],
    [{ retryDelay: 'x' }, 'x', 'retryDelay'],
    [{ keep: 0 }, 'x', 'keep'],
    [{ concurrency: 2, perTenant: 3 }, 'x', 'perTenant'],
    [{ policy: 'often' }, 'x', 'policy'],
    [{ input: {} }, 'x', 'input'],
  ]
  for (const [options, name, subject] of subjects) {
    expect(await wrong(options, name)).toEqual([
      `defineJob('${name}'): ${subject}: Its value is not valid.`,
    ])
  }
  expect((await wrong({ retry: 1 })).join()).toContain('retry')
  const start = (options: object) =>
    problemsOf(() =>
      new App({
        plugins: [postgres({ embedded: 'memory' }), jobs(options as never)],
        logger: false,
      }).init(),
    )
  expect((await start({}))[0]).toContain('jobs(): workers')
  expect((await start({ workers: [], schema: 'A b' }))[0]).toContain('jobs(): schema')
  expect((await start({ workers: [], concurrency: 0 }))[0]).toContain('jobs(): concurrency')
  expect((await start({ workers: [], wrok: true }))[0]).toContain('wrok')
})

describeJobs('boot of an application', () => {
  it('refuses a job with two methods', async () => {
    const Printer = worker((target) => {
      on(target, 'method', Job(Print))
      on(target, 'other', Job(Print))
    })
    expect(await problemsOf(() => boot(Printer))).toEqual([
      "E_JOB_DUPLICATE job 'print': Printer.method and Printer.other both run it.",
    ])
  })

  it('refuses two jobs with the same name', async () => {
    const Printer = worker((target) => {
      on(target, 'method', Job(Print))
      on(target, 'other', Cron('0 3 * * *', { name: 'print' }))
    })
    expect(await problemsOf(() => boot(Printer))).toEqual([
      "E_JOB_DUPLICATE job 'print': Printer.method and Printer.other run different jobs with this name.",
    ])
  })

  it('refuses invalid schedules and unknown time zones', async () => {
    const Printer = worker((target) => {
      on(target, 'method', Cron('0 25 * * *', { name: 'late' }))
      on(target, 'other', Cron('0 3 * * *', { name: 'far', zone: 'Europe/Viena' }))
    })
    expect(await problemsOf(() => boot(Printer))).toEqual([
      expect.stringMatching(
        /^E_JOB_SCHEDULE Printer.method: '0 25 \* \* \*' is not a cron expression/,
      ),
      'E_JOB_SCHEDULE Printer.other: There is no time zone Europe/Viena.',
    ])
    const Six = worker((target) => on(target, 'method', Cron('0 0 3 * * *', { name: 'six' })))
    expect(await problemsOf(() => boot(Six))).toEqual([
      expect.stringContaining('does not have five fields'),
    ])
  })

  it('refuses job methods in a class without @Worker', async () => {
    class Printer {
      print() {}
    }
    on(Printer.prototype, 'print', Job(Print))
    const [problem] = await problemsOf(() => boot(Printer))
    expect(problem).toBe('E_JOB_WORKER Printer: The class Printer has no @Worker().')
  })

  it('provides no app.jobs without jobs()', async () => {
    const app = await TestApp.create({
      providers: [{ token: new InjectionToken('none'), useValue: 1 }],
    })
    expect(() => app.jobs).toThrow(/app\.jobs \(add jobs\(\)/)
    await app.close()
  })
})
