import type { Clock as ClockPort } from '../contracts/clock.js'
import type { DatabaseLink as DatabaseLinkPort } from '../contracts/database.js'
import type { Token, TokenLike } from '../contracts/provider.js'
import type { TestJobs as TestJobsPort } from '../contracts/test-jobs.js'
import { type OptionNames, refuseUnknown } from '../errors/option-group.js'

/** Options of an `InjectionToken`. */
export interface TokenOptions<T> {
  /**
   * Creates the instance if no provider has the token, once for each application. The function can call `inject`;
   * promises are not awaited. If omitted, injecting the token without a provider causes an error at boot.
   */
  readonly useFactory?: () => T
}

const NAMES: OptionNames<TokenOptions<unknown>> = { useFactory: true }

/**
 * A token for a dependency that is not a class, such as a configuration, a function or an interface.
 *
 * @example
 * const Now = new InjectionToken<() => Date>('Now', { useFactory: () => () => new Date() })
 * const options = { modules: [{ providers: [{ token: Now, useValue: () => new Date(0) }] }] }
 */
export class InjectionToken<T> implements TokenLike<T> {
  declare readonly _type?: T
  /**
   * Creates the default instance, once for each application, if no provider has the token. `undefined` means that the
   * token has no default, so a missing provider causes an error at boot.
   */
  readonly useFactory: (() => T) | undefined

  /**
   * Creates a token.
   *
   * @param description A description for error messages; several tokens can have the same description.
   * @param options `useFactory`, which creates the instance if no provider has the token. If omitted, a provider is
   * required.
   */
  constructor(
    readonly description: string,
    options: TokenOptions<T> = {},
  ) {
    refuseUnknown(`InjectionToken '${description}'`, options, NAMES)
    this.useFactory = options.useFactory
  }

  toString(): string {
    return this.description
  }
}

/** Returns the name of a token for error messages. */
export function tokenName(token: Token): string {
  if (typeof token === 'function') return token.name || 'an anonymous class'
  if (typeof token === 'symbol') return token.toString()
  return typeof token === 'string' ? `'${token}'` : String(token?.description ?? token)
}

/** A clock that returns the time and schedules calls; see the members. */
export type Clock = ClockPort

/**
 * The token of the application's clock: real time, or in a `TestApp` the time that `app.clock` controls. Everything in
 * the framework that waits or expires uses this clock. Use it in your code as well, so that tests can change the time.
 *
 * @example
 * class Sessions {
 *   private readonly clock = inject(Clock)
 *   expiresAt = () => new Date(this.clock.now() + 15 * 60_000)
 * }
 */
export const Clock: InjectionToken<Clock> = new InjectionToken<Clock>('Clock')

/** The database of an application, for the tables of a plugin; see the members. */
export type DatabaseLink = DatabaseLinkPort

/**
 * The token of the database in which plugins store their own tables. `postgres()` provides it.
 *
 * @example
 * const outbox: Plugin = {
 *   name: 'outbox',
 *   setup: ({ get }) => get(DatabaseLink).run('create table if not exists outbox (id uuid primary key)'),
 * }
 */
export const DatabaseLink: InjectionToken<DatabaseLink> = new InjectionToken<DatabaseLink>(
  'DatabaseLink (add postgres() from blazon/postgres to `plugins`)',
)

/** The jobs of an application under test; see the members. */
export type TestJobs = TestJobsPort

/** The token with which `app.jobs` of a `TestApp` finds the jobs of an application. A plugin with jobs provides it. */
export const TestJobs: InjectionToken<TestJobs> = new InjectionToken<TestJobs>(
  'app.jobs (add jobs() from blazon/jobs to `plugins`)',
)

/** The token that indicates whether the application runs in a `TestApp`, which provides `true`. Default: `false`. */
export const UnderTest: InjectionToken<boolean> = new InjectionToken<boolean>('UnderTest', {
  useFactory: () => false,
})
