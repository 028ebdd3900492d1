import type { Class } from '../../index.js'
import { type Check, type JobDefinition, number, refuse } from './job.js'

/** Options of {@link jobs}. */
export interface JobsOptions {
  /** The classes with `@Worker`. All processes of an application must list the same classes. */
  readonly workers: readonly Class[]
  /**
   * Whether this process runs jobs and triggers schedules in addition to serving requests. With `false`, only processes
   * of `blazon start --jobs` run them, and this process only sends jobs. Default: `false`.
   */
  readonly work?: boolean
  /**
   * The maximum number of concurrent jobs in this process. Each holds a database connection. Default: half of the
   * connections of `postgres()`, and at least 1.
   */
  readonly concurrency?: number
  /** The database schema of the pg-boss tables. Default: `'blazon_jobs'`. */
  readonly schema?: string
  /**
   * Whether the application creates and updates the pg-boss tables at startup, with its own database login. With
   * `false`, a deployment step must do so, and startup fails if the tables are missing. Default: `true`.
   */
  readonly migrate?: boolean
  /** Jobs whose inputs appear in the document under `x-jobs` and in `blazon routes`. If omitted, no jobs are listed. */
  readonly documented?: readonly JobDefinition[]
}

/** The options with their defaults. */
export type JobsSettings = JobsOptions & Required<Omit<JobsOptions, 'concurrency'>>

/** The environment variable that `blazon start --jobs` sets. */
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
    schema: [
      isSchema,
      'Use at most 50 lower-case letters, digits and `_`. Do not begin with a digit.',
    ],
    migrate: [typeof migrate === 'boolean', 'Pass true or false.'],
    documented: [Array.isArray(documented), 'Pass a list of jobs from defineJob().'],
  }
  refuse('jobs()', options, checks)
  return { ...options, work: work || process.env[VARIABLE] === 'work', schema, migrate, documented }
}
