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
