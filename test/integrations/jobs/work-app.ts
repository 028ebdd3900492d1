import { App, inject } from 'blazon'
import { Cron, defineJob, Job, type JobOf, jobs, Worker } from 'blazon/jobs'
import { Database, postgres } from 'blazon/postgres'
import { z } from 'zod'

// An application that works on jobs until it is killed. Its parent sends `{ offset }` to move the time of the process.

const { JOBS_URL = '', JOBS_FOLDER = '', JOBS_GRACE = '5s' } = process.env

export const Effect = defineJob('effect', {
  input: z.object({ number: z.number(), tenant: z.string(), waitMs: z.number() }),
  retries: 1000,
  retryDelay: 0,
  timeout: '5s',
  concurrency: 3,
  perTenant: 3,
})

@Worker()
class Effects {
  private readonly db = inject(Database)

  @Job(Effect)
  async write({ id, input, signal, attempt }: JobOf<typeof Effect>) {
    await this.db.query('insert into effects (job, sent_by, part) values ($1, $2, 1)', [
      id,
      input.tenant,
    ])
    process.send?.({ began: id, attempt })
    await new Promise((resolve) => setTimeout(resolve, input.waitMs))
    if (signal.aborted) return
    await this.db.query('insert into effects (job, sent_by, part) values ($1, $2, 2)', [
      id,
      input.tenant,
    ])
  }

  @Cron('30 2 * * *', { name: 'half-past-two', zone: 'Europe/Vienna' })
  async half({ dueAt }: JobOf<typeof Effect>) {
    await this.#note('half-past-two', dueAt)
  }

  @Cron('30 3 * * *', { name: 'half-past-three', zone: 'Europe/Vienna' })
  async later({ dueAt }: JobOf<typeof Effect>) {
    await this.#note('half-past-three', dueAt)
  }

  async #note(name: string, dueAt: Date) {
    const text = 'insert into ticks (name, pid, at) values ($1, $2, $3)'
    await this.db.withoutTenant('a schedule of no tenant', () =>
      this.db.query(text, [name, process.pid, dueAt]),
    )
  }
}

export function optionsOf(url: string, folder: string) {
  return {
    tenant: {},
    logger: { level: 'fatal' },
    timeouts: { close: JOBS_GRACE },
    plugins: [
      postgres({ url, migrations: folder, connections: 8 }),
      jobs({ work: JOBS_URL !== '', workers: [Effects], concurrency: 3 }),
    ],
  } as const
}

if (JOBS_URL !== '') {
  let offset = 0
  const { now } = Date
  Date.now = () => now() + offset
  process.on('message', (message: { readonly offset: number }) => {
    offset = message.offset
  })
  process.on('disconnect', () => process.exit(1))
  const app = await App.create(optionsOf(JOBS_URL, JOBS_FOLDER))
  await app.listen(0, { host: '127.0.0.1', announce: false, signals: true })
  process.send?.({ ready: true })
}
