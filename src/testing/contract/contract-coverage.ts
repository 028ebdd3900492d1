import type { DocumentedOperation } from './documented-operations.js'

/** How many there are, and how many of them tests have exercised. */
export interface CoverageCount {
  /** How many of them tests have exercised. */
  readonly exercised: number
  /** How many there are. */
  readonly total: number
  /** 0 to 100, rounded down; 100 where there is nothing to exercise. */
  readonly percent: number
}

/** What tests have exercised of an operation. */
export interface OperationCoverage {
  /** `GET /users/{id}` */
  readonly operation: string
  /** The `operationId` in the document. */
  readonly operationId: string
  /** Whether it has answered with a documented status below 400. */
  readonly isExercised: boolean
  /** How often it has answered with each documented status, `'2XX'` included. */
  readonly statuses: Readonly<Record<string, number>>
  /** Statuses that no test has seen and that count; see {@link CoverageReport.statuses}. */
  readonly missing: readonly string[]
}

/** What tests have exercised of a document. */
export interface CoverageReport {
  /** Operations that have sent a documented status below 400, of all operations. */
  readonly operations: CoverageCount
  /**
   * Of all operations: what authors document, and who may pass (401, 403). What the framework itself answers anywhere,
   * such as 400 and 500, is tested once, there.
   */
  readonly statuses: CoverageCount
  /** In the document's order. */
  readonly rows: readonly OperationCoverage[]
}

/** Least percentages. A number is that of operations. */
export type CoverageThreshold =
  | number
  | {
      /** The least percentage of operations. Default 0. */
      readonly operations?: number
      /** The least percentage of statuses. Default 0. */
      readonly statuses?: number
    }

interface Row {
  readonly operation: string
  readonly operationId: string
  readonly hits: Map<string, number>
  /** Statuses that count. */
  readonly counted: Set<string>
}

/** Answers of the framework's own that belong to an operation all the same. */
const SHARED_AND_COUNTED = ['2XX', '401', '403']

/**
 * Which operations and statuses of a document tests have exercised. One that several applications share sums
 * up a whole file of tests.
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
  /** Found without making its key, for every answer after the first. */
  readonly #known: WeakMap<DocumentedOperation, Row> = new WeakMap()

  /** Makes operations known, exercised or not. The harness does. */
  declare(operations: readonly DocumentedOperation[]): void {
    for (const operation of operations) this.#rowOf(operation)
  }

  /** Notes an answer. The harness does. */
  record(operation: DocumentedOperation, status: string): void {
    const { hits } = this.#known.get(operation) ?? this.#rowOf(operation)
    hits.set(status, (hits.get(status) ?? 0) + 1)
  }

  /** What was exercised so far. */
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

  /** One line: `12 of 12 operations (100 %) and 30 of 41 statuses (73 %) exercised`. */
  summary(): string {
    const { operations, statuses } = this.report()
    const part = ({ exercised, total, percent }: CoverageCount, what: string) =>
      `${exercised} of ${total} ${what} (${percent} %)`
    return `${part(operations, 'operations')} and ${part(statuses, 'statuses')} exercised`
  }

  /**
   * Passes when at least so much was exercised.
   *
   * @param threshold Percent; a number means operations. Default 100.
   * @throws Error with what is missing.
   */
  check(threshold: CoverageThreshold = 100): void {
    const least = typeof threshold === 'number' ? { operations: threshold } : threshold
    const { operations, statuses, rows } = this.report()
    const isShort = operations.percent < (least.operations ?? 0)
    const lacksStatuses = statuses.percent < (least.statuses ?? 0)
    if (!isShort && !lacksStatuses) return
    const missing = rows.flatMap((row) => missingOf(row, lacksStatuses))
    throw new Error([`The tests exercise too little: ${this.summary()}.`, ...missing].join('\n  '))
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
  return isExercised ? [] : [`${operation}: no success`]
}
