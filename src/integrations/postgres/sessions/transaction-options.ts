import { ConfigError } from '../../../index.js'
import { type OptionNames, unknownOptions } from '../../../plugin/index.js'
import { invalid } from '../options/postgres-options.js'

/** The isolation of concurrent transactions (PostgreSQL documentation, 13.2). */
export type Isolation = 'read committed' | 'repeatable read' | 'serializable'

/** How a transaction runs. */
export interface TransactionOptions {
  /**
   * The isolation level. A part of another transaction has that transaction's level. Default: the level of the
   * database, which is `'read committed'` unless you have changed it.
   */
  readonly isolation?: Isolation
  /**
   * How often the function runs again, 0 to 10, when its transaction has conflicted with others: a serialization
   * failure (SQLSTATE 40001) or a deadlock (40P01). The transaction is rolled back before, but other effects of the
   * function happen again. The pauses between the attempts are random, and grow. A part of another transaction does not
   * run again alone. Default 0.
   */
  readonly retries?: number
}

const LEVELS: readonly unknown[] = ['read committed', 'repeatable read', 'serializable']
const MOST_RETRIES = 10
const NAMES: OptionNames<TransactionOptions> = { isolation: true, retries: true }

/** @throws ConfigError when an option of `subject` is wrong. */
export function checkTransactionOptions(subject: string, options: TransactionOptions): void {
  const { isolation, retries = 0 } = options
  const problems = unknownOptions(`${subject}: `, options, NAMES)
  if (isolation !== undefined && !LEVELS.includes(isolation)) {
    const remedy = `Pass one of ${LEVELS.join(', ')}.`
    problems.push(invalid(`${subject}: isolation`, 'It is not an isolation level.', remedy))
  }
  if (!(Number.isInteger(retries) && retries >= 0 && retries <= MOST_RETRIES)) {
    const remedy = `Pass a whole number from 0 to ${MOST_RETRIES}.`
    problems.push(invalid(`${subject}: retries`, 'It is not a number of attempts.', remedy))
  }
  if (problems.length > 0) throw new ConfigError(problems)
}

/** @throws Error when a part of a transaction needs another isolation level than the transaction has. */
export function assertIsolation(
  outer: Isolation | undefined,
  isolation: Isolation | undefined,
): void {
  if (isolation === undefined || isolation === outer) return
  throw new Error(
    `A part of a transaction cannot be ${isolation}: the transaction has begun as ${outer ?? 'the database begins it'}. Set the isolation level of the outermost transaction; for the transaction of a request, write @Transactional({ isolation: '${isolation}' }) on its handler.`,
  )
}
