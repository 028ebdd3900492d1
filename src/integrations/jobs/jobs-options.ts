import {
  type Class,
  ConfigError,
  type OptionNames,
  type Problem,
  unknownOptions,
} from '../../index.js'
import { invalid } from './define-job.js'

/** Options of {@link jobs}. */
export interface JobsOptions {
  /** The classes with `@Worker`. All processes of an application list the same classes. */
  readonly workers: readonly Class[]
  /**
   * Whether this process runs jobs and fires schedules, beside its requests. `blazon start --jobs` sets it for processes
   * that do nothing else. Default `false`: the process only sends jobs.
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
}

/** The options with their defaults. */
export interface JobsSettings {
  readonly work: boolean
  /** `null` for half of the connections. */
  readonly concurrency: number | null
  readonly schema: string
  readonly migrate: boolean
}

const NAMES: OptionNames<JobsOptions> = {
  workers: true,
  work: true,
  concurrency: true,
  schema: true,
  migrate: true,
}

/** The variable that `blazon start --jobs` sets: `only` for a process that runs jobs. */
const VARIABLE = 'BLAZON_JOBS'

/**
 * Fills in the defaults.
 *
 * @throws ConfigError with all problems.
 */
export function resolveOptions(options: JobsOptions): JobsSettings {
  const problems = problemsOf(options)
  if (problems.length > 0) throw new ConfigError(problems)
  const { work = false, concurrency = null, schema = 'blazon_jobs', migrate = true } = options
  return { work: work || process.env[VARIABLE] === 'only', concurrency, schema, migrate }
}

function problemsOf(options: JobsOptions): Problem[] {
  const { workers, concurrency, schema } = options ?? {}
  const remedy = 'Give jobs({ workers: [Receipts] }), with classes that have @Worker().'
  if (!Array.isArray(workers) || workers.some((each) => typeof each !== 'function')) {
    return [invalid('jobs(): workers', 'It is not a list of classes.', remedy)]
  }
  const isCount = concurrency === undefined || (Number.isInteger(concurrency) && concurrency >= 1)
  const isName = schema === undefined || /^[a-z_][a-z0-9_]{0,49}$/.test(schema)
  return [
    ...unknownOptions('jobs(): ', options, NAMES),
    ...(isCount
      ? []
      : [invalid('jobs(): concurrency', `It is ${concurrency}.`, 'Give a whole number from 1.')]),
    ...(isName
      ? []
      : [
          invalid(
            'jobs(): schema',
            'It is not a name.',
            'Give at most 50 lower-case letters, digits and `_`.',
          ),
        ]),
  ]
}
