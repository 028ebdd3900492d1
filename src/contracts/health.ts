import type { Token } from './provider.js'

/** The part of an application that a check of its health receives. */
export interface HealthContext {
  /** Returns the instance of a token. Throws a `ConfigError` when nothing provides the token. */
  get<T>(token: Token<T>): T
}

/**
 * Checks whether something that the application depends on can be used. It throws or rejects if not. Operators see the
 * value that it returns as `details`.
 */
export type HealthQuestion = (app: HealthContext) => unknown

/**
 * A check of the health of an application: the function that checks, or an object with the function and the effect of
 * its failure. A check that takes longer than one second has failed.
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
       * Whether the application cannot work without it. `false`: if the check fails, the application is `degraded` and
       * stays ready. Default `true`.
       */
      readonly required?: boolean
    }

/** The result of one check. */
export type CheckedHealth =
  | {
      /** It can be used. */
      readonly status: 'up'
      /** The value that the check returned. */
      readonly details?: unknown
    }
  | {
      /** It cannot be used. `'degraded'`: the application works without it (`required: false`). */
      readonly status: 'down' | 'degraded'
      /** The message of the error that the check threw, or a message that the check has not responded. */
      readonly reason: string
    }

/** The health of everything that an application depends on. */
export interface HealthReport {
  /**
   * `'down'` if a required check has failed, `'degraded'` if only others have, `'closing'` once the application closes:
   * then no check runs.
   */
  readonly status: 'up' | 'degraded' | 'down' | 'closing'
  /** The health of plugins, by name. A plugin without `health` is left out. */
  readonly plugins: Readonly<Record<string, CheckedHealth>>
  /** The results of `health.checks`, by name. */
  readonly checks: Readonly<Record<string, CheckedHealth>>
}
