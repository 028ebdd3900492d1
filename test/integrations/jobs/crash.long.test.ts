import { App, runWithTenant } from 'blazon'
import { Jobs } from 'blazon/jobs'
import { expect, it } from 'vitest'
import { Random, seedOfRun } from '../../conformance/random.js'
import { rounds } from '../../rounds.js'
import { ownServerDatabase } from '../postgres/own-database.js'
import { until } from '../until.js'
import { Effect, optionsOf } from './work-app.js'
import { describeServerJobs, TABLES, WorkerProcess } from './worker-process.js'

const TENANTS = ['acme', 'globex', 'initech']

describeServerJobs('jobs whose workers are terminated', () => {
  it('take effect exactly once, each for its tenant', { timeout: 600_000 }, async () => {
    const seed = seedOfRun()
    console.info(`SEED=${seed}`)
    const random = new Random(seed)
    await using database = await ownServerDatabase()
    const app = await App.create(optionsOf(database.options.url, TABLES.path))
    const processes = await Promise.all([1, 2, 3].map(() => WorkerProcess.start(database)))
    const ids: string[] = []
    let isSending = true
    const sending = (async () => {
      for (let number = 0; isSending; number++) {
        const tenant = random.pick(TENANTS)
        const input = { number, tenant, waitMs: random.below(120) }
        ids.push((await runWithTenant(tenant, () => app.get(Jobs).send(Effect, input))) as string)
        await new Promise((resolve) => setTimeout(resolve, random.below(30)))
      }
    })()
    // A round lasts a few seconds, because a process has to start: a minute or more in all.
    let killed = 0
    for (let round = 0; round < rounds(15, 4); round++) {
      await new Promise((resolve) => setTimeout(resolve, 500 + random.below(1500)))
      const index = random.below(processes.length)
      await (processes[index] as WorkerProcess).end('SIGKILL')
      killed++
      processes[index] = await WorkerProcess.start(database)
    }
    isSending = false
    await sending
    const left = `select 1 from blazon_jobs.job where name = 'effect' and state <> 'completed' limit 1`
    await until(async () => (await database.run(left)).length === 0)
    const effects = await database.run(`select job::text, tenant_id, sent_by, part from effects`)
    const retried = await database.run(
      `select count(*)::int as n from blazon_jobs.job where name = 'effect' and retry_count > 0`,
    )
    console.info(`${ids.length} jobs, ${killed} kills, ${retried[0]?.['n']} jobs taken again`)
    // A lost job is taken again within 30 s beyond its timeout of 5 s. Before its first run, it waits for processes that start.
    const late = await database.run(`select id from blazon_jobs.job where name = 'effect'
      and started_on - created_on > retry_count * interval '35 s' + interval '30 s'`)
    expect(late).toEqual([])
    expect(ids.length).toBeGreaterThan(20)
    expect(retried[0]?.['n']).toBeGreaterThan(0)
    expect(effects.map(({ job, part }) => `${job} ${part}`).sort()).toEqual(
      ids.flatMap((id) => [`${id} 1`, `${id} 2`]).sort(),
    )
    expect(effects.filter((each) => each['tenant_id'] !== each['sent_by'])).toEqual([])
    await Promise.all(processes.map((each) => each.end('SIGKILL')))
    await app.close()
  })

  it('are released if they do not end in time, and run on another worker', async () => {
    await using database = await ownServerDatabase()
    const app = await App.create(optionsOf(database.options.url, TABLES.path))
    const first = await WorkerProcess.start(database, { JOBS_GRACE: '500ms' })
    const send = (waitMs: number) =>
      runWithTenant('acme', () => app.get(Jobs).send(Effect, { number: 1, tenant: 'acme', waitMs }))
    const [short, long] = [await send(200), await send(4000)]
    await until(() => first.began.length === 2)
    expect(await first.end('SIGTERM')).toBe(0)
    const states = await database.run(
      `select id::text, state::text, retry_limit - retry_count as left from blazon_jobs.job where name = 'effect'`,
    )
    expect(states).toContainEqual(expect.objectContaining({ id: short, state: 'completed' }))
    expect(states).toContainEqual(expect.objectContaining({ id: long, state: 'created' }))
    const second = await WorkerProcess.start(database)
    await until(
      async () =>
        (
          await database.run(
            `select 1 from blazon_jobs.job where id = '${long}' and state = 'completed'`,
          )
        ).length === 1,
    )
    expect(
      await database.run(`select part from effects where job = '${long}' order by part`),
    ).toEqual([{ part: 1 }, { part: 2 }])
    await second.end('SIGTERM')
    await app.close()
  })
})
