import type { Logger } from '../../contracts/logger.js'

/** A statement with its values; the two are never joined into one text. */
export interface Statement {
  readonly text: string
  /** One for each of `$1`, `$2`, … Default: none. */
  readonly values?: readonly unknown[]
  /** `'array'` gives rows as lists of values in the order of the columns. Default: objects by column name. */
  readonly rowMode?: 'array'
  /** Gives every value as the text that PostgreSQL sends, for libraries that read it themselves. Default `false`. */
  readonly isRaw?: boolean
}

/** What became of a statement. */
export interface QueryResult<TRow = Record<string, unknown>> {
  readonly rows: TRow[]
  /** How many rows it has returned or changed. */
  readonly rowCount: number
  /** What was done, in PostgreSQL's words: `SELECT`, `INSERT`, `COMMIT`, … */
  readonly command: string
}

/**
 * A connection that is lent to one user at a time. Statements are answered in the order in which they were sent; a later one is
 * sent without waiting for the one before it, where the driver can do that.
 */
export interface Connection {
  /**
   * @throws PostgresError where the server refuses the statement; HttpError 503 where there is no answer of the server, and the
   * connection is then of no more use than to be destroyed.
   */
  query(statement: Statement): Promise<QueryResult>
  /** Runs several statements, separated by semicolons and without values: for migrations. */
  script(text: string): Promise<void>
  /** Gives it back to be lent again: only when no transaction is open. */
  release(): void
  /** Ends it, and asks the server to end what it is doing: a transaction that is open is rolled back. Never throws. */
  destroy(): void
}

/** Where connections come from: the port that `pg` and PGlite are put behind. */
export interface Driver {
  /** How many connections can be lent at the same time. */
  readonly size: number
  /** Whether the database runs in this process, which is then its only user and its superuser. */
  readonly isEmbedded: boolean
  /** Makes it ready. May be called again after `close`. Throws what `connect` throws. */
  open(context: { readonly logger: Logger }): Promise<void>
  /**
   * Lends a connection, within the acquire time.
   *
   * @throws HttpError 503 `DATABASE_BUSY` where all are lent for so long; 503 `DATABASE_UNAVAILABLE` where the server cannot be reached, or lets nobody in.
   */
  connect(): Promise<Connection>
  /** Waits for the connections that are lent, then ends all of them. */
  close(): Promise<void>
}
