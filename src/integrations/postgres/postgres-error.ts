/** The SQLSTATE of a statement in a transaction in which an earlier statement was refused. */
export const IN_FAILED = '25P02'

/** The fields of PostgreSQL's error response. */
export interface PostgresErrorFields {
  /** The SQLSTATE with five characters (PostgreSQL documentation, appendix A), such as `23505` for a duplicate key. */
  readonly code: string
  /** The name of the constraint or index that refused the row. */
  readonly constraint?: string | undefined
  /** The schema of the table. */
  readonly schema?: string | undefined
  /** The name of the table. */
  readonly table?: string | undefined
  /** The name of the column. */
  readonly column?: string | undefined
  /** Details that may contain row values. They are logged, but never sent to clients. */
  readonly detail?: string | undefined
  /** PostgreSQL's hint about a remedy. */
  readonly hint?: string | undefined
}

/**
 * The error for a statement that PostgreSQL refused. Clients do not receive its content. If the error is not caught,
 * the response has the status 400 if a value of the request is the cause, 503 after a conflict with other transactions,
 * and otherwise 500. Catch the error to send a better response. {@link isUniqueViolation},
 * {@link isForeignKeyViolation} and {@link isExclusionViolation} recognize the common causes.
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
  /** The schema of the table. */
  readonly schema: string | undefined
  /** The name of the table. */
  readonly table: string | undefined
  /** The name of the column. */
  readonly column: string | undefined
  readonly detail: string | undefined
  /** PostgreSQL's hint about a remedy. */
  readonly hint: string | undefined

  /**
   * Creates the error for a statement that PostgreSQL refused.
   *
   * @param message The message from PostgreSQL.
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

/**
 * The error for a transaction that was not saved, because the application caught a statement's error (the `cause`) and
 * continued.
 */
export class UnsavedError extends Error {}

/**
 * Whether a statement was refused because a value already exists (SQLSTATE 23505).
 *
 * @param constraint The name of the constraint or index. Default: any constraint or index.
 */
export function isUniqueViolation(error: unknown, constraint?: string): error is Error {
  return isViolation(error, '23505', constraint)
}

/**
 * Whether a statement was refused because a row refers to a row that does not exist, or because other rows still refer
 * to the changed or deleted row (SQLSTATE 23503).
 *
 * @param constraint The name of the constraint. Default: any constraint.
 */
export function isForeignKeyViolation(error: unknown, constraint?: string): error is Error {
  return isViolation(error, '23503', constraint)
}

/**
 * Whether a statement was refused because a row overlaps another row (SQLSTATE 23P01), such as two appointments in one
 * room.
 *
 * @param constraint The name of the `exclude` constraint. Default: any constraint.
 */
export function isExclusionViolation(error: unknown, constraint?: string): error is Error {
  return isViolation(error, '23P01', constraint)
}

/**
 * Whether the server has refused the statement. The statement then had no effect, and the connection is still usable.
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof PostgresError || (error as Error | null)?.cause instanceof PostgresError
}

/**
 * Whether a transaction failed because it conflicted with other transactions: a serialization failure (SQLSTATE 40001)
 * or a deadlock (40P01). The same transaction may succeed if it is retried.
 */
export function isConflict(error: unknown): boolean {
  return refusalsIn(error).some(({ code }) => CONFLICTS.includes(code))
}

const CONFLICTS: readonly string[] = ['40001', '40P01']

function isViolation(error: unknown, code: string, constraint: string | undefined): boolean {
  const refusal = refusalIn(error)
  if (refusal?.code !== code) return false
  return constraint === undefined || refusal.constraint === constraint
}

/**
 * Finds the PostgreSQL error in an error or its causes, because libraries such as Drizzle wrap it in their own errors.
 */
export function refusalIn(error: unknown): PostgresError | undefined {
  return refusalsIn(error)[0]
}

function refusalsIn(error: unknown): PostgresError[] {
  const found: PostgresError[] = []
  let current = error
  for (let depth = 0; depth < DEEPEST_CAUSE && current instanceof Error; depth++) {
    if (current instanceof PostgresError) found.push(current)
    current = current.cause
  }
  return found
}

/** The maximum number of causes to follow, because an error can be its own cause, directly or indirectly. */
const DEEPEST_CAUSE = 5

/**
 * The fields that help a reader. All other fields from PostgreSQL are null, or specify a position in its source code.
 */
const FIELDS = ['code', 'detail', 'hint'] as const

/**
 * Returns the cause for a `ConfigError` about a database: the message and the code of the first error, which comes from
 * the server or the network. Node prints all fields and frames of every cause (50 lines for `pg`), which would hide the
 * message.
 */
export function briefCause(error: unknown): Error {
  const first = firstOf(error)
  const brief = new Error(textOf(first))
  const { name } = first instanceof Error ? first : brief
  brief.stack = `${name}: ${brief.message}`
  for (const field of FIELDS) {
    const value = (first as Partial<Record<string, unknown>> | null)?.[field]
    if (typeof value === 'string') Object.assign(brief, { [field]: value })
  }
  return brief
}

/** Returns an error's message. If a host has several addresses, Node throws an AggregateError without a message. */
export function textOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(textOf).join(', ')
  }
  return error instanceof Error ? error.message.replace(/\.$/, '') : 'no reason was given'
}

/** Returns the error at the end of the chain of causes. An error can be its own cause. */
function firstOf(error: unknown, depth = 0): unknown {
  const { cause } = (error ?? {}) as { cause?: unknown }
  return cause instanceof Error && depth < 5 ? firstOf(cause, depth + 1) : error
}
