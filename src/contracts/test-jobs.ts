/** A job that was sent and whose transaction was committed. */
export interface SentJob {
  /** The ID, the same for all runs of the job. */
  readonly id: string
  /** The name of the job. */
  readonly name: string
  /** The input, as sent. */
  readonly input: unknown
  /** The tenant of the job; `null` if it has none. */
  readonly tenant: string | null
}

/** One run of a job in a test. */
export interface JobRunReport {
  /** The ID of the job. */
  readonly id: string
  /** The name of the job. */
  readonly name: string
  /** The tenant of the job; `null` if it has none. */
  readonly tenant: string | null
  /** The number of the run, starting at 1. */
  readonly attempt: number
  /**
   * `'done'` after a success; `'retry'` after a failure, if the job will run again; `'dead'` after the last failure, or
   * if the input is invalid; `'waiting'` if the job's tenant is suspended.
   */
  readonly outcome: 'done' | 'retry' | 'dead' | 'waiting'
  /** The error of a run that failed. */
  readonly error?: unknown
}

/** Options of `app.jobs.drain`. */
export interface DrainOptions {
  /**
   * `'keep'` returns failures in the reports. Default `'throw'`: after all jobs have run, the call rejects with the
   * first failure.
   */
  readonly failures?: 'throw' | 'keep'
}

/** The jobs of an application under test. No job runs automatically. */
export interface TestJobs {
  /** The jobs that the program can send, by name. `tenant` specifies whether the job runs as a tenant. */
  readonly known: ReadonlyMap<string, { readonly tenant: boolean }>
  /** The jobs that were sent since the start, in order. */
  readonly sent: readonly SentJob[]
  /**
   * Runs every job that is due by the test clock, sequentially and in order, including jobs that these jobs send.
   * Schedules that are due run first.
   *
   * @returns a report for each run, in order.
   * @throws the error of the first run that failed, unless `failures` is `'keep'`; Error after 10,000 runs.
   */
  drain(options?: DrainOptions): Promise<readonly JobRunReport[]>
}
