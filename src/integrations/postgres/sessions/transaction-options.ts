import { ConfigError } from '../../../index.js'
import { type OptionNames, unknownOptions } from '../../../plugin/index.js'
import { invalid } from '../options/postgres-options.js'

/** The isolation of concurrent transactions (PostgreSQL documentation, 13.2). */
export type Isolation = 'read committed' | 'repeatable read' | 'serializable'

/** The options of a transaction. */
export interface TransactionOptions {
  /**
   * The isolation level. A nested transaction has the level of the outer transaction. Default: the level of the
   * database, which is `'read committed'` unless you have changed it.
   */
  readonly isolation?: Isolation
  /**
   * The number of retries (0 to 10) if the transaction conflicts with other transactions, through a serialization
   * failure (SQLSTATE 40001) or a deadlock (40P01). The transaction is rolled back before each retry, but other effects
   * of the function happen again. The pauses between attempts are random and increase. A nested transaction is not
   * retried separately. Default: 0.
   */
  readonly retries?: number
}

const LEVELS: readonly unknown[] = ['read committed', 'repeatable read', 'serializable']
const MOST_RETRIES = 10
const NAMES: OptionNames<TransactionOptions> = { isolation: true, retries: true }

/**
 * Checks the options of a transaction.
 *
 * @throws ConfigError if an option of `subject` is invalid.
 */
export function checkTransactionOptions(subject: string, options: TransactionOptions): void {
  const { isolation, retries = 0 } = options
  const problems = unknownOptions(`${subject}: `, options, NAMES)
  if (isolation !== undefined && !LEVELS.includes(isolation)) {
    const remedy = `Pass one of ${LEVELS.join(', ')}.`
    problems.push(invalid(`${subject}: isolation`, 'It is not an isolation level.', remedy))
  }
  if (!(Number.isInteger(retries) && retries >= 0 && retries <= MOST_RETRIES)) {
    const remedy = `Pass a whole number from 0 to ${MOST_RETRIES}.`
    problems.push(invalid(`${subject}: retries`, 'It is not a valid number of retries.', remedy))
  }
  if (problems.length > 0) throw new ConfigError(problems)
}

/**
 * Checks the isolation level of a nested transaction.
 *
 * @throws Error if it needs a different isolation level than the outer transaction has.
 */
export function assertIsolation(
  outer: Isolation | undefined,
  isolation: Isolation | undefined,
): void {
  if (isolation === undefined || isolation === outer) return
  throw new Error(
    `A nested transaction cannot be ${isolation}: the outer transaction is ${outer ?? 'at the default level of the database'}. Set the isolation level of the outermost transaction; for the transaction of a request, write @Transactional({ isolation: '${isolation}' }) on its handler.`,
  )
}
