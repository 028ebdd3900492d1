import type { StandardSchemaV1 } from '@standard-schema/spec'
import { ConfigError, type Duration, getTraceContext, RequestContext } from '../../index.js'
import {
  type Problem,
  requestFacts,
  toSeconds,
  unknownOptions,
  WorkContext,
} from '../../plugin/index.js'

/** Options of {@link defineJob}. */
export interface JobOptions<S extends StandardSchemaV1 = StandardSchemaV1> {
  /**
   * The schema of the input, from any library that supports Standard Schema. The input is validated when it is sent,
   * and again when the job runs. If omitted, the job has no input.
   */
  readonly input?: S
  /** The number of retries after a failure: `5` means at most six runs. Default: 3. */
  readonly retries?: number
  /** The delay before the first retry. It doubles with each retry, up to one hour. Default: `'5s'`. */
  readonly retryDelay?: Duration
  /**
   * The time limit of one run. When it is exceeded, `signal` aborts and the run fails. Default: `'30s'`; at most 23
   * hours.
   */
  readonly timeout?: Duration
  /** The maximum number of concurrent jobs of this kind in one process. Default: 2. */
  readonly concurrency?: number
  /**
   * The maximum number of concurrent jobs of this kind for one tenant in one process. Default: half of `concurrency`,
   * and at least 1.
   */
  readonly perTenant?: number
  /**
   * Whether the job runs as the tenant of the code that sends it. With `false`, it never belongs to a tenant. With
   * `true`, an application with tenants can send it only for a tenant. Default: `true`.
   */
  readonly tenant?: boolean
  /**
   * How many jobs with the same `key` can exist at once: `'short'` allows one waiting job, `'singleton'` one running
   * job, `'stately'` one of each, and `'exclusive'` one that either waits or runs. If omitted, there is no limit.
   */
  readonly policy?: 'short' | 'singleton' | 'stately' | 'exclusive'
  /** How long a finished job is stored, so that it can be listed or run again. Default: `'7d'`. */
  readonly keep?: Duration
}

/** The description of a job, without the code that runs it, created by {@link defineJob}. Durations are in seconds. */
export interface JobDefinition<TSent = unknown, TInput = unknown>
  extends Required<Pick<JobOptions, 'retries' | 'concurrency' | 'perTenant' | 'tenant'>> {
  /** The name of the job, and of its queue. */
  readonly name: string
  /** The schema; `null` if the job has no input. */
  readonly input: StandardSchemaV1<TSent, TInput> | null
  /** The delay before the first retry, in seconds. */
  readonly retryDelay: number
  /** The time limit of one run, in seconds. */
  readonly timeout: number
  /** The policy of its queue. Default: `'standard'`. */
  readonly policy: string
  /** How long a finished job is stored, in seconds. */
  readonly keep: number
}

/** A run of a job: the argument of a method with `@Job`. */
export interface JobRun<TInput = unknown> {
  /**
   * The ID of the job, which is the same in all of its runs. Use it as an idempotency key for effects outside of the
   * database.
   */
  readonly id: string
  /** The name of the job. */
  readonly name: string
  /** The input, validated against the job's schema. */
  readonly input: TInput
  /** The number of this run, from 1. */
  readonly attempt: number
  /**
   * When this run was due. For the first run, this is the time in the schedule, the time in the option `after` of
   * `send`, or the time of the call to `send`.
   */
  readonly dueAt: Date
  /** Aborts when the job times out, when the application closes, and when another process has taken the job. */
  readonly signal: AbortSignal
  /** The tenant of the job; `null` if it has none. */
  readonly tenant: string | null
  /** The request that sent the job. It grants no permissions: a job runs as its tenant, not as a user. */
  readonly sender: JobSender
}

/** The request that sent a job. */
export interface JobSender {
  /** The request ID. */
  readonly requestId?: string
  /** The `traceparent` header that continues the request's trace. */
  readonly traceparent?: string
  /** The user ID. */
  readonly user?: string
}

/**
 * The argument of the method that runs a job.
 *
 * @example
 * async write({ input, signal }: JobOf<typeof Receipt>) { … }
 */
export type JobOf<D> = D extends JobDefinition<infer _TSent, infer TInput> ? JobRun<TInput> : never

/** Matches a name that pg-boss accepts, except names with a slash. */
const NAME = /^[\w.-]{1,100}$/
/** The longest time limit: pg-boss requires less than a day. */
const LONGEST_SECONDS = 23 * 3600
const POLICIES = ['standard', 'short', 'singleton', 'stately', 'exclusive']

/**
 * Defines a job: its name, its input and its options. A method with `@Job` runs it, and `Jobs.send` sends it.
 *
 * @param name Letters, digits, `_`, `-` and `.`; unique in the application and in its database.
 * @throws ConfigError if the name or an option is invalid.
 * @example
 * export const Receipt = defineJob('receipt', { input: z.object({ orderId: z.number() }), retries: 5, timeout: '30s' })
 */
export function defineJob(
  name: string,
  options?: Omit<JobOptions, 'input'>,
): JobDefinition<undefined, undefined>
export function defineJob<S extends StandardSchemaV1>(
  name: string,
  options: JobOptions<S> & { readonly input: S },
): JobDefinition<StandardSchemaV1.InferInput<S>, StandardSchemaV1.InferOutput<S>>
// biome-ignore lint/suspicious/noExplicitAny: the overloads have the types
export function defineJob(name: string, options: JobOptions<any> = {}): JobDefinition<any, any> {
  const { concurrency = 2, retryDelay = '5s', timeout = '30s', keep = '7d' } = options
  const half = Math.max(1, Math.floor(concurrency / 2))
  const defaults = { input: null, retries: 3, perTenant: half, tenant: true, policy: 'standard' }
  const job: JobDefinition = {
    ...{ ...defaults, ...present(options), concurrency, name },
    ...{ retryDelay: seconds(retryDelay), timeout: seconds(timeout), keep: seconds(keep) },
  }
  const at = `defineJob('${String(name)}')`
  const { input, policy } = job
  const isSchema = input === null || typeof input['~standard']?.validate === 'function'
  refuse(
    at,
    { name },
    { name: [NAME.test(String(name)), 'Use 1 to 100 letters, digits and the characters _ - .'] },
  )
  const checks: Record<keyof JobOptions, Check> = {
    retries: number(job.retries, 0, 1000),
    concurrency: number(concurrency, 1, 1000),
    perTenant: number(job.perTenant, 1, concurrency),
    timeout: number(job.timeout, 1, LONGEST_SECONDS, "a duration from '1s' to '23h'"),
    retryDelay: number(job.retryDelay, 0, LONGEST_SECONDS, "a duration up to '23h'"),
    keep: number(job.keep, 1, Number.MAX_SAFE_INTEGER, "a duration, such as '7d'"),
    tenant: [typeof job.tenant === 'boolean', 'Pass true or false.'],
    policy: [POLICIES.includes(policy), `Pass one of ${POLICIES.slice(1).join(', ')}.`],
    input: [isSchema, 'Pass a Standard Schema, for example from zod, valibot or arktype.'],
  }
  refuse(at, options, checks)
  return Object.freeze(job)
}

/** Whether an option is valid, and a sentence with the remedy. */
export type Check = readonly [isValid: boolean, remedy: string]

/** @throws ConfigError with all invalid and unknown options. */
export function refuse(at: string, options: object, checks: Readonly<Record<string, Check>>): void {
  const entries = Object.entries(checks)
  const names = Object.fromEntries(entries.map(([name]) => [name, true]))
  const problems = entries.flatMap(([name, [isValid, remedy]]): Problem[] =>
    isValid ? [] : [{ code: 'E_OPTION_INVALID', subject: `${at}: ${name}`, cause: CAUSE, remedy }],
  )
  problems.push(...unknownOptions(`${at}: `, options, names))
  if (problems.length > 0) throw new ConfigError(problems)
}

const CAUSE = 'Its value is not valid.'

/** Checks for an integer in a range. */
export function number(
  value: number,
  least: number,
  most: number,
  what = `a whole number from ${least} to ${most}`,
): Check {
  return [Number.isInteger(value) && value >= least && value <= most, `Pass ${what}.`]
}

/** Converts a duration to whole seconds, rounded up; `NaN` if it is invalid. */
function seconds(duration: Duration): number {
  return Math.ceil(toSeconds(duration) ?? Number.NaN)
}

/** Returns an object without the fields that are `undefined`. */
export function present<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as { [K in keyof T]: Exclude<T[K], undefined> }
}

/** The data of a job in the database. */
export interface Envelope {
  /** The original input. The job's schema validates it again when the job runs. */
  readonly input?: unknown
  readonly tenant: string | null
  readonly sender: JobSender
  /** The expression and the time zone of the schedule that sent the job. */
  readonly plan?: string
}

/**
 * Validates an input with the job's schema, and returns the result.
 *
 * @throws Failure with the reasons.
 */
export async function checkInput(
  { input: schema, name }: JobDefinition,
  input: unknown,
  Failure: new (message: string) => Error,
): Promise<unknown> {
  if (schema === null && input == null) return undefined
  const result = await schema?.['~standard'].validate(input)
  if (result !== undefined && result.issues === undefined) return result.value
  const reasons = result?.issues?.map(reasonOf) ?? ['the job accepts no input']
  throw new Failure(`The input of the job ${name} does not match its schema: ${reasons.join('; ')}`)
}

/**
 * Reads a job's data, which any version of the application may have sent. Returns `null` if another program sent it.
 */
export function readEnvelope(data: unknown): Envelope | null {
  const { tenant, sender } = (data ?? {}) as Partial<Envelope>
  const isOurs = typeof tenant === 'string' || tenant === null
  return isOurs && typeof sender === 'object' ? (data as Envelope) : null
}

/** Returns the request or job that is currently running, as the sender of a job. */
export function currentSender(): JobSender {
  const req = RequestContext.current()
  const { facts, headers } = WorkContext.current() ?? {}
  const { requestId, user } = (req === undefined ? facts : requestFacts(req)) ?? {}
  const { traceparent } = (req === undefined ? headers : getTraceContext(req).headers) ?? {}
  return present({ requestId, traceparent, user }) as JobSender
}

function reasonOf({ message, path = [] }: StandardSchemaV1.Issue): string {
  const at = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  return at === '' ? message : `${at}: ${message}`
}
