/** One value of a metric. */
export interface MetricSample {
  /** The value; `NaN` and infinite values are allowed. */
  readonly value: number
  /** The labels of the value, by name. Each set of labels is a series of its own. Default: none. */
  readonly labels?: Readonly<Record<string, string>>
}

/**
 * A metric of an application or of a plugin, which is read at each scrape: nothing is counted twice, and a metric
 * without scrapes costs nothing.
 *
 * @example
 * const waiting: Metric = {
 *   name: 'jobs_waiting',
 *   help: 'Jobs that no worker has taken yet.',
 *   type: 'gauge',
 *   read: () => queue.length,
 * }
 */
export interface Metric {
  /**
   * Letters, digits and underscores, with the unit at the end: `mail_sent_total`, `cache_size_bytes`. The name of a
   * counter ends with `_total`.
   */
  readonly name: string
  /** The meaning of the metric, in one sentence. */
  readonly help: string
  /** A `'counter'` only grows, until the process ends. A `'gauge'` goes up and down. */
  readonly type: 'counter' | 'gauge'
  /**
   * Returns the value, or a value for each set of labels. Called at each scrape. If it throws, the metric is left out, and
   * the error is logged.
   */
  read(): number | readonly MetricSample[]
}
