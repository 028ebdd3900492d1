import type { DocumentedOperation } from '../../app/contract/documented-by-route.js'

/** The number of operations or statuses, and the number that tests have exercised. */
export interface CoverageCount {
  /** The number that tests have exercised. */
  readonly exercised: number
  /** The total number. */
  readonly total: number
  /** The percentage, from 0 to 100, rounded down; 100 if the total is 0. */
  readonly percent: number
}

/** The coverage of one operation. */
export interface OperationCoverage {
  /** The operation: `GET /users/{id}`. */
  readonly operation: string
  /** The `operationId` in the document. */
  readonly operationId: string
  /** Whether the operation has responded with a documented status below 400. */
  readonly isExercised: boolean
  /** How often the operation has responded with each documented status, including `'2XX'`. */
  readonly statuses: Readonly<Record<string, number>>
  /**
   * The documented statuses that no test has received. Contains only statuses that count, see {@link
   * CoverageReport.statuses}.
   */
  readonly missing: readonly string[]
}

/** The coverage of a document. */
export interface CoverageReport {
  /** The number of operations that have responded with a documented status below 400. */
  readonly operations: CoverageCount
  /**
   * The number of documented statuses that tests have received. All statuses that the author documents count, and so do
   * the statuses 401 and 403. Statuses that the framework adds to many operations, such as 400 and 500, do not count.
   */
  readonly statuses: CoverageCount
  /** One row for each operation, in the order of the document. */
  readonly rows: readonly OperationCoverage[]
}

/** The minimum percentages. A number applies to operations. */
export type CoverageThreshold =
  | number
  | {
      /** The minimum percentage of operations. Default 0. */
      readonly operations?: number
      /** The minimum percentage of statuses. Default 0. */
      readonly statuses?: number
    }

interface Row {
  readonly operation: string
  readonly operationId: string
  readonly hits: Map<string, number>
  /** The statuses that count. */
  readonly counted: Set<string>
}

/** The statuses that the framework adds to many operations, but that still count. */
const SHARED_AND_COUNTED = ['2XX', '401', '403']

/**
 * Counts the operations and statuses of a document that tests have exercised. Several applications can share one
 * instance, such as all applications in a test file.
 *
 * @example
 * const coverage = new ContractCoverage()
 * beforeEach(async () => {
 *   app = await TestApp.create({ ...options, coverage })
 * })
 * afterAll(() => coverage.check(100))
 */
export class ContractCoverage {
  readonly #rows: Map<string, Row> = new Map()
  /** The rows by operation, so that the key of `#rows` is not built again for every response. */
  readonly #known: WeakMap<DocumentedOperation, Row> = new WeakMap()

  /** Adds operations, exercised or not. The harness calls this method. */
  declare(operations: readonly DocumentedOperation[]): void {
    for (const operation of operations) this.#rowOf(operation)
  }

  /** Counts a response. The harness calls this method. */
  record(operation: DocumentedOperation, status: string): void {
    const { hits } = this.#known.get(operation) ?? this.#rowOf(operation)
    hits.set(status, (hits.get(status) ?? 0) + 1)
  }

  /** Returns the current coverage. */
  report(): CoverageReport {
    const rows = [...this.#rows.values()].map(toCoverage)
    const statuses = [...this.#rows.values()].reduce((sum, { counted }) => sum + counted.size, 0)
    const missing = rows.reduce((sum, row) => sum + row.missing.length, 0)
    return {
      operations: count(rows.length, rows.filter(({ isExercised }) => isExercised).length),
      statuses: count(statuses, statuses - missing),
      rows,
    }
  }

  /** Returns one line: `12 of 12 operations (100 %) and 30 of 41 statuses (73 %) exercised`. */
  summary(): string {
    const { operations, statuses } = this.report()
    const part = ({ exercised, total, percent }: CoverageCount, what: string) =>
      `${exercised} of ${total} ${what} (${percent} %)`
    return `${part(operations, 'operations')} and ${part(statuses, 'statuses')} exercised`
  }

  /**
   * Checks that the coverage is at least the threshold.
   *
   * @param threshold Percentages from 0 to 100; a number applies to operations. Default 100.
   * @throws Error with the missing operations and statuses; Error if no application with a documented operation uses
   * this instance.
   */
  check(threshold: CoverageThreshold = 100): void {
    const least = typeof threshold === 'number' ? { operations: threshold } : threshold
    const { operations, statuses, rows } = this.report()
    if (rows.length === 0) throw new Error(NOTHING_TO_EXERCISE)
    const isShort = operations.percent < (least.operations ?? 0)
    const lacksStatuses = statuses.percent < (least.statuses ?? 0)
    if (!isShort && !lacksStatuses) return
    const missing = rows.flatMap((row) => missingOf(row, lacksStatuses))
    throw new Error(
      [`The coverage of the tests is too low: ${this.summary()}.`, ...missing].join('\n  '),
    )
  }

  #rowOf(documented: DocumentedOperation): Row {
    const { operation, operationId, name } = documented
    const key = `${name} ${operationId}`
    const known = this.#rows.get(key)
    const row = known ?? { operation: name, operationId, hits: new Map(), counted: new Set() }
    this.#rows.set(key, row)
    this.#known.set(documented, row)
    for (const [status, response] of Object.entries(operation.responses)) {
      row.hits.set(status, row.hits.get(status) ?? 0)
      if (!('$ref' in response) || SHARED_AND_COUNTED.includes(status)) row.counted.add(status)
    }
    return row
  }
}

const NOTHING_TO_EXERCISE =
  'The tests exercise no operation: no application of this coverage has a documented operation. Pass the coverage to TestApp.create(), or remove the threshold.'

function toCoverage({ operation, operationId, hits, counted }: Row): OperationCoverage {
  const isExercised = [...hits].some(([status, times]) => times > 0 && status < '4')
  const missing = [...counted].filter((status) => hits.get(status) === 0)
  return { operation, operationId, isExercised, statuses: Object.fromEntries(hits), missing }
}

function count(total: number, exercised: number): CoverageCount {
  const percent = total === 0 ? 100 : Math.floor((100 * exercised) / total)
  return { exercised, total, percent }
}

function missingOf({ operation, isExercised, missing }: OperationCoverage, withStatuses: boolean) {
  if (withStatuses && missing.length > 0) return [`${operation}: never ${missing.join(', ')}`]
  return isExercised ? [] : [`${operation}: no success response`]
}
