import type { PostgresOptions } from 'blazon/postgres'
import type { TestApp, TestOptions } from 'blazon/testing'
import { afterAll, beforeAll, describe } from 'vitest'
import { rounds } from '../rounds.js'
import { describeHostileTenants } from './tenant-hostile.js'
import { describeInterleaving } from './tenant-interleaving.js'
import { describeMoments } from './tenant-moments.js'
import { describeResponses } from './tenant-responses.js'
import { describeSessions } from './tenant-sessions.js'
import { describeStandstill } from './tenant-standstill.js'
import { describeTraces } from './tenant-traces.js'
import { describeTransactions } from './tenant-transactions.js'

/** The state of a connection after a transaction. */
export interface Leftover {
  /** `null` or empty if no tenant is set. */
  readonly tenant: string | null
  readonly role: string
  /** The role that has logged in. */
  readonly login: string
  /** Other settings of the session; `null` if there are none. */
  readonly settings: string | null
  readonly isInTransaction: boolean
}

/** Delays every commit of a row whose note begins with `held`. */
export interface HeldCommits {
  /** Resolves when a commit waits. */
  readonly reached: () => Promise<void>
  readonly release: () => Promise<void>
}

/** A database with the tables of `SCHEMA`. It starts applications that use it. */
export interface TenantDatabase extends AsyncDisposable {
  /** Whether the database runs in this process. Then it has one connection, and no statement can be interrupted. */
  readonly isEmbedded: boolean
  /** Whether a pooler gives each transaction another connection of the server. */
  readonly isPooled: boolean
  /** Starts an application on the database, with empty tables. The test closes the application. */
  start(options?: TestOptions, how?: PostgresOptions): Promise<TestApp>
  /** Runs a statement that sees the committed rows of all tenants. */
  look<T = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<T[]>
  /** Runs statements as the superuser. On an embedded database, no other statement may run at the same time. */
  asOwner(text: string): Promise<void>
  /** Delays commits from now on. `null` on an embedded database: its one connection would wait for its own release. */
  readonly holdCommits: (() => Promise<HeldCommits>) | null
  /** The state of each connection that applications use. */
  leftovers(): Promise<Leftover[]>
}

/** The least number of transactions. The rarest kind, two of a thousand, still comes about four times. */
const BRIEF = 2_000

/** How to open a database, and how many transactions to run on it. */
export interface TenantDatabaseKind {
  readonly open: () => Promise<TenantDatabase>
  /** How many transactions all tenants together run with `THOROUGH=1`. With less, they run at least {@link BRIEF}. */
  readonly transactions: number
}

/** The conformance suite of a database with tenants: a server, a server behind a pooler, or PGlite. */
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
    describeInterleaving(() => database, rounds(transactions, BRIEF))
  })
}
