import type { CoverageOptions } from '../test-options.js'
import { ContractCoverage } from './contract-coverage.js'

/**
 * Prints the summary of the coverage, and compares it with the threshold. A `ContractCoverage` of the test counts for several
 * applications, so the test judges it.
 *
 * @throws Error when the tests have exercised less than the threshold.
 */
export function judgeCoverage(
  reached: ContractCoverage,
  wanted: CoverageOptions | ContractCoverage,
  title: string,
): void {
  if (wanted instanceof ContractCoverage) return
  const { summary = false, threshold } = wanted
  if (summary) process.stderr.write(`${title}: ${reached.summary()}\n`)
  if (threshold !== undefined) reached.check(threshold)
}
