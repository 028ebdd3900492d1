import { type Class, ConfigError } from '../../index.js'
import type { PluginContext, Problem } from '../../plugin/index.js'
import { JOB, type JobSchedule, Worker } from './decorators.js'
import type { JobDefinition, JobRun } from './define-job.js'

/** A job, and the method that runs it. */
export interface Work {
  readonly job: JobDefinition
  readonly run: (run: JobRun) => unknown
  /** `null` if the program sends the job. */
  readonly schedule: JobSchedule | null
  /** Class and method, for messages. */
  readonly place: string
}

/** The methods with `@Job` and `@Cron`, by the names of their jobs. */
export type Works = ReadonlyMap<string, Work>

/** @throws ConfigError with all problems: classes without `@Worker`, names that are used twice. */
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
  const remedy = `Write @Worker() on it, and list it: jobs({ workers: [${name}] }).`
  return { code: 'E_JOB_WORKER', subject, cause, remedy }
}

function twice(one: Work, other: Work): Problem {
  const [subject, places] = [`job '${one.job.name}'`, `${one.place} and ${other.place}`]
  const [cause, remedy] =
    one.job === other.job
      ? [`${places} both run it.`, 'Keep one of the methods.']
      : [`${places} are two jobs of this name.`, 'Give one of them another name.']
  return { code: 'E_JOB_DUPLICATE', subject, cause, remedy }
}
