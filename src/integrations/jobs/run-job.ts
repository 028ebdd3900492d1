import type { JobWithMetadata } from 'pg-boss'
import { runWithTenant } from '../../index.js'
import { type Work as Context, type JobRunReport, WorkContext } from '../../plugin/index.js'
import { checkInput, type Envelope, type JobRun, present, readEnvelope } from './job.js'
import { type JobsDeps, LostClaimError } from './queues.js'
import { planOf } from './schedules.js'
import type { Work } from './worker.js'

/** How long a job of a suspended tenant waits before it is checked again. */
const SUSPENDED_SECONDS = 60
/** How long a transaction can stay idle beyond the job's timeout. */
const REST_MS = 5000

/** The error of a job that must not run again. The message states the reason. */
export class DeadJobError extends Error {
  override readonly name = 'DeadJobError'
}

/** Runs a job and records its result in the database. Rejects only if the result cannot be recorded. */
export async function runJob(
  work: Work,
  taken: JobWithMetadata,
  parts: JobsDeps,
): Promise<JobRunReport> {
  const { queues, logger } = parts
  const { id, retryCount, retryLimit, name, signal, startAfter: dueAt } = taken
  // Each time the job was given back, its limit was increased by one. These runs do not count.
  const attempt = Math.max(1, retryCount + 1 - Math.max(0, retryLimit - work.job.retries))
  const envelope = readEnvelope(taken.data)
  const { tenant = null, sender = {} } = envelope ?? {}
  const report = { id, name, tenant, attempt }
  try {
    if (work.schedule !== null && envelope?.plan !== planOf(work.schedule)) {
      // The schedule has changed since the job was sent.
      await queues.complete(taken)
    } else if (tenant !== null && (await isSuspended(tenant, parts))) {
      await queues.giveBack(taken, SUSPENDED_SECONDS)
      return { ...report, outcome: 'waiting' }
    } else {
      const input = await inputOf(work, envelope)
      const run: JobRun = { ...report, input, dueAt, signal, sender }
      const inContext = () => WorkContext.run(contextOf(run), () => inTransaction(run))
      await (tenant === null ? inContext() : runWithTenant(tenant, inContext))
    }
    return { ...report, outcome: 'done' }
  } catch (error) {
    // After a lost claim, the job belongs to another run, or was returned to the queue at shutdown.
    const isLost = error instanceof LostClaimError
    const isDead = !isLost && (error instanceof DeadJobError || retryCount >= retryLimit)
    const message = isDead
      ? 'A job has failed, and will not run again'
      : 'A job has failed, and will run again'
    logger.error({ err: error, job: name, jobId: id, attempt, tenant, ...sender }, message)
    if (error instanceof DeadJobError) await queues.bury(taken, error)
    else if (!isLost) await queues.fail(taken, error)
    return { ...report, outcome: isDead ? 'dead' : 'retry', error }
  }

  /** Completes the job in the same transaction as its effects. */
  async function inTransaction(run: JobRun): Promise<void> {
    const { link } = parts
    // The idle limit for requests is too short for a job that waits for a mail server.
    const idleMs = link.isEmbedded ? 0 : work.job.timeout * 1000 + REST_MS
    const limit = `select set_config('idle_in_transaction_session_timeout', '${idleMs}', true)`
    await link.transaction(async () => {
      await link.join((query) => query(limit))
      await untilAborted(async () => work.run(run), signal)
      await queues.complete(taken)
    })
  }
}

async function isSuspended(tenant: string, { stateOf }: JobsDeps): Promise<boolean> {
  const state = await stateOf(tenant)
  if (state === 'unknown') throw new DeadJobError(`There is no tenant ${tenant}.`)
  return state === 'suspended'
}

async function inputOf({ job }: Work, envelope: Envelope | null): Promise<unknown> {
  if (envelope === null)
    throw new DeadJobError('Another program sent the job: its data lacks a tenant or a sender.')
  return await checkInput(job, envelope.input, DeadJobError)
}

/** Waits for a function, but only until a signal aborts: code that ignores the signal must not hold a connection. */
async function untilAborted(fn: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  await Promise.race([fn(), aborted])
}

function contextOf({ id, name, attempt, sender }: JobRun): Context {
  const { requestId, traceparent, user } = sender
  const trace_id = traceparent?.split('-')[1]
  let calls = 0
  return {
    id,
    facts: present({ job: name, jobId: id, attempt, requestId, trace_id, user }),
    headers: present({ 'x-request-id': requestId, traceparent }),
    idempotencyKey: () => (++calls === 1 ? id : `${id}.${calls}`),
  }
}
