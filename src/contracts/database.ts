import type { Request } from './handler.js'

/** A statement that a database is about to run. */
export interface NewStatement {
  /** The OpenTelemetry name of the database (`db.system.name`): `postgresql`, `mysql`, `sqlite`. */
  readonly system: string
  /** The statement text, with placeholders for the values. */
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
  /** When the program ran the statement, in milliseconds of `Clock.monotonic()`. */
  readonly startedAt: number
  /**
   * Milliseconds until the result or error was known, including the time to wait for a connection and to begin a
   * transaction.
   */
  readonly durationMs: number
  /** The error, if the statement failed; otherwise `undefined`. */
  readonly error: unknown
  /**
   * The stack trace of the code that ran the statement. `undefined` unless an observer sets `needsStacks`, because a
   * stack trace takes microseconds for each statement.
   */
  readonly stack: string | undefined
  /** The current tenant; `undefined` if there is none. */
  readonly tenant: string | undefined
  /** The request whose route ran the code; `undefined` outside routes, such as in a timer. */
  readonly req: Request | undefined
}

/**
 * The result of a statement, which a test supplies in place of a database.
 *
 * @see docs/testing-statements.md#answered-statements
 */
export interface AnsweredStatement {
  /** The text of the statement. Whitespace and literals in the text do not need to match. */
  readonly text: string
  /**
   * The values of the placeholders. If several results have the same text, the result with equal values is used. If
   * omitted, any values match.
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
  /** The SQLSTATE of a statement that PostgreSQL rejected, or a code of the framework: `DATABASE_TIMEOUT`. */
  readonly code?: string
  /** The status of an `HttpError`. Default: the error was not an `HttpError`. */
  readonly status?: number
  /** The constraint that the statement violated, if PostgreSQL reports it. */
  readonly constraint?: string
  /** The schema that the error refers to, if PostgreSQL reports it. */
  readonly schema?: string
  /** The table that the error refers to, if PostgreSQL reports it. */
  readonly table?: string
  /** The column that the error refers to, if PostgreSQL reports it. */
  readonly column?: string
  /** PostgreSQL's detail about the values, such as an existing key. */
  readonly detail?: string
  /** PostgreSQL's hint for a remedy. */
  readonly hint?: string
}

/** Returns the result of a statement in place of a database. Throws if it has no result for the statement. */
export type AnswerStatement = (statement: NewStatement) => AnsweredStatement

/** A database row, by column name. */
export type LinkRow = Readonly<Record<string, unknown>>

/**
 * The database of an application, for plugins that store their own tables in it. Statements run as the login role and
 * not as a tenant's role, so tenants need no privileges on these tables.
 */
export interface DatabaseLink {
  /** The maximum number of connections that the application opens to the database. */
  readonly connections: number
  /** Whether the database runs in this process. */
  readonly isEmbedded: boolean
  /** Whether there is a database. Without a database, a test supplies the results of statements. */
  readonly isReal: boolean
  /**
   * Runs a statement, or a script of several statements without values, on a separate connection outside of every open
   * transaction.
   *
   * @returns the rows of all statements.
   */
  run(text: string, values?: readonly unknown[]): Promise<LinkRow[]>
  /**
   * Runs a function whose statements join the transaction of the request, or the open `db.transaction`. If there is no
   * transaction, the statements share a new one. If the database rejects a statement, only the statements of the
   * function are rolled back.
   */
  join<T>(fn: (query: LinkQuery) => Promise<T>): Promise<T>
  /** Runs a function in one transaction, as `db.transaction` does. */
  transaction<T>(fn: () => Promise<T>): Promise<T>
  /** Runs a function after the commit of the current transaction, or immediately if there is no transaction. */
  afterCommit(fn: () => unknown): Promise<void>
}

/** Runs a statement, and returns its rows. */
export type LinkQuery = (text: string, values?: readonly unknown[]) => Promise<LinkRow[]>
