import type { Logger } from '../../index.js'

/** A statement and its values, which are sent separately and never combined into one string. */
export interface Statement {
  /** The SQL, with the placeholders `$1`, `$2`, … for values. */
  readonly text: string
  /** The values for `$1`, `$2`, … in order. Default: none. */
  readonly values?: readonly unknown[]
  /**
   * `'array'` returns each row as a list of values in column order. If omitted, each row is an object with the column
   * names as keys.
   */
  readonly rowMode?: 'array'
  /**
   * Which values are returned as unparsed strings from PostgreSQL, for libraries that parse them themselves: all
   * values, or only times (`timestamp`, `timestamptz`, and arrays of these types). If omitted, all values are parsed.
   */
  readonly texts?: 'all' | 'times'
}

/** A statement of the package itself. With `hasNoReader`, it must leave no state in the session. */
export interface SessionStatement extends Statement {
  /**
   * Whether the rows can be discarded. If so, a driver can return no rows, and need not request their columns. Default:
   * `false`.
   */
  readonly hasNoReader?: boolean
}

/** A column of a result. */
export interface Field {
  /** The name of the column. */
  readonly name: string
  /** The type number (`oid` in `pg_type`). */
  readonly dataTypeID: number
}

/** The result of a statement. */
export interface QueryResult<TRow = Record<string, unknown>> {
  /** The rows that the statement returned, in order. */
  readonly rows: TRow[]
  /** The number of returned or changed rows. */
  readonly rowCount: number
  /** PostgreSQL's name for the executed command, such as `SELECT`, `INSERT` or `COMMIT`. */
  readonly command: string
  /** The columns, in their order. */
  readonly fields: readonly Field[]
}

/**
 * A connection that one user at a time has checked out. Responses arrive in the order in which the statements were
 * sent. If the driver supports it, a statement is sent without waiting for the previous response.
 */
export interface Connection {
  /**
   * Runs a statement.
   *
   * @throws PostgresError if the server refuses the statement or its values cannot be sent; HttpError 503 if the server
   * sends no response, after which the connection can only be destroyed. The server's `statement_timeout`, a full disk
   * and a lack of memory also result in a 503, but the connection stays usable.
   */
  query(statement: Statement): Promise<QueryResult>
  /**
   * Sends statements as one flight (a single batch). If the server refuses a statement, it does not run the later ones.
   * So a statement never runs if the `BEGIN` in its flight has failed.
   *
   * @returns a promise for each result, in order. The promises reject for the same reasons as {@link Connection.query}.
   * After a refused statement, the promises of the later statements reject with a `PostgresError` with the code 25P02.
   */
  sendTogether(statements: readonly SessionStatement[]): Promise<QueryResult>[]
  /** Runs a migration script: several statements separated by semicolons, without values and without a time limit. */
  script(text: string): Promise<void>
  /** Whether the connection is known to be closed. Statements on a closed connection do not reach the server. */
  readonly isLost: boolean
  /**
   * Returns the connection to the pool. The connection is destroyed instead if a transaction is open or a response is
   * missing. If the session may contain state from its last user (see `classifyStatement`), the session is reset first.
   */
  release(): void
  /**
   * Closes the connection, and requests that the server cancel the running statement. An open transaction is rolled
   * back. Never throws.
   */
  destroy(): void
}

/** The context in which a driver is opened. */
export interface DriverContext {
  /** Logs failures that no caller receives, such as a connection that ended while it was idle. */
  readonly logger: Logger
  /**
   * The driver calls this when the server rejects a write because it is read-only. The driver then closes its
   * connections.
   */
  readonly onReadOnly?: () => void
  /**
   * A name for the state of the database after startup. A new in-memory database begins in this state if this process
   * has stored a snapshot of it. If omitted, the database begins empty.
   */
  readonly state?: string | undefined
}

/** The usage of a pool. */
export interface PoolUsage {
  /** The number of checked-out connections. */
  readonly lent: number
  /** The number of callers that are waiting for a connection. */
  readonly waiting: number
}

/** The interface of database drivers. The `pg` and PGlite drivers implement it. */
export interface Driver {
  /** The maximum number of checked-out connections. */
  readonly size: number
  /** Whether the database runs in this process. The process is then the database's only user, and a superuser. */
  readonly isEmbedded: boolean
  /**
   * In a driver without a database, receives each statement of the application before the statement runs. Other
   * statements, which belong to the package itself, are not passed. If omitted, the driver has a database.
   */
  readonly expect?: (statement: Statement) => void
  /** Returns the number of checked-out connections, and of callers that are waiting for one. */
  usage(): PoolUsage
  /**
   * Prepares the driver. The first server connection is made by `connect`, not here. `open` can be called again after
   * `close`.
   *
   * @throws ConfigError if a package is missing or a folder cannot be used.
   */
  open(context: DriverContext): Promise<void>
  /**
   * Stores a snapshot of an in-memory database, so that the next database can begin in this state. If omitted, the
   * driver has no in-memory database.
   */
  readonly remember?: (state: string) => Promise<void>
  /**
   * Checks out a connection.
   *
   * @throws HttpError 503 `DATABASE_BUSY` if all connections stay checked out for the whole acquire time; 503
   * `DATABASE_UNAVAILABLE` if the server cannot be reached or refuses the login.
   */
  connect(): Promise<Connection>
  /** Rejects the waiting callers, waits until all checked-out connections are returned, then closes all connections. */
  close(): Promise<void>
}
