import type { JobWithMetadata } from 'pg-boss'
import {
  type Work as Context,
  type DatabaseLink,
  type Logger,
  type MaybePromise,
  runWithTenant,
  WorkContext,
} from '../../index.js'
import { type JobRun, present } from './define-job.js'
import { checkInput, type Envelope, readEnvelope } from './envelope.js'
import type { Work } from './find-work.js'
import { planOf } from './schedules.js'
import { type Claim, LostClaimError, type Settlement } from './settlement.js'

/** The parts of an application that runs of jobs depend on. */
export interface RunParts {
  readonly link: DatabaseLink
  readonly settlement: Settlement
  readonly logger: Logger
  /** Returns the state of a tenant. */
  readonly stateOf: (tenant: string) => MaybePromise<'active' | 'suspended' | 'unknown'>
}

/** How a run has ended. */
export interface RunResult {
  readonly outcome: 'done' | 'retry' | 'dead' | 'waiting'
  readonly error?: unknown
  readonly tenant: string | null
  readonly attempt: number
}

/** How long a job of a suspended tenant waits before it is looked at again. */
const SUSPENDED_SECONDS = 60
/** How much longer than its timeout a transaction may send no statement. */
const REST_MS = 5000

/** A job that must not run again, with the reason. */
class DeadJobError extends Error {}

/** Runs a job that this process has taken, and ends it in the database. Rejects only if the database fails. */
export async function runJob(
  work: Work,
  taken: JobWithMetadata,
  parts: RunParts,
): Promise<RunResult> {
  const { settlement, logger } = parts
  const { id, retryCount, retryLimit, name } = taken
  const claim: Claim = { name, attempt: { id, retryCount }, retryLimit }
  // Each time that the job was given back, its limit has grown.
  const attempt = Math.max(1, retryCount + 1 - Math.max(0, retryLimit - work.job.retries))
  const envelope = readEnvelope(taken.data)
  const { tenant = null, sender = {} } = envelope ?? {}
  try {
    // The schedule has changed since.
    if (work.schedule !== null && envelope?.plan !== planOf(work.schedule)) {
      await settlement.complete(claim)
      return { outcome: 'done', tenant, attempt }
    }
    if (tenant !== null && (await isSuspended(tenant, parts))) {
      await settlement.giveBack(claim, SUSPENDED_SECONDS)
      return { outcome: 'waiting', tenant, attempt }
    }
    const input = await inputOf(work, envelope)
    const { signal, startAfter: dueAt } = taken
    const run: JobRun = { id, name, input, attempt, dueAt, tenant, signal, sender }
    await asTenant(tenant, () =>
      WorkContext.run(contextOf(run), () => inTransaction(work, run, { claim, ...parts })),
    )
    return { outcome: 'done', tenant, attempt }
  } catch (error) {
    const isDead = error instanceof DeadJobError || retryCount >= retryLimit
    const message = isDead ? 'A job is dead' : 'A job has failed, and will run again'
    logger.error({ err: error, job: name, jobId: id, attempt, tenant, ...sender }, message)
    // Another run, or the closing of the application, has ended a job whose claim is lost.
    if (error instanceof DeadJobError) await settlement.bury(claim, error)
    else if (!(error instanceof LostClaimError)) await settlement.fail(claim, error)
    return { outcome: isDead ? 'dead' : 'retry', error, tenant, attempt }
  }
}

async function isSuspended(tenant: string, { stateOf }: RunParts): Promise<boolean> {
  const state = await stateOf(tenant)
  if (state === 'unknown') throw new DeadJobError(`There is no tenant ${tenant}.`)
  return state === 'suspended'
}

async function inputOf({ job }: Work, envelope: Envelope | null): Promise<unknown> {
  if (envelope === null)
    throw new DeadJobError('Another program has sent it: its data has no tenant and no sender.')
  const checked = await checkInput(job, envelope.input)
  if ('value' in checked) return checked.value
  throw new DeadJobError(`Its input does not fit its schema: ${checked.reasons.join('; ')}`)
}

function asTenant<T>(tenant: string | null, fn: () => T): T {
  return tenant === null ? fn() : runWithTenant(tenant, fn)
}

/** The job is completed in the transaction of its effects. */
async function inTransaction(
  { job, run: handle }: Work,
  run: JobRun,
  { claim, link, settlement }: RunParts & { readonly claim: Claim },
): Promise<void> {
  const idleMs = String(job.timeoutSeconds * 1000 + REST_MS)
  await link.transaction(async () => {
    // The limit of requests is too short for a job that waits for a mail server.
    await link.join((query) =>
      query(`select set_config('idle_in_transaction_session_timeout', $1, true)`, [
        link.isEmbedded ? '0' : idleMs,
      ]),
    )
    await untilAborted(async () => handle(run), run.signal)
    await settlement.complete(claim)
  })
}

/** Waits for a function, but not longer than a signal: code that ignores it must not hold a connection. */
function untilAborted<T>(fn: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason ?? new Error('The run was ended.'))
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    fn()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop))
  })
}

function contextOf({ id, name, attempt, sender }: JobRun): Context {
  const { requestId, traceparent, user } = sender
  const trace_id = traceparent?.split('-')[1]
  let calls = 0
  return {
    facts: present({ job: name, jobId: id, attempt, requestId, trace_id, user }),
    headers: present({ 'x-request-id': requestId, traceparent }),
    idempotencyKey: () => (++calls === 1 ? id : `${id}.${calls}`),
  }
}
