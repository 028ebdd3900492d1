import type { Request } from './handler.js'

/** A statement that a database is about to run. */
export interface NewStatement {
  /** The database, as OpenTelemetry names it (`db.system.name`): `postgresql`, `mysql`, `sqlite`. */
  readonly system: string
  /** The text, with placeholders in the places of its values. */
  readonly text: string
  /** The values of the placeholders. Observers must not write them to logs or traces. Default: none. */
  readonly values?: readonly unknown[]
}

/** The result of a statement. */
export interface StatementResult {
  /** How many rows the statement has returned or changed; `null` if the database does not report it. */
  readonly rowCount: number | null
  /** The rows that it has returned; `null` if they are not known. */
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
  /** The tenant for which the code ran; `undefined` without one. */
  readonly tenant: string | undefined
  /** The request in whose route the code ran; `undefined` outside of routes, as in a timer. */
  readonly req: Request | undefined
}

/**
 * An answer to a statement, in place of a database.
 *
 * @see docs/testing-statements.md#answered-statements
 */
export interface AnsweredStatement {
  /** The text of the statement. Blanks, and literals in the text, need not be equal. */
  readonly text: string
  /** The values of its placeholders. Of several answers with the same text, the one with equal values is used. Default: any. */
  readonly values?: readonly unknown[]
  /** The rows. Default: none. */
  readonly rows?: readonly unknown[]
  /** How many rows it has returned or changed. Default: the number of `rows`. */
  readonly rowCount?: number | null
  /** The error with which the statement fails. Default: it does not fail. */
  readonly error?: StatementFailure
}

/** The error of a statement, as plain data. */
export interface StatementFailure {
  /** The message of the error. */
  readonly message: string
  /** The SQLSTATE of a statement that PostgreSQL refused, or a code of the framework: `DATABASE_TIMEOUT`. */
  readonly code?: string
  /** The status of an `HttpError`. Default: it was none. */
  readonly status?: number
  /** The constraint that the statement would have broken, if PostgreSQL names it. */
  readonly constraint?: string
  /** The schema in which PostgreSQL has found the error, if it names it. */
  readonly schema?: string
  /** The table in which PostgreSQL has found the error, if it names it. */
  readonly table?: string
  /** The column in which PostgreSQL has found the error, if it names it. */
  readonly column?: string
  /** PostgreSQL's detail about the values, such as which key exists already. */
  readonly detail?: string
  /** PostgreSQL's hint for a remedy. */
  readonly hint?: string
}

/** Answers statements in place of a database. Throws if there is no answer. */
export type AnswerStatement = (statement: NewStatement) => AnsweredStatement

/** A row of a database, by the names of its columns. */
export type LinkRow = Readonly<Record<string, unknown>>

/**
 * The database of an application, for plugins that keep tables of their own in it. Statements run as the login, and not as
 * the role of a tenant, so tenants need no rights on these tables.
 */
export interface DatabaseLink {
  /** How many connections the application has. */
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
