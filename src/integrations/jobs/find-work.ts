import {
  type Class,
  ConfigError,
  type PluginContext,
  type Problem,
  type RouteOption,
} from '../../index.js'
import { CRON, JOB, Worker } from './decorators.js'
import { defineJob, type JobDefinition, type JobRun, present } from './define-job.js'

/** A job, and the method that runs it. */
export interface Work {
  readonly job: JobDefinition
  readonly run: (run: JobRun) => unknown
  /** The schedule that sends the job; `null` if the program sends it. */
  readonly schedule: { readonly expression: string; readonly zone: string } | null
  /** Class and method, for messages. */
  readonly place: string
}

/**
 * Finds the methods with `@Job` and `@Cron`, by the names of their jobs.
 *
 * @throws ConfigError with all problems: classes without `@Worker`, names that are used twice.
 */
export function findWork(
  { find }: Pick<PluginContext, 'find'>,
  workers: readonly Class[],
): ReadonlyMap<string, Work> {
  const problems: Problem[] = []
  const marked = new Set(find(Worker).map(({ instance }) => instance.constructor))
  for (const worker of workers) if (!marked.has(worker)) problems.push(unmarked(worker))
  const works = new Map<string, Work>()
  for (const work of [...jobsOf(find, problems), ...schedulesOf(find, problems)]) {
    const { name } = work.job
    const other = works.get(name)
    if (other === undefined) works.set(name, work)
    else problems.push(twice(name, other, work))
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return works
}

type Find = PluginContext['find']

function* jobsOf(find: Find, problems: Problem[]): Generator<Work> {
  for (const { value, call, place } of placesOf(find, JOB, problems)) {
    yield { job: value.of(), run: call, schedule: null, place }
  }
}

function* schedulesOf(find: Find, problems: Problem[]): Generator<Work> {
  for (const { value, call, place } of placesOf(find, CRON, problems)) {
    const { name, zone = 'UTC', timeout, retries, expression } = value
    const job = defineJob(name, { ...present({ timeout, retries }), tenant: false })
    yield { job, run: call, schedule: { expression, zone }, place }
  }
}

function placesOf<T>(find: Find, option: RouteOption<T, T, 'method'>, problems: Problem[]) {
  const workers = new Set(find(Worker).map(({ instance }) => instance))
  return find(option).map(({ instance, method, value, call }) => {
    const place = `${instance.constructor.name}.${String(method)}`
    if (!workers.has(instance)) problems.push(unmarked(instance.constructor as Class, place))
    return { value, place, call: call as (run: JobRun) => unknown }
  })
}

function unmarked({ name }: Class, place = name): Problem {
  return {
    code: 'E_JOB_WORKER',
    subject: place,
    cause: `The class ${name} has no @Worker().`,
    remedy: `Write @Worker() on it, and list it: jobs({ workers: [${name}] }).`,
  }
}

function twice(name: string, one: Work, other: Work): Problem {
  const isDefinedTwice = one.job !== other.job
  return {
    code: 'E_JOB_DUPLICATE',
    subject: `job '${name}'`,
    cause: `${one.place} and ${other.place} ${isDefinedTwice ? 'are two jobs of this name' : 'both run it'}.`,
    remedy: isDefinedTwice ? 'Give one of them another name.' : 'Keep one of the methods.',
  }
}
