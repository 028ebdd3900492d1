/** SQLSTATE of a statement in a transaction in which another one was refused. */
export const IN_FAILED = '25P02'

/** What PostgreSQL says of a statement that it refuses. */
export interface PostgresErrorFields {
  /** SQLSTATE, five characters (PostgreSQL documentation, appendix A): `23505` is a duplicate key. */
  readonly code: string
  /** The name of the constraint or index that refused the row. */
  readonly constraint?: string | undefined
  /** The name of the schema of the table. */
  readonly schema?: string | undefined
  /** The name of the table. */
  readonly table?: string | undefined
  /** The name of the column. */
  readonly column?: string | undefined
  /** May hold values of a row. Clients never see it; the log does. */
  readonly detail?: string | undefined
  /** What PostgreSQL suggests to do. */
  readonly hint?: string | undefined
}

/**
 * A statement that PostgreSQL has refused. Clients are told nothing of it: one that nobody catches is 500. Catch it to say what it
 * means; {@link isUniqueViolation} tells what it is.
 *
 * @example
 * try {
 *   await db.sql`insert into customers (email) values (${email})`
 * } catch (error) {
 *   if (isUniqueViolation(error, 'customers_email_key')) throw new ConflictError('Already registered')
 *   throw error
 * }
 */
export class PostgresError extends Error implements PostgresErrorFields {
  /** Always `PostgresError`. */
  override readonly name = 'PostgresError'
  readonly code: string
  /** The name of the constraint or index that refused the row. */
  readonly constraint: string | undefined
  /** The name of the schema of the table. */
  readonly schema: string | undefined
  /** The name of the table. */
  readonly table: string | undefined
  /** The name of the column. */
  readonly column: string | undefined
  readonly detail: string | undefined
  /** What PostgreSQL suggests to do. */
  readonly hint: string | undefined

  /**
   * Makes the error of a statement that PostgreSQL refused.
   *
   * @param message The message of PostgreSQL.
   * @param fields The fields of the error response.
   * @param options The cause, if there is one.
   */
  constructor(message: string, fields: PostgresErrorFields, options?: ErrorOptions) {
    super(message, options)
    this.code = fields.code
    this.constraint = fields.constraint
    this.schema = fields.schema
    this.table = fields.table
    this.column = fields.column
    this.detail = fields.detail
    this.hint = fields.hint
  }
}

/** Nothing was saved, because the program has caught what a statement was refused with, its `cause`, and went on. */
export class UnsavedError extends Error {}

/**
 * Whether a statement was refused because a value is taken already (SQLSTATE 23505).
 *
 * @param constraint Name of the constraint or index that is meant. Default: any.
 */
export function isUniqueViolation(error: unknown, constraint?: string): error is Error {
  return isViolation(error, '23505', constraint)
}

/**
 * Whether a statement was refused because a row refers to one that does not exist, or is referred to (SQLSTATE 23503).
 *
 * @param constraint Name of the constraint that is meant. Default: any.
 */
export function isForeignKeyViolation(error: unknown, constraint?: string): error is Error {
  return isViolation(error, '23503', constraint)
}

/** Whether it was the server that has said no: what it was asked for has not happened, and the connection is in order. */
export function isRefusal(error: unknown): boolean {
  return error instanceof PostgresError || (error as Error | null)?.cause instanceof PostgresError
}

function isViolation(error: unknown, code: string, constraint: string | undefined): boolean {
  const refusal = refusalIn(error)
  if (refusal?.code !== code) return false
  return constraint === undefined || refusal.constraint === constraint
}

/** Libraries that stand between put it into an error of their own, as Drizzle does. */
export function refusalIn(error: unknown): PostgresError | undefined {
  let current = error
  for (let depth = 0; depth < DEEPEST_CAUSE && current instanceof Error; depth++) {
    if (current instanceof PostgresError) return current
    current = current.cause
  }
  return undefined
}

/** A cause may be its own. */
const DEEPEST_CAUSE = 5
