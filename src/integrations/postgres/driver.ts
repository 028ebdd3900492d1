import type { Logger } from '../../index.js'

/** A statement and its values. They are sent separately and never joined into one text. */
export interface Statement {
  /** The SQL, with `$1`, `$2`, … in the places of values. */
  readonly text: string
  /** The values of `$1`, `$2`, … in order. Default: none. */
  readonly values?: readonly unknown[]
  /**
   * `'array'` returns each row as a list of values in the order of the columns. Default: an object
   * with the column names as keys.
   */
  readonly rowMode?: 'array'
  /**
   * Which values to return as the text that PostgreSQL sends, for libraries that parse it
   * themselves: all values, or only times (`timestamp`, `timestamptz`, and arrays of these types).
   * Default: none.
   */
  readonly texts?: 'all' | 'times'
}

/** A statement of the package itself. It does not change the session if it has no reader. */
export interface SessionStatement extends Statement {
  /**
   * Whether the rows may be discarded. A driver may then return none, and not request their columns. Default: `false`.
   */
  readonly hasNoReader?: boolean
}

/** A column of a result. */
export interface Field {
  /** The name of the column. */
  readonly name: string
  /** The number of its type (`oid` of `pg_type`). */
  readonly dataTypeID: number
}

/** The result of a statement. */
export interface QueryResult<TRow = Record<string, unknown>> {
  /** The rows that the statement returned, in order. */
  readonly rows: TRow[]
  /** The number of returned or changed rows. */
  readonly rowCount: number
  /** The executed command, with PostgreSQL's name: `SELECT`, `INSERT`, `COMMIT`, … */
  readonly command: string
  /** The columns, in their order. */
  readonly fields: readonly Field[]
}

/**
 * A connection that is lent to one user at a time. Responses come in the order in which the
 * statements were sent. If the driver supports it, a statement is sent without waiting for the
 * response to the one before it.
 */
export interface Connection {
  /**
   * Runs a statement.
   *
   * @throws PostgresError when the server refuses the statement, or its values cannot be sent;
   * HttpError 503 when the server sends no response: the connection can then only be destroyed. The
   * `statement_timeout` of the server is also a 503, but the connection stays usable.
   */
  query(statement: Statement): Promise<QueryResult>
  /**
   * Sends statements as one flight. When the server refuses a statement, it does not run the later ones. So a statement
   * never runs before the transaction that begins in its flight has begun.
   *
   * @returns a promise for each result, in order. They reject as {@link Connection.query} does. A
   * statement that was not run rejects with a `PostgresError` of the code 25P02.
   */
  sendTogether(statements: readonly SessionStatement[]): Promise<QueryResult>[]
  /**
   * Runs several statements, separated by semicolons and without values, for migrations. There is
   * no time limit.
   */
  script(text: string): Promise<void>
  /** Whether the connection is known to be closed: statements on it do not reach the server. */
  readonly isLost: boolean
  /**
   * Returns the connection to the pool. It is destroyed instead if a transaction is open or a
   * response is missing. If the session may hold something of its last user (see `classifyStatement`),
   * it is cleaned first.
   */
  release(): void
  /**
   * Closes the connection and requests that the server cancels the running statement. An open transaction is rolled
   * back. Never throws.
   */
  destroy(): void
}

/** The values with which a driver is opened. */
export interface DriverContext {
  /** Logs a failure that no caller sees: a connection that ended while it was not in use. */
  readonly logger: Logger
  /** Called when the server rejects a write because it is read-only. The driver then closes its connections. */
  readonly onReadOnly?: () => void
  /**
   * The name of the state that the database will have when the application has started. A new database in memory begins
   * in it, if this process has remembered an earlier one. Default: it begins empty.
   */
  readonly state?: string | undefined
}

/** The usage of a pool. */
export interface PoolUsage {
  /** Connections that are lent. */
  readonly lent: number
  /** Callers that wait for a connection. */
  readonly waiting: number
}

/** The interface of database drivers. The `pg` and PGlite drivers implement it. */
export interface Driver {
  /** The maximum number of lent connections. */
  readonly size: number
  /**
   * Whether the database runs in this process. This process is then its only user, and a superuser.
   */
  readonly isEmbedded: boolean
  /**
   * Called with each statement of the program before it runs, by a driver without a database. All other statements
   * belong to the package itself. Default: the driver has a database.
   */
  readonly expect?: (statement: Statement) => void
  /** Returns the number of lent connections, and of callers that wait for one. */
  usage(): PoolUsage
  /**
   * Prepares the driver. The first connection to a server is made by `connect`, not here. May be
   * called again after `close`.
   *
   * @throws ConfigError when a package is missing, or a folder cannot be used.
   */
  open(context: DriverContext): Promise<void>
  /**
   * Remembers the state of a database in memory, so that the next one begins in it. Default: the driver has no such database.
   */
  readonly remember?: (state: string) => Promise<void>
  /**
   * Lends a connection.
   *
   * @throws HttpError 503 `DATABASE_BUSY` when all connections are lent for the whole acquire time;
   * 503 `DATABASE_UNAVAILABLE` when the server cannot be reached or refuses the login.
   */
  connect(): Promise<Connection>
  /** Rejects the waiting callers, waits until all lent connections are returned, then closes all. */
  close(): Promise<void>
}
