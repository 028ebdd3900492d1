import type { Request } from './handler.js'

/** A statement that a database is about to run. */
export interface NewStatement {
  /** The database, with its OpenTelemetry name (`db.system.name`): `postgresql`, `mysql`, `sqlite`. */
  readonly system: string
  /** The text, with placeholders in the places of its values. */
  readonly text: string
  /** The values of the placeholders. Observers must not write them to logs or traces. Default: none. */
  readonly values?: readonly unknown[]
}

/** The result of a statement. */
export interface StatementResult {
  /** The number of returned or changed rows; `null` if the database does not report it. */
  readonly rowCount: number | null
  /** The returned rows; `null` if unknown. */
  readonly rows: readonly unknown[] | null
}

/** A statement that a database has run, with its result or its error. */
export interface RanStatement extends Required<NewStatement>, StatementResult {
  /** When the program called the statement, in milliseconds of `Clock.monotonic()`. */
  readonly startedAt: number
  /**
   * Milliseconds until its result or error was known: with the time to wait for a connection, and to begin a
   * transaction.
   */
  readonly durationMs: number
  /** The error of a statement that has failed; else `undefined`. */
  readonly error: unknown
  /**
   * The stack of the code that ran it. `undefined` unless an observer has `needsStacks`, because a stack takes
   * microseconds for each statement.
   */
  readonly stack: string | undefined
  /** The tenant of the code; `undefined` if it has none. */
  readonly tenant: string | undefined
  /** The request in whose route the code ran; `undefined` outside of routes, as in a timer. */
  readonly req: Request | undefined
}

/**
 * A result of a statement, instead of a database.
 *
 * @see docs/testing-statements.md#answered-statements
 */
export interface AnsweredStatement {
  /** The text of the statement. Blanks, and literals in the text, need not be equal. */
  readonly text: string
  /**
   * The values of the placeholders. Of several results for the same text, the one with equal values is used. Default:
   * any.
   */
  readonly values?: readonly unknown[]
  /** The rows. Default: none. */
  readonly rows?: readonly unknown[]
  /** The number of returned or changed rows. Default: the number of `rows`. */
  readonly rowCount?: number | null
  /** The error with which the statement fails. Default: the statement succeeds. */
  readonly error?: StatementFailure
}

/** The error of a statement, as plain data. */
export interface StatementFailure {
  /** The message of the error. */
  readonly message: string
  /** The SQLSTATE of a statement that PostgreSQL refused, or a code of the framework: `DATABASE_TIMEOUT`. */
  readonly code?: string
  /** The status of an `HttpError`. Default: the error was not an `HttpError`. */
  readonly status?: number
  /** The constraint that the statement would have broken, if PostgreSQL names it. */
  readonly constraint?: string
  /** The schema of the error, if PostgreSQL names it. */
  readonly schema?: string
  /** The table of the error, if PostgreSQL names it. */
  readonly table?: string
  /** The column of the error, if PostgreSQL names it. */
  readonly column?: string
  /** PostgreSQL's detail about the values, such as an existing key. */
  readonly detail?: string
  /** PostgreSQL's hint for a remedy. */
  readonly hint?: string
}

/** Returns results of statements instead of a database. Throws if there is no result for a statement. */
export type AnswerStatement = (statement: NewStatement) => AnsweredStatement

/** A row of a database, by the names of its columns. */
export type LinkRow = Readonly<Record<string, unknown>>

/**
 * The database of an application, for plugins that keep tables of their own in it. Statements run as the login, and not as
 * the role of a tenant, so tenants need no rights on these tables.
 */
export interface DatabaseLink {
  /** The number of connections of the application. */
  readonly connections: number
  /** Whether the database runs in this process. */
  readonly isEmbedded: boolean
  /** Whether there is a database. A test may answer statements in its place. */
  readonly isReal: boolean
  /**
   * Runs a statement, or without values a script of several, on a connection of its own and apart from every open
   * transaction.
   *
   * @returns the rows of all statements.
   */
  run(text: string, values?: readonly unknown[]): Promise<LinkRow[]>
  /**
   * Runs a function with statements in the transaction of the request, or in the open `db.transaction`. Without one, the
   * statements of the function share a transaction. A refused statement undoes the function alone.
   */
  join<T>(fn: (query: LinkQuery) => Promise<T>): Promise<T>
  /** Runs a function in one transaction, as `db.transaction` does. */
  transaction<T>(fn: () => Promise<T>): Promise<T>
  /** Runs a function after the commit of the current transaction; immediately if there is none. */
  afterCommit(fn: () => unknown): Promise<void>
}

/** Runs a statement, and returns its rows. */
export type LinkQuery = (text: string, values?: readonly unknown[]) => Promise<LinkRow[]>
