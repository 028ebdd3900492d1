import type { Metric } from '../../contracts/reports.js'
import { ConfigError, invalid } from '../../errors/config-error.js'

const NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/

/**
 * An application's own metrics. They are read at each scrape. The `metrics` option serves them together with the
 * request metrics and the process metrics. Any class can inject `Metrics`, even without that option, but the metrics
 * are then not read.
 *
 * @example
 * class Queue {
 *   readonly #jobs: Job[] = []
 *
 *   constructor(metrics = inject(Metrics)) {
 *     metrics.add({
 *       name: 'jobs_waiting',
 *       help: 'Jobs that no worker has taken yet.',
 *       type: 'gauge',
 *       read: () => this.#jobs.length,
 *     })
 *   }
 * }
 */
export class Metrics {
  readonly #metrics = new Map<string, Metric>()

  /**
   * Adds a metric.
   *
   * @throws ConfigError if the metric has no valid name, help, type or `read`, or if the application already has a
   * metric with that name.
   */
  add(metric: Metric): void {
    const { name } = metric
    const cause =
      causeOf(metric) ?? (this.#metrics.has(name) ? 'It has already been added.' : undefined)
    if (cause !== undefined) {
      const remedy = "Pass { name: 'jobs_waiting', help: 'Jobs …', type: 'gauge', read: () => 1 }."
      throw new ConfigError([invalid(`metric '${String(name)}'`, cause, remedy)])
    }
    this.#metrics.set(name, metric)
  }

  /** Lists the metrics, in the order in which they were added. */
  list(): readonly Metric[] {
    return [...this.#metrics.values()]
  }
}

function causeOf({ name, help, type, read }: Partial<Metric>): string | undefined {
  if (typeof name !== 'string' || !NAME.test(name)) {
    return 'Its name must consist of letters, digits and underscores, and must not begin with a digit.'
  }
  if (typeof help !== 'string' || help.trim() === '') return 'It has no `help`.'
  if (type !== 'counter' && type !== 'gauge') return "Its `type` is not 'counter' or 'gauge'."
  if (type === 'counter' && !name.endsWith('_total')) {
    return 'It is a counter, but its name does not end with `_total`.'
  }
  return typeof read === 'function' ? undefined : 'Its `read` is not a function.'
}
