import type { AppOptions } from '../app/settings/app-options.js'
import type { AnsweredStatement } from '../contracts/database.js'
import { ConfigError, invalid, type Problem } from '../errors/config-error.js'
import { type OptionNames, unknownOptions } from '../errors/option-group.js'
import { ContractCoverage, type CoverageThreshold } from './contract/contract-coverage.js'
import type { AnsweredCall } from './test-outgoing.js'

/** How the coverage of the tests is used. */
export interface CoverageOptions {
  /** The minimum percentage. If the coverage is lower, `close()` rejects. Default: none. */
  readonly threshold?: CoverageThreshold
  /** Whether `close()` prints a summary line to stderr. Default `false`. */
  readonly summary?: boolean
}

/** How the statements of requests are checked. */
export interface QueryOptions {
  /**
   * A test fails if one request runs the same statement, or calls the same host, this number of times: a whole number
   * greater than 0. A route with `@Queries` has its own limit. Default 10.
   */
  readonly repeats?: number
  /** Whether `close()` prints to stderr how many statements the requests to each route have run. Default `false`. */
  readonly summary?: boolean
}

/** Options of `TestApp.create`: the options of `App` and the options of the test. */
export interface TestOptions extends AppOptions {
  /**
   * The reaction to a response that differs from the document. `'throw'`: the request fails. `'warn'`: a warning is
   * printed to stderr, once for every operation and kind of problem. `'off'`: responses are not checked. Default
   * `'warn'`.
   */
  readonly contract?: 'warn' | 'throw' | 'off'
  /**
   * The coverage that the tests must reach, or a `ContractCoverage` that counts for several applications. If omitted,
   * no coverage is required.
   */
  readonly coverage?: CoverageOptions | ContractCoverage
  /**
   * How database statements are checked. With `false`, statements are not checked, not even by `@Queries`. Databases
   * report their statements to `Statements`, as `blazon/postgres` and `blazon/typeorm` do. Default: `{ repeats: 10 }`.
   */
  readonly queries?: false | QueryOptions
  /**
   * The results of statements, in place of results from PostgreSQL: `blazon/postgres` then does not connect to a
   * database. Each result is used once. A statement without a result fails with an `UnansweredStatementError`. `blazon
   * replay --write` generates such tests. Default: the database runs the statements.
   *
   * @see docs/testing-statements.md#answered-statements
   */
  readonly statements?: readonly AnsweredStatement[]
  /**
   * The responses to calls of `inject(Outgoing)`, as an alternative to `app.outgoing.answer`. Each response is used
   * once. `blazon replay --write` generates such tests. Default: the responses that are set with `app.outgoing`.
   *
   * @see docs/outgoing.md#tests
   */
  readonly calls?: readonly AnsweredCall[]
}

/** The defaults that turn off features that tests rarely need; explicit options turn them on again. */
const TEST_DEFAULTS = {
  rateLimit: false,
  security: { helmet: false, cors: false },
  // This time is long enough for responses that are about to end. With a longer time, a stream that never ends would
  // delay every test. `preStop` is 0, because no load balancer sends requests to a test.
  timeouts: { close: '1s', preStop: 0 },
} as const satisfies AppOptions

const COVERAGE: OptionNames<CoverageOptions> = {
  threshold: { operations: true, statuses: true },
  summary: true,
}
const QUERIES: OptionNames<QueryOptions> = { repeats: true, summary: true }
const STATEMENT: OptionNames<AnsweredStatement> = {
  text: true,
  values: true,
  rows: true,
  rowCount: true,
  error: true,
}
const CALL: OptionNames<AnsweredCall> = {
  method: true,
  url: true,
  status: true,
  headers: true,
  json: true,
  body: true,
  error: true,
}
const MODES: readonly unknown[] = ['warn', 'throw', 'off', undefined]

/** Returns the options for `App`: the test defaults, overridden by the caller's options. */
export function appOptionsOf(given: TestOptions): AppOptions {
  const {
    contract: _,
    coverage: __,
    queries: ___,
    statements: ____,
    calls: _____,
    ...options
  } = given
  return mergeOptions(TEST_DEFAULTS, options)
}

/**
 * @throws ConfigError if `contract`, `coverage`, `queries`, `statements` or `calls` is invalid, or they contradict
 * each other.
 */
export function checkTestOptions(options: TestOptions): void {
  const { contract, coverage, queries, statements, calls } = options
  const problems = [
    ...checkQueryOptions(queries),
    ...checkStatements(statements),
    ...checkCalls(calls),
  ]
  if (!MODES.includes(contract)) {
    problems.push(problemOf('contract', contract, "'warn', 'throw' or 'off'"))
  }
  const isGiven = coverage !== undefined && isObject(coverage)
  if (coverage !== undefined && !isGiven) {
    problems.push(problemOf('coverage', coverage, '{ threshold, summary }'))
  }
  if (isGiven && !(coverage instanceof ContractCoverage)) problems.push(...checkCoverage(coverage))
  if (contract === 'off' && isGiven) problems.push(NOTHING_COUNTED)
  if (problems.length > 0) throw new ConfigError(problems)
}

/** An option with a misspelt name would have no effect, and the tests would pass. */
function checkCoverage(coverage: CoverageOptions): Problem[] {
  const { threshold, summary } = coverage
  const problems = unknownOptions('coverage.', coverage, COVERAGE)
  if (summary !== undefined && typeof summary !== 'boolean') {
    problems.push(problemOf('coverage.summary', summary, 'true or false'))
  }
  if (!isThreshold(threshold)) {
    const known = 'a percentage from 0 to 100, or { operations, statuses } with such percentages'
    problems.push(problemOf('coverage.threshold', threshold, known))
  }
  return problems
}

/** An option with a misspelt name would have no effect, and the tests would pass. */
function checkQueryOptions(queries: TestOptions['queries']): Problem[] {
  if (queries === undefined || queries === false) return []
  if (!isObject(queries)) return [problemOf('queries', queries, 'false, or { repeats, summary }')]
  const { repeats, summary } = queries
  const problems = unknownOptions('queries.', queries, QUERIES)
  if (repeats !== undefined && !isCount(repeats)) {
    problems.push(problemOf('queries.repeats', repeats, 'a whole number above 0'))
  }
  if (summary !== undefined && typeof summary !== 'boolean') {
    problems.push(problemOf('queries.summary', summary, 'true or false'))
  }
  return problems
}

function checkStatements(statements: unknown): Problem[] {
  const isList =
    Array.isArray(statements) && statements.every((each) => typeof each?.text === 'string')
  if (statements === undefined) return []
  if (isList) return unknownOptions('statements', statements, STATEMENT)
  return [problemOf('statements', statements, 'a list of { text, values, rows, rowCount, error }')]
}

function checkCalls(calls: unknown): Problem[] {
  const isList =
    Array.isArray(calls) &&
    calls.every((each) => typeof each?.method === 'string' && typeof each?.url === 'string')
  if (calls === undefined) return []
  if (isList) return unknownOptions('calls', calls, CALL)
  return [
    problemOf('calls', calls, 'a list of { method, url, status, headers, json, body, error }'),
  ]
}

function isThreshold(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isPercentage)
  return isPercentage(value)
}

function isPercentage(value: unknown): boolean {
  return value === undefined || (typeof value === 'number' && value >= 0 && value <= 100)
}

const NOTHING_COUNTED: Problem = invalid(
  'coverage',
  "With contract: 'off', no response is checked, so the coverage would be empty.",
  "Remove one of the options, or set contract: 'warn'.",
)

function problemOf(subject: string, value: unknown, known: string): Problem {
  const cause = `TestApp cannot use ${JSON.stringify(value) ?? String(value)}.`
  return invalid(subject, cause, `Pass ${known}.`)
}

/**
 * Deeply merges explicit options into defaults. Plain objects are merged key by key; every other value (list, class,
 * instance, function) replaces the default.
 */
export function mergeOptions<T extends object>(defaults: object, explicit: T): T {
  const merged: Record<string, unknown> = { ...defaults }
  for (const [key, value] of Object.entries(explicit)) {
    const base = merged[key]
    merged[key] = isPlain(base) && isPlain(value) ? mergeOptions(base, value) : (value ?? base)
  }
  return merged as T
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Whether a value can be a seed: a 32-bit integer. */
export function isInt32(value: unknown): boolean {
  return typeof value === 'number' && value === (value | 0)
}

/** Whether a value is a whole number of at least 1. */
export function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0
}

export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
