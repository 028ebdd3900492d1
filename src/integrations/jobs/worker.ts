import {
  type Class,
  ConfigError,
  type DualMethodDecorator,
  type Duration,
  defineOption,
  type RouteOption,
} from '../../index.js'
import {
  type OptionNames,
  type PluginContext,
  type Problem,
  refuseUnknown,
} from '../../plugin/index.js'
import { defineJob, type JobDefinition, type JobRun } from './job.js'

/**
 * Marks a class whose methods run jobs. The class is a provider, and must be listed in `jobs({ workers })`.
 *
 * @example
 * @Worker()
 * export class Receipts {
 *   @Job(Receipt) async write({ input }: JobOf<typeof Receipt>) { … }
 * }
 */
export const Worker: RouteOption<true, true, 'class'> = defineOption<true, 'class'>('Worker', {
  on: 'class',
  anywhere: true,
})

/** The schedule of a job: an expression with five fields, and a time zone. */
export interface JobSchedule {
  readonly expression: string
  readonly zone: string
}

/**
 * The job of a method, in a function. A schema can be a plain object, which would otherwise be frozen together with the
 * job.
 */
interface Wrapped {
  readonly of: () => JobDefinition
  /** `null` if the job has no schedule. */
  readonly schedule: JobSchedule | null
}

/** The route option that {@link Job} and {@link Cron} set. */
export const JOB: RouteOption<Wrapped, Wrapped, 'method'> = defineOption<Wrapped, 'method'>('Job', {
  on: 'method',
  anywhere: true,
})

/**
 * Decorates a method that receives a run of a job. A method with any other parameter does not compile.
 *
 * @typeParam TInput The input of the job.
 */
export interface JobDecorator<TInput> {
  // biome-ignore-start lint/suspicious/noExplicitAny: a decorator must accept every class
  (value: (run: JobRun<TInput>) => unknown, context: ClassMethodDecoratorContext<any, any>): void
  // biome-ignore-end lint/suspicious/noExplicitAny: as above
  /** @typeParam M The type of the method. */
  <M extends (run: JobRun<TInput>) => unknown>(
    target: object,
    key: PropertyKey,
    descriptor: TypedPropertyDescriptor<M>,
  ): void
}

/**
 * Makes a method run a job. The method runs in its own transaction, as the tenant for which the job was sent. The job
 * is completed in the same transaction, so its effects on the database happen exactly once.
 *
 * @throws ConfigError at boot if two methods run the same job or jobs with the same name, or if the class has no
 * `@Worker`.
 */
export function Job<TSent, TInput>(job: JobDefinition<TSent, TInput>): JobDecorator<TInput> {
  return JOB({ of: () => job as JobDefinition, schedule: null }) as JobDecorator<TInput>
}

/** Options of {@link Cron}. */
export interface CronOptions {
  /** The name of the schedule, unique among all jobs and schedules. */
  readonly name: string
  /** The time zone of the expression, such as `'Europe/Vienna'`. Default: `'UTC'`. */
  readonly zone?: string
  /** The time limit of one run. Default: `'30s'`. */
  readonly timeout?: Duration
  /** The number of retries after a failure. Default: 3. */
  readonly retries?: number
}

const NAMES: OptionNames<CronOptions> = { name: true, zone: true, timeout: true, retries: true }

/**
 * Runs a method on a schedule, once in the whole cluster and without a tenant. The run has no input.
 *
 * @param expression Five fields: minute, hour, day of the month, month, day of the week.
 * @throws ConfigError if an option is invalid; at boot, if the expression is invalid, the time zone is unknown, or the
 * name is used twice.
 * @example
 * @Cron('0 3 * * *', { zone: 'Europe/Vienna', name: 'nightly' }) async nightly() { … }
 */
export function Cron(expression: string, options: CronOptions): DualMethodDecorator {
  refuseUnknown(`@Cron('${expression}')`, options, NAMES)
  const { name, zone = 'UTC', ...rest } = options
  const job = defineJob(name, { ...rest, tenant: false }) as JobDefinition
  return JOB({ of: () => job, schedule: { expression, zone } })
}

/** A job and its method. */
export interface Work {
  readonly job: JobDefinition
  readonly run: (run: JobRun) => unknown
  /** `null` if the job has no schedule. */
  readonly schedule: JobSchedule | null
  /** The class and the method, for messages. */
  readonly place: string
}

/** The methods with `@Job` and `@Cron`, keyed by job name. */
export type Works = ReadonlyMap<string, Work>

/** @throws ConfigError with all problems: classes without `@Worker`, and names that are used twice. */
export function findWork({ find }: Pick<PluginContext, 'find'>, workers: readonly Class[]): Works {
  const marked = new Set<unknown>(find(Worker).map(({ instance }) => instance.constructor))
  const problems = workers.flatMap((each) => (marked.has(each) ? [] : [unmarked(each.name)]))
  const works = new Map<string, Work>()
  for (const { instance, method, value, call } of find(JOB)) {
    const { name } = instance.constructor
    const place = `${name}.${String(method)}`
    if (!marked.has(instance.constructor)) problems.push(unmarked(name, place))
    const work = { job: value.of(), run: call, schedule: value.schedule, place }
    const other = works.get(work.job.name)
    if (other === undefined) works.set(work.job.name, work)
    else problems.push(twice(other, work))
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return works
}

function unmarked(name: string, subject = name): Problem {
  const cause = `The class ${name} has no @Worker().`
  const remedy = `Decorate it with @Worker(), and list it: jobs({ workers: [${name}] }).`
  return { code: 'E_JOB_WORKER', subject, cause, remedy }
}

function twice(one: Work, other: Work): Problem {
  const [subject, places] = [`job '${one.job.name}'`, `${one.place} and ${other.place}`]
  const [cause, remedy] =
    one.job === other.job
      ? [`${places} both run it.`, 'Keep one of the methods.']
      : [`${places} run different jobs with this name.`, 'Rename one of the jobs.']
  return { code: 'E_JOB_DUPLICATE', subject, cause, remedy }
}
