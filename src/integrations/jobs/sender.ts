import { type Clock, type Duration, getTenantId, requireTenantId } from '../../index.js'
import { toSeconds } from '../../plugin/index.js'
import { checkInput, currentSender, type JobDefinition, present } from './job.js'
import type { JobsDeps } from './queues.js'
import { listJobs, type StoredJob, type StoredJobsFilter } from './stored-jobs.js'

/** Options of {@link Jobs.send}. */
export interface SendOptions {
  /** When the job may run at the earliest: a time from now, or a date. Default: at once. */
  readonly after?: Duration | Date
  /** The key for the `policy` of the job: a job that the policy excludes is not sent. Default: none. */
  readonly key?: string
  /** Jobs with a higher number run first. Default 0. */
  readonly priority?: number
}

/**
 * Sends jobs. `jobs()` provides it.
 *
 * @example
 * private readonly jobs = inject(Jobs)
 * await this.jobs.send(Receipt, { orderId })
 */
export class Jobs {
  /** @internal Set by `jobs()` when the application has started. */
  parts: JobsDeps | undefined

  /**
   * Sends a job, in the transaction of the request or of `db.transaction`: without its commit, there is no job. Elsewhere
   * the job is sent at once. It runs as the tenant of this code.
   *
   * @returns the id of the job; `null` if its `policy` excludes it.
   * @throws TypeError if the input does not fit its schema, or no worker runs the job; HttpError 400 `TENANT_REQUIRED` in
   * an application with tenants, for a job that needs one; the errors of `Database.query`.
   */
  async send<TSent>(
    job: JobDefinition<TSent>,
    ...[input, options = {}]: SendArguments<NoInfer<TSent>>
  ): Promise<string | null> {
    const parts = this.#started('send')
    const { name } = job
    const remedy = 'List its class: jobs({ workers: [ … ] }).'
    if (parts.works.get(name)?.job !== (job as JobDefinition))
      throw new TypeError(`No worker runs the job ${name}. ${remedy}`)
    const tenant = job.tenant ? tenantOfSender(parts.usesTenants) : null
    const plain = await sendable(job as JobDefinition, input)
    const { key: singletonKey, priority } = options
    const startAfter = startOf(options, parts.clock)
    const group = tenant === null ? undefined : { id: tenant }
    const envelope = { input: plain, tenant, sender: currentSender() }
    const given = present({ group, startAfter, singletonKey, priority })
    const id = await parts.queues.send(name, envelope, given)
    if (id === null) return null
    // This wakes a worker of the process, which could not see the job before the commit.
    await parts.link.afterCommit(() => parts.onSent({ id, name, input: plain, tenant }))
    return id
  }

  /**
   * Lists jobs of the tenant of this code, the newest first; in an application without tenants, all jobs.
   *
   * @throws HttpError 400 `TENANT_REQUIRED` in an application with tenants, without one.
   */
  async list(filter: Omit<StoredJobsFilter, 'schema' | 'tenant'> = {}): Promise<StoredJob[]> {
    const { link, schema, usesTenants } = this.#started('list')
    return await listJobs(link, { ...filter, schema, tenant: tenantOfSender(usesTenants) })
  }

  #started(name: string): JobsDeps {
    if (this.parts !== undefined) return this.parts
    throw new Error(`Jobs.${name}(): the application has not started. Call it in onReady or later.`)
  }
}

/** The input, if the job has one, then the options. */
export type SendArguments<TSent> = [TSent] extends [undefined]
  ? [input?: undefined, options?: SendOptions]
  : [input: TSent, options?: SendOptions]

function startOf({ after }: SendOptions, clock: Clock): Date | undefined {
  if (after === undefined || after instanceof Date) return after
  const seconds = toSeconds(after)
  if (seconds !== undefined) return new Date(clock.now() + seconds * 1000)
  throw new TypeError(`Jobs.send(): after is ${after}. Pass a Date, or a duration such as '10m'.`)
}

/** @throws HttpError if the code runs without a tenant, or for a tenant that the request may not act for. */
function tenantOfSender(usesTenants: boolean): string | null {
  return usesTenants ? requireTenantId() : (getTenantId() ?? null)
}

/** The input in the form that the database will return, so that its validation also holds for the run. */
async function sendable(job: JobDefinition, input: unknown): Promise<unknown> {
  const text = JSON.stringify(input)
  const plain: unknown = text === undefined ? undefined : JSON.parse(text)
  await checkInput(job, plain, TypeError)
  return plain
}
