import type { TestOptions } from '../test-options.js'
import { ContractCoverage } from './contract-coverage.js'

/**
 * Prints the coverage of an application, or compares it with its threshold, as its options want.
 *
 * @param title The name of the application.
 * @throws Error when the tests have exercised less than the threshold.
 */
export function finishCoverage(
  counted: ContractCoverage,
  wanted: NonNullable<TestOptions['coverage']>,
  title: string,
): void {
  // One that counts for several applications is checked by the test.
  if (wanted instanceof ContractCoverage) return
  if (wanted.summary === true) process.stderr.write(`${title}: ${counted.summary()}\n`)
  if (wanted.threshold !== undefined) counted.check(wanted.threshold)
}
