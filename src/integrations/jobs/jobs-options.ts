import type { Class } from '../../index.js'
import { type Check, type JobDefinition, number, refuse } from './job.js'

/** Options of {@link jobs}. */
export interface JobsOptions {
  /** The classes with `@Worker`. All processes of an application list the same classes. */
  readonly workers: readonly Class[]
  /**
   * Whether this process runs jobs and fires schedules, beside its requests. Default: only under `blazon start --jobs`; other
   * processes only send jobs.
   */
  readonly work?: boolean
  /**
   * How many jobs run at once in this process. Each holds a connection to the database. Default: half of the connections
   * of `postgres()`, and at least 1.
   */
  readonly concurrency?: number
  /** The schema of the tables of pg-boss. Default `'blazon_jobs'`. */
  readonly schema?: string
  /**
   * Whether the start of the application creates and updates these tables, with the login of the application. `false`: a
   * step of the deployment does it, and a start without them fails. Default `true`.
   */
  readonly migrate?: boolean
  /** Jobs whose inputs `x-jobs` of the document describes and `blazon routes` lists. Default: none. */
  readonly documented?: readonly JobDefinition[]
}

/** The options with their defaults. */
export type JobsSettings = JobsOptions & Required<Omit<JobsOptions, 'concurrency'>>

/** The variable that `blazon start --jobs` sets. */
const VARIABLE = 'BLAZON_JOBS'

/** @throws ConfigError with all problems. */
export function resolveOptions(options: JobsOptions): JobsSettings {
  const { workers, work = false, concurrency = 1, migrate = true } = options
  const { schema = 'blazon_jobs', documented = [] } = options
  const areClasses = Array.isArray(workers) && workers.every((each) => typeof each === 'function')
  const isSchema = /^[a-z_][a-z0-9_]{0,49}$/.test(schema)
  const checks: Record<keyof JobsOptions, Check> = {
    workers: [areClasses, 'Pass a list of classes with @Worker().'],
    work: [typeof work === 'boolean', 'Pass true or false.'],
    concurrency: number(concurrency, 1, 1000),
    schema: [isSchema, 'Use at most 50 lower-case letters, digits and `_`.'],
    migrate: [typeof migrate === 'boolean', 'Pass true or false.'],
    documented: [Array.isArray(documented), 'Pass a list of jobs from defineJob().'],
  }
  refuse('jobs()', options, checks)
  return { ...options, work: work || process.env[VARIABLE] === 'work', schema, migrate, documented }
}
