import type { AppOptions } from '../app/settings/app-options.js'
import { ConfigError, type Problem } from '../errors/config-error.js'
import { invalid } from '../errors/invalid.js'
import { ContractCoverage, type CoverageThreshold } from './contract/contract-coverage.js'
import { mergeOptions } from './merge-options.js'

/** The use of the coverage that the tests have reached. */
export interface CoverageOptions {
  /** The lowest allowed percentage; `close()` rejects below it. Default: none. */
  readonly threshold?: CoverageThreshold
  /** Whether `close()` prints a summary line on stderr. Default `false`. */
  readonly summary?: boolean
}

/** Options of `TestApp.create`: the options of `App` and those of the test. */
export interface TestOptions extends AppOptions {
  /**
   * What happens when a response differs from the document. `'throw'` fails the request. `'warn'` prints on stderr,
   * once for every operation and kind of problem. `'off'` checks nothing. Default `'warn'`.
   */
  readonly contract?: 'warn' | 'throw' | 'off'
  /**
   * The coverage that the tests must reach, or a `ContractCoverage` that counts for several applications.
   * Default: nothing is required.
   */
  readonly coverage?: CoverageOptions | ContractCoverage
}

/** Features that tests rarely need; explicit options turn them on again. */
const TEST_DEFAULTS = {
  rateLimit: false,
  security: { helmet: false, cors: false },
  // Long enough for responses that are about to end. A stream that never ends would delay every test. No load balancer
  // sends requests to a test, wherever the test runs.
  timeouts: { close: '1s', preStop: 0 },
} as const satisfies AppOptions

const MODES: readonly unknown[] = ['warn', 'throw', 'off', undefined]

/** Returns the options for `App`: the caller's options over the test defaults. */
export function appOptionsOf({ contract: _, coverage: __, ...options }: TestOptions): AppOptions {
  return mergeOptions(TEST_DEFAULTS, options)
}

/** @throws ConfigError when `contract` or `coverage` has a wrong value, or they contradict each other. */
export function checkTestOptions({ contract, coverage }: TestOptions): void {
  const problems: Problem[] = []
  if (!MODES.includes(contract)) {
    problems.push(problemOf('contract', contract, "'warn', 'throw', 'off'"))
  }
  const isObject = typeof coverage === 'object' && coverage !== null && !Array.isArray(coverage)
  if (coverage !== undefined && !isObject) {
    problems.push(problemOf('coverage', coverage, '{ threshold, summary }'))
  }
  if (isObject && !(coverage instanceof ContractCoverage)) problems.push(...checkCoverage(coverage))
  if (contract === 'off' && isObject) problems.push(NOTHING_COUNTED)
  if (problems.length > 0) throw new ConfigError(problems)
}

/** An option with a misspelt name would check nothing, and the tests would pass. */
function checkCoverage(coverage: CoverageOptions): Problem[] {
  const { threshold, summary } = coverage
  const problems = unknownNames('coverage', coverage, ['threshold', 'summary'])
  if (summary !== undefined && typeof summary !== 'boolean') {
    problems.push(problemOf('coverage.summary', summary, 'true or false'))
  }
  if (typeof threshold === 'object' && threshold !== null) {
    problems.push(...unknownNames('coverage.threshold', threshold, ['operations', 'statuses']))
  }
  if (!isThreshold(threshold)) {
    const known = 'a percentage, 0 to 100, or { operations, statuses } of them'
    problems.push(problemOf('coverage.threshold', threshold, known))
  }
  return problems
}

function isThreshold(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isPercentage)
  return isPercentage(value)
}

function isPercentage(value: unknown): boolean {
  return value === undefined || (typeof value === 'number' && value >= 0 && value <= 100)
}

function unknownNames(subject: string, value: object, known: readonly string[]): Problem[] {
  return Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name) =>
      invalid(
        `${subject}.${name}`,
        'It is not an option of this version, and has no effect.',
        `The options here are: ${known.join(', ')}.`,
      ),
    )
}

const NOTHING_COUNTED: Problem = invalid(
  'coverage',
  "With contract: 'off' no response is checked, so nothing would be counted.",
  "Remove one of them, or set contract: 'warn'.",
)

function problemOf(subject: string, value: unknown, known: string): Problem {
  const cause = `TestApp cannot use ${JSON.stringify(value) ?? String(value)}.`
  return invalid(subject, cause, `It takes ${known}.`)
}
