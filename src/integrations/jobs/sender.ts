import { type Clock, type Duration, getTenantId, requireTenantId } from '../../index.js'
import { toSeconds } from '../../plugin/index.js'
import { checkInput, currentSender, type JobDefinition, present } from './job.js'
import type { JobsDeps } from './queues.js'
import { listJobs, type StoredJob, type StoredJobsFilter } from './stored-jobs.js'

/** Options of {@link Jobs.send}. */
export interface SendOptions {
  /** The earliest time at which the job can run: a duration from now, or a date. Default: immediately. */
  readonly after?: Duration | Date
  /** The key for the job's `policy`. A job that the policy excludes is not sent. Default: none. */
  readonly key?: string
  /** Jobs with a higher number run first. Default: 0. */
  readonly priority?: number
}

/**
 * Sends and lists jobs. `jobs()` provides this class.
 *
 * @example
 * private readonly jobs = inject(Jobs)
 * await this.jobs.send(Receipt, { orderId })
 */
export class Jobs {
  /** @internal Set by `jobs()` when the application starts. */
  parts: JobsDeps | undefined

  /**
   * Sends a job in the transaction of the request or of `db.transaction`. If the transaction does not commit, the job
   * is not sent. Outside of a transaction, it is sent immediately. The job runs as the current tenant.
   *
   * @returns the job ID; `null` if the job's `policy` excludes it.
   * @throws TypeError if the input does not match the schema, if `after` is invalid, or if no worker runs the job;
   * HttpError 400 `TENANT_REQUIRED` if the job needs a tenant and there is none; the errors of `Database.query`.
   */
  async send<TSent>(
    job: JobDefinition<TSent>,
    ...[input, options = {}]: SendArguments<NoInfer<TSent>>
  ): Promise<string | null> {
    const parts = this.#started('send')
    const { name } = job
    const remedy = 'List the class that runs it: jobs({ workers: [ … ] }).'
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
    // Wakes a worker of this process, which could not see the job before the commit.
    await parts.link.afterCommit(() => parts.onSent({ id, name, input: plain, tenant }))
    return id
  }

  /**
   * Lists the current tenant's jobs, newest first. In an application without tenants, it lists all jobs.
   *
   * @throws HttpError 400 `TENANT_REQUIRED` in an application with tenants, if there is no current tenant.
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

/** The input, if the job has one, followed by the options. */
export type SendArguments<TSent> = [TSent] extends [undefined]
  ? [input?: undefined, options?: SendOptions]
  : [input: TSent, options?: SendOptions]

function startOf({ after }: SendOptions, clock: Clock): Date | undefined {
  if (after === undefined || after instanceof Date) return after
  const seconds = toSeconds(after)
  if (seconds !== undefined) return new Date(clock.now() + seconds * 1000)
  throw new TypeError(
    `Jobs.send(): \`after\` is ${after}. Pass a Date, or a duration such as '10m'.`,
  )
}

/** @throws HttpError if there is no tenant, or if the request is not allowed to act for the tenant. */
function tenantOfSender(usesTenants: boolean): string | null {
  return usesTenants ? requireTenantId() : (getTenantId() ?? null)
}

/** Returns the input as the database will return it, so that a valid input is also valid when the job runs. */
async function sendable(job: JobDefinition, input: unknown): Promise<unknown> {
  const text = JSON.stringify(input)
  const plain: unknown = text === undefined ? undefined : JSON.parse(text)
  await checkInput(job, plain, TypeError)
  return plain
}
