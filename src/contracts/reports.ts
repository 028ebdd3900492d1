import type { MaybePromise } from './cache.js'
import type { Token } from './provider.js'

/** The part of an application that a health check receives. */
export interface HealthContext {
  /** Returns the instance of a token. Throws a `ConfigError` if no provider has the token. */
  get<T>(token: Token<T>): T
}

/**
 * Checks whether a dependency of the application can be used. It throws or rejects if not. The report for operators
 * contains the returned value as `details`.
 */
export type HealthQuestion = (app: HealthContext) => unknown

/**
 * A health check of an application: a function, or an object with the function and the effect of its failure. A check
 * that takes longer than one second fails.
 *
 * @example
 * const cache: HealthCheck = { check: ({ get }) => get(Redis).ping(), required: false }
 */
export type HealthCheck =
  | HealthQuestion
  | {
      /** The function that checks. */
      readonly check: HealthQuestion
      /**
       * Whether the application requires the dependency. `false`: if the check fails, the application is `degraded` and
       * stays ready. Default `true`.
       */
      readonly required?: boolean
    }

/** The result of one check. */
export type CheckedHealth =
  | {
      /** The dependency can be used. */
      readonly status: 'up'
      /** The value that the check returned. */
      readonly details?: unknown
    }
  | {
      /** The dependency cannot be used. `'degraded'`: the application works without it (`required: false`). */
      readonly status: 'down' | 'degraded'
      /** The message of the error that the check threw, or a message that states that the check did not respond. */
      readonly reason: string
    }

/** The health of everything that an application depends on. */
export interface HealthReport {
  /**
   * `'down'` if a required check has failed, `'degraded'` if only other checks have failed, `'closing'` while the
   * application is closing, during which no checks run.
   */
  readonly status: 'up' | 'degraded' | 'down' | 'closing'
  /** The health of plugins, by name. A plugin without `health` is left out. */
  readonly plugins: Readonly<Record<string, CheckedHealth>>
  /** The results of `health.checks`, by name. */
  readonly checks: Readonly<Record<string, CheckedHealth>>
}

/** One value of a metric. */
export interface MetricSample {
  /** The value; `NaN` and infinite values are allowed. */
  readonly value: number
  /** The labels of the value, by name. Each combination of labels is a separate series. Default: none. */
  readonly labels?: Readonly<Record<string, string>>
}

/**
 * A metric of an application or a plugin. Its value is read only when metrics are scraped, so a metric costs nothing
 * between scrapes.
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
  /** A `'counter'` only increases until the process ends. A `'gauge'` can increase and decrease. */
  readonly type: 'counter' | 'gauge'
  /**
   * Returns the value, or a value for each set of labels. The framework calls this function at each scrape. If it
   * throws, the metric is left out, and the error is logged.
   */
  read(): number | readonly MetricSample[]
}

/** An item of work outside of requests, such as a job. */
export interface WorkItem {
  /**
   * The ID, unique in its list. It equals the `id` of the {@link Work} that runs the item, so that the item's
   * statements can be found.
   */
  readonly id: string
  /** The kind of work, such as the name of a job. */
  readonly name: string
  /** The state, in one word: `'waiting'`. */
  readonly state: string
  /** Whether the item needs attention. */
  readonly isFailed: boolean
  /** The tenant of the item; `null` if it has none. */
  readonly tenant: string | null
  /** The creation time, in milliseconds since 1970. */
  readonly at: number
  /** Further facts by name. A fact with an empty value is left out. Must not contain secrets. */
  readonly facts: Readonly<Record<string, string>>
  /** The names of the actions that are possible now. */
  readonly actions: readonly string[]
}

/** Work outside of requests that a plugin lists for the dashboard of `blazon dev`. */
export interface PluginWork {
  /** The heading of the list: `'Jobs'`. */
  readonly title: string
  /**
   * Returns the newest items, newest first.
   *
   * @param limit The maximum number of items.
   */
  readonly list: (limit: number) => MaybePromise<readonly WorkItem[]>
  /**
   * The actions that a person can call on an item, by name: `{ retry: (id) => … }`. A function returns the result as a
   * sentence. Default: none.
   */
  readonly actions?: Readonly<Record<string, (id: string) => MaybePromise<string>>>
}
