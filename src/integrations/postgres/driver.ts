import type { Logger } from '../../index.js'

/** A statement with its values; the two are never joined into one text. */
export interface Statement {
  /** The SQL, with `$1`, `$2`, … in the places of values. */
  readonly text: string
  /** One for each of `$1`, `$2`, … Default: none. */
  readonly values?: readonly unknown[]
  /** `'array'` gives rows as lists of values in the order of the columns. Default: objects by column name. */
  readonly rowMode?: 'array'
  /**
   * Gives values as the text that PostgreSQL sends, for libraries that read it themselves: all of them, or those that are times (`timestamp`, `timestamptz`, and lists
   * of them). Default: none.
   */
  readonly texts?: 'all' | 'times'
}

/** A column of an answer. */
export interface Field {
  /** The name of the column. */
  readonly name: string
  /** The number of its type (`oid` of `pg_type`). */
  readonly dataTypeID: number
}

/** What became of a statement. */
export interface QueryResult<TRow = Record<string, unknown>> {
  /** The rows that the statement returned, in order. */
  readonly rows: TRow[]
  /** How many rows it has returned or changed. */
  readonly rowCount: number
  /** What was done, in PostgreSQL's words: `SELECT`, `INSERT`, `COMMIT`, … */
  readonly command: string
  /** The columns, in their order. */
  readonly fields: readonly Field[]
}

/**
 * A connection that is lent to one user at a time. Statements are answered in the order in which they were sent; a later one is
 * sent without waiting for the one before it, where the driver can do that.
 */
export interface Connection {
  /**
   * @throws PostgresError where the server refuses the statement, or it cannot be sent to it; HttpError 503 where there is no answer of
   * the server, and the connection is then of no more use than to be destroyed. A server's `statement_timeout` is 503, too, and leaves the
   * connection in use.
   */
  query(statement: Statement): Promise<QueryResult>
  /**
   * Sends statements as one flight: behind one that is refused, the server runs none of those that follow in it. So a statement never runs before the
   * transaction that begins in its flight has begun.
   *
   * @returns an answer for each, in order. They reject as {@link Connection.query} does; what was not run, with a `PostgresError` of the code 25P02.
   */
  fly(statements: readonly Statement[]): Promise<QueryResult>[]
  /** Runs several statements, separated by semicolons and without values: for migrations. It may take as long as it takes. */
  script(text: string): Promise<void>
  /** Whether it is known to be gone: what is sent on it reaches nobody. */
  readonly isLost: boolean
  /**
   * Gives it back to be lent again. One with a transaction that is open, or a statement without an answer, is destroyed instead; one whose session may hold something of
   * who had it (see `judgeStatement`) is cleaned first.
   */
  release(): void
  /** Ends it, and asks the server to end what it is doing: a transaction that is open is rolled back. Never throws. */
  destroy(): void
}

/** What a driver is opened with. */
export interface DriverContext {
  /** Told of what nobody waits for: a connection that ends while it is not lent. */
  readonly logger: Logger
}

/** Where connections come from: the port that `pg` and PGlite are put behind. */
export interface Driver {
  /** How many connections can be lent at the same time. */
  readonly size: number
  /** Whether the database runs in this process, which is then its only user and its superuser. */
  readonly isEmbedded: boolean
  /**
   * Makes it ready; a server is connected to by `connect`. May be called again after `close`.
   *
   * @throws ConfigError where a package is missing, or a folder cannot be used.
   */
  open(context: DriverContext): Promise<void>
  /**
   * Lends a connection, within the acquire time.
   *
   * @throws HttpError 503 `DATABASE_BUSY` where all are lent for so long; 503 `DATABASE_UNAVAILABLE` where the server cannot be reached, or lets nobody in.
   */
  connect(): Promise<Connection>
  /** Refuses those who wait for a connection, waits for those that are lent, then ends all. */
  close(): Promise<void>
}
