/**
 * The verdict on an operation. `PASS`: there was no leak, and every tenant received its own data, or its own IDs worked
 * and IDs of other tenants were refused like unknown IDs. `LEAK`: data of one tenant reached another tenant.
 * `INCONCLUSIVE`: no response could have shown a leak.
 */
export type IsolationVerdict = 'PASS' | 'LEAK' | 'INCONCLUSIVE'

/** One operation or job of an {@link IsolationReport}. */
export interface IsolationRow {
  /** The operation: `GET /orders/{id}`. */
  readonly operation: string
  /** The `operationId` in the document. */
  readonly operationId: string
  /** Whether the operation separates the data of tenants. */
  readonly verdict: IsolationVerdict
  /** The reason for the verdict, as a sentence. */
  readonly evidence: string
}

/**
 * How data of one tenant reached another tenant. `response`: in a response to another tenant. `log`, `cache`: in data
 * that was logged or cached for another tenant. `existence`: an ID of another tenant results in a different status than
 * an unknown ID. `loss`: after the request of one tenant, another tenant can no longer read its data. `job`: a job of
 * one tenant has data of another tenant in its input, or has accessed rows of another tenant or of an unknown tenant.
 */
export type IsolationLeakKind = 'response' | 'log' | 'cache' | 'existence' | 'loss' | 'job'

/** Data of one tenant that has reached another tenant. */
export interface IsolationLeak {
  /** How the data reached the other tenant. */
  readonly kind: IsolationLeakKind
  /** The operation: `GET /orders/{id}`. */
  readonly operation: string
  /** The `operationId` in the document. */
  readonly operationId: string
  /** The handler: `OrdersController.getById`. */
  readonly handler: string
  /** The tenant to which the data belongs. */
  readonly from: string
  /** The tenant that has received the data, or has caused the loss. */
  readonly to: string
  /**
   * The place in the response, log or cache: `body data[0].text`, `header location`, `cookie sid`, `its key`. For other
   * kinds of leaks, a clause that describes the leak.
   */
  readonly where: string
  /** The operation to which the data was sent, such as `POST /notes`; or `its ID`, `its user`. Empty if unknown. */
  readonly origin: string
  /** The phase of the test in which the leak was first found. */
  readonly phase: string
  /** The request of `to` as a curl command, without credentials. */
  readonly curl: string
  /** The number of occurrences of the leak. */
  readonly times: number
}

/** The fields of {@link IsolationReport}. */
export interface IsolationFindings {
  readonly seed: number
  readonly tenants: readonly string[]
  readonly requests: number
  readonly verdicts: readonly IsolationRow[]
  readonly leaks: readonly IsolationLeak[]
}

/** The result of `proveIsolation`. `toString()` returns a table for snapshots, and the leaks. */
export class IsolationReport implements IsolationFindings {
  /** The seed of the run. With the same options, this seed results in the same requests. */
  readonly seed: number
  /** The names of the tenants. */
  readonly tenants: readonly string[]
  /** The number of requests that were sent. */
  readonly requests: number
  /** A row for every documented operation, in the order of the document; then for routes in `middlewares`, and jobs. */
  readonly verdicts: readonly IsolationRow[]
  /** All leaks, without duplicates. */
  readonly leaks: readonly IsolationLeak[]

  constructor({ seed, tenants, requests, verdicts, leaks }: IsolationFindings) {
    this.seed = seed
    this.tenants = tenants
    this.requests = requests
    this.verdicts = verdicts
    this.leaks = leaks
  }

  /** One line for each verdict, then one paragraph for each leak. */
  toString(): string {
    const rows = this.verdicts.map(({ operation, verdict, evidence }) => [
      operation,
      verdict,
      evidence,
    ])
    return [table(rows), ...this.leaks.map((leak) => describeLeak(leak, this.seed))].join('\n\n')
  }
}

function table(rows: readonly string[][]): string {
  const widths = [0, 1].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)))
  const pad = (cell: string, column: number) => cell.padEnd(widths[column] ?? 0)
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n')
}

function describeLeak(leak: IsolationLeak, seed: number): string {
  const { operation, operationId, handler, phase, curl } = leak
  return [
    `LEAK ${operation} (${operationId}, ${handler}): ${describeCrossing(leak)}.`,
    `  seen:   ${phase}`,
    `  replay: the same options, with seed: ${seed}`,
    ...(curl === '' ? [] : [indent(curl)]),
  ].join('\n')
}

/** Describes how the data has reached the other tenant, as part of a sentence. */
export function describeCrossing({ kind, from, to, where, origin }: IsolationLeak): string {
  const what = origin === '' ? `data of ${from}` : `data that ${from} put into ${origin}`
  const whose = origin === 'its ID' ? `the ID of ${from}` : what
  switch (kind) {
    case 'response':
      return `${to} received ${whose}, in ${where}`
    case 'log':
      return `the log of a request of ${to} contains ${whose}, in ${where}`
    case 'cache':
      return `the cache of ${to} contains ${whose}, in ${where}`
    default:
      return `${to} ${where}`
  }
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ')
}
