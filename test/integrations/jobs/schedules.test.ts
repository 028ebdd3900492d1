import { Cron, type JobRun, jobs, Worker } from 'blazon/jobs'
import { postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { expect, it, onTestFinished } from 'vitest'
import { startPgliteFromTemplate } from '../../pglite-template.js'
import { describeJobs } from './support.js'

startPgliteFromTemplate()

const zone = 'Europe/Vienna'
let ran: string[] = []

@Worker()
class Ticks {
  @Cron('30 2 * * *', { zone, name: 'daily' })
  daily({ dueAt }: JobRun<undefined>) {
    ran.push(`daily ${dueAt.toISOString().slice(5, 16)}`)
  }

  @Cron('*/30 * * * *', { zone, name: 'often' })
  often({ dueAt }: JobRun<undefined>) {
    ran.push(`often ${dueAt.toISOString().slice(5, 16)}`)
  }
}

describeJobs('schedules at a daylight-saving change', () => {
  /** Starts at a time, and looks for runs at each ten minutes of some hours. */
  async function runsFrom(start: string, hours: number): Promise<string[]> {
    const app = await TestApp.create({
      plugins: [postgres({ embedded: 'memory' }), jobs({ workers: [Ticks] })],
    })
    onTestFinished(() => app.close())
    app.clock.set(start)
    // The runs that were due before.
    await app.jobs.drain()
    ran = []
    for (let part = 0; part < 6 * hours; part++) {
      await app.clock.advance('10m')
      await app.jobs.drain()
    }
    return ran.sort()
  }

  it('run a daily job once at a repeated time, even if it is planned in the second hour', async () => {
    // In Vienna, 02:30 is at 00:30 and at 01:30 of UTC.
    expect(await runsFrom('2027-10-31T00:20:00Z', 2)).toEqual([
      'daily 10-31T00:30',
      ...['00:30', '01:00', '01:30', '02:00'].map((time) => `often 10-31T${time}`),
    ])
    expect(await runsFrom('2027-10-31T01:05:00Z', 1)).not.toContain('daily 10-31T01:30')
  })

  it('run a daily job after a skipped time, even if it is planned after the change', async () => {
    // In Vienna, 03:00 follows 02:00, at 01:00 of UTC.
    expect(await runsFrom('2027-03-28T01:10:00Z', 1)).toEqual([
      'daily 03-28T01:30',
      ...['01:30', '02:00'].map((time) => `often 03-28T${time}`),
    ])
  })
})
