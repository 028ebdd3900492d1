import { expect, it } from 'vitest'
import { ownServerDatabase, type ServerDatabase } from '../postgres/own-database.js'
import { isServerMissing } from '../postgres/server.js'
import { until } from '../until.js'
import { describeJobs } from './support.js'
import { WorkerProcess } from './worker-process.js'

/** How long before a moment the clocks are set: the processes look at schedules every ten seconds. */
const LEAD_MS = 3000

/** Moves the clock of the database and of the processes, and waits until each schedule was looked at after the moment. */
async function pass(database: ServerDatabase, processes: readonly WorkerProcess[], moment: string) {
  const offset = Date.parse(moment) - LEAD_MS - Date.now()
  await database.run(`update moved set by = ${offset} * interval '1 millisecond'`)
  for (const { child } of processes) child.send({ offset })
  // Every pass that looks at the schedules is noted in this column.
  const looked = `select cron_on > '${moment}'::timestamptz + interval '11 seconds' as done from blazon_jobs.version`
  await until(async () => (await database.run(looked))[0]?.['done'] === true)
}

describeJobs.skipIf(isServerMissing)('schedules on three processes', () => {
  it('run once each where the clocks of their zone change', { timeout: 600_000 }, async () => {
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
      // In Vienna, 02:30 does not exist on 28 March 2027: the clocks go from 02:00 to 03:00 at 01:00 of UTC.
      ...['2027-03-28T00:30:00Z', '2027-03-28T01:00:00Z', '2027-03-28T01:30:00Z'],
      // On 31 October, 02:30 comes twice.
      ...['2027-10-31T00:30:00Z', '2027-10-31T01:30:00Z', '2027-10-31T02:30:00Z'],
    ]
    for (const moment of moments) await pass(database, processes, moment)
    const ticks = async () =>
      await database.run(
        `select name, to_char(at at time zone 'UTC', 'MM-DD HH24:MI') as at from ticks order by ticks.at, name`,
      )
    await until(
      async () =>
        (await database.run(`select 1 from blazon_jobs.job where state < 'completed'`)).length ===
        0,
    )
    expect(await database.run(`select output from blazon_jobs.job where state = 'failed'`)).toEqual(
      [],
    )
    console.info(JSON.stringify(await ticks()))
    const days = (await ticks()).map(({ name, at }) => `${String(at).slice(0, 5)} ${name}`)
    expect(days.sort()).toEqual([
      '03-28 half-past-three',
      '03-28 half-past-two',
      '10-31 half-past-three',
      '10-31 half-past-two',
    ])
    for (const each of processes) await each.end('SIGTERM')
  })
})
