import { expect, it } from 'vitest'
import { ownServerDatabase, type ServerDatabase } from '../postgres/own-database.js'
import { until } from '../until.js'
import { describeServerJobs, WorkerProcess } from './worker-process.js'

/** How long before a moment the clocks are set. */
const LEAD_MS = 2000

/** Moves the clock of the database and of the processes, and lets them pass the moment. */
async function pass(database: ServerDatabase, processes: readonly WorkerProcess[], moment: string) {
  const offset = Date.parse(moment) - LEAD_MS - Date.now()
  await database.run(`update moved set by = ${offset} * interval '1 millisecond'`)
  for (const { child } of processes) child.send({ offset })
  const isOver = `select blazon_jobs.job_now() > '${moment}'::timestamptz + interval '6 seconds' as done`
  await until(async () => (await database.run(isOver))[0]?.['done'] === true)
  // Nothing is due any more, and what was due has ended.
  const due = `select 1 from blazon_jobs.job where state in ('created', 'retry', 'active') and start_after <= blazon_jobs.job_now()`
  await until(async () => (await database.run(due)).length === 0)
}

describeServerJobs('schedules in three processes', () => {
  it('run exactly once around a daylight-saving change', { timeout: 600_000 }, async () => {
    await using database = await ownServerDatabase()
    const first = await WorkerProcess.start(database)
    await database.run(`create table moved (by interval)`)
    await database.run(`insert into moved values ('0')`)
    await database.run(`create or replace function blazon_jobs.job_now() returns timestamptz language sql stable as $$
      select pg_catalog.now() + (select by from public.moved) $$`)
    const processes = [
      first,
      await WorkerProcess.start(database),
      await WorkerProcess.start(database),
    ]
    const moments = [
      // What was due before runs once, and the next run is planned.
      '2027-03-27T12:00:00Z',
      // In Vienna, 02:30 does not exist on 28 March 2027: at 01:00 of UTC, the clocks go from 02:00 to 03:00.
      ...['2027-03-28T00:30:00Z', '2027-03-28T01:00:00Z', '2027-03-28T01:30:00Z'],
      // On 31 October, 02:30 comes twice.
      '2027-10-30T12:00:00Z',
      ...['2027-10-31T00:30:00Z', '2027-10-31T01:30:00Z', '2027-10-31T02:30:00Z'],
    ]
    for (const moment of moments) await pass(database, processes, moment)
    expect(await database.run(`select output from blazon_jobs.job where state = 'failed'`)).toEqual(
      [],
    )
    const ticks = await database.run(
      `select name || to_char(at at time zone 'UTC', ' MM-DD HH24:MI') as tick from ticks
        where at::date in ('2027-03-28', '2027-10-31') order by 1`,
    )
    expect(ticks.map(({ tick }) => tick)).toEqual([
      'half-past-three 03-28 01:30',
      'half-past-three 10-31 02:30',
      'half-past-two 03-28 01:30',
      'half-past-two 10-31 00:30',
    ])
    for (const each of processes) await each.end('SIGTERM')
  })
})
