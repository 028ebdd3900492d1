// Jobs: a wrong input, a method of another job and a missing input do not compile.
import { Cron, defineJob, Job, type JobOf, type Jobs, Worker } from 'blazon/jobs'
import { z } from 'zod'
import type { Equal, Expect } from '../expect.js'

const Receipt = defineJob('receipt', {
  input: z.object({ orderId: z.number(), at: z.coerce.date().default(new Date()) }),
  retries: 5,
})
const Sweep = defineJob('sweep', { tenant: false })

export type Input = Expect<Equal<JobOf<typeof Receipt>['input'], { orderId: number; at: Date }>>
export type NoInput = Expect<Equal<JobOf<typeof Sweep>['input'], undefined>>

@Worker()
export class Receipts {
  @Job(Receipt)
  async write({ id, input, signal, attempt }: JobOf<typeof Receipt>) {
    return [id.length, input.orderId, signal.aborted, attempt]
  }

  @Job(Sweep)
  sweep() {}

  @Cron('0 3 * * *', { name: 'nightly', zone: 'Europe/Vienna' })
  async nightly() {}

  // @ts-expect-error the method takes the run of another job
  @Job(Receipt)
  wrong(_run: JobOf<typeof Sweep>): void {}
}

export async function send(jobs: Jobs): Promise<void> {
  await jobs.send(Receipt, { orderId: 1 })
  await jobs.send(Receipt, { orderId: 1, at: new Date() }, { after: '10m', key: 'k', priority: 1 })
  await jobs.send(Sweep)
  await jobs.send(Sweep, undefined, { after: new Date() })
  // @ts-expect-error the input is missing
  await jobs.send(Receipt)
  // @ts-expect-error the input is another one
  await jobs.send(Receipt, { orderId: '1' })
  // @ts-expect-error the job has no input
  await jobs.send(Sweep, { orderId: 1 })
  // @ts-expect-error not an option
  await jobs.send(Sweep, undefined, { later: '1m' })
}

// @ts-expect-error not an option
defineJob('x', { retry: 1 })
// @ts-expect-error a schedule has a name
Cron('0 3 * * *', {})
