import type { PostgresOptions } from 'blazon/postgres'
import type { TestApp, TestOptions } from 'blazon/testing'
import { afterAll, beforeAll, describe } from 'vitest'
import { describeHostileTenants } from './tenant-hostile.js'
import { describeInterleaving } from './tenant-interleaving.js'
import { describeMoments } from './tenant-moments.js'
import { describeResponses } from './tenant-responses.js'
import { describeSessions } from './tenant-sessions.js'
import { describeStandstill } from './tenant-standstill.js'
import { describeTraces } from './tenant-traces.js'
import { describeTransactions } from './tenant-transactions.js'

/** What a connection is left as. */
export interface Leftover {
  /** `null` or empty for nobody's. */
  readonly tenant: string | null
  readonly role: string
  /** Who has logged in. */
  readonly login: string
  /** What else was set and not taken back; `null` for nothing. */
  readonly settings: string | null
  readonly isInTransaction: boolean
}

/** Keeps every commit waiting of a row whose note begins with `held`. */
export interface HeldCommits {
  /** Resolves once one waits. */
  readonly reached: () => Promise<void>
  readonly release: () => Promise<void>
}

/** A database with the tables of `SCHEMA`, and the applications on it. */
export interface TenantDatabase extends AsyncDisposable {
  /** Whether it runs in this process: one connection, and no statement of it can be interrupted. */
  readonly isEmbedded: boolean
  /** Whether something stands between that gives its connections to one transaction after the other. */
  readonly isPooled: boolean
  /** Starts an application on it, which whoever asks closes. Its tables are empty. */
  start(options?: TestOptions, how?: PostgresOptions): Promise<TestApp>
  /** Runs a statement where whatever somebody else has committed is seen, of all tenants. */
  look<T = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<T[]>
  /** Runs statements as the superuser. On an embedded one, nothing else may be under way. */
  asOwner(text: string): Promise<void>
  /** Keeps commits waiting from now on; `null` on an embedded one, where whoever would let them go had to wait, too. */
  readonly holdCommits: (() => Promise<HeldCommits>) | null
  /** What transactions have left on each connection that applications are given. */
  leftovers(): Promise<Leftover[]>
}

/** Where `THOROUGH` is not set. The rarest kind of transaction, two of a thousand, still comes about four times. */
const BRIEF = 2_000

/** How a database is come by. */
export interface TenantDatabaseKind {
  readonly open: () => Promise<TenantDatabase>
  /** How many transactions the tenants have, all in all, where `THOROUGH` is set; a run without it makes {@link BRIEF}. */
  readonly transactions: number
}

/** What every database does, however it is reached. */
export function describeTenantDatabase(
  name: string,
  { open, transactions }: TenantDatabaseKind,
): void {
  describe(name, () => {
    let database: TenantDatabase
    beforeAll(async () => {
      database = await open()
    })
    afterAll(() => database?.[Symbol.asyncDispose]())

    describeSessions(() => database)
    describeTransactions(() => database)
    describeResponses(() => database)
    describeMoments(() => database)
    describeStandstill(() => database)
    describeTraces(() => database)
    describeHostileTenants(() => database)
    describeInterleaving(() => database, process.env['THOROUGH'] ? transactions : BRIEF)
  })
}
