/** What was seen of an operation. `INCONCLUSIVE`: nothing that would prove anything. */
export type IsolationVerdict = 'PASS' | 'LEAK' | 'INCONCLUSIVE'

/** One operation of an {@link IsolationReport}. */
export interface IsolationRow {
  /** `GET /orders/{id}` */
  readonly operation: string
  /** The `operationId` in the document. */
  readonly operationId: string
  /** Whether the operation keeps tenants apart. */
  readonly verdict: IsolationVerdict
  /** What the verdict rests on, in words. */
  readonly evidence: string
}

/**
 * `answer`: something of a tenant's was in an answer to another. `log`, `cache`: it was in what was logged or cached for
 * another. `existence`: somebody else's id is answered otherwise than one that nobody has. `loss`: what one tenant sent has
 * cost another what it had.
 */
export type IsolationLeakKind = 'answer' | 'log' | 'cache' | 'existence' | 'loss'

/** Something that has crossed from one tenant to another. */
export interface IsolationLeak {
  /** The way that it crossed. */
  readonly kind: IsolationLeakKind
  /** `GET /orders/{id}` */
  readonly operation: string
  /** The `operationId` in the document. */
  readonly operationId: string
  /** `OrdersController.getById` */
  readonly handler: string
  /** Whose it is. */
  readonly from: string
  /** Who has seen it, or has done it. */
  readonly to: string
  /** `body data[0].text`, `header location`, `cookie sid`; for other kinds, a sentence. */
  readonly where: string
  /** Where it had been put: `POST /notes`. Empty where that is not known. */
  readonly origin: string
  /** What was being done when it was first seen. */
  readonly phase: string
  /** The request of `to`, for a shell; credentials are left out. */
  readonly curl: string
  /** How often it was seen. */
  readonly times: number
}

/** What {@link IsolationReport} is made of. */
export interface IsolationFindings {
  readonly seed: number
  readonly tenants: readonly string[]
  readonly requests: number
  readonly verdicts: readonly IsolationRow[]
  readonly leaks: readonly IsolationLeak[]
}

/** What `proveIsolation` has seen. As text, a table for snapshots, and what leaks. */
export class IsolationReport implements IsolationFindings {
  /** Makes the same requests again. */
  readonly seed: number
  /** What the tenants are called. */
  readonly tenants: readonly string[]
  /** How many were sent. */
  readonly requests: number
  /** A row for every documented operation, in the order of the document. */
  readonly verdicts: readonly IsolationRow[]
  /** Everything that has crossed, each once. */
  readonly leaks: readonly IsolationLeak[]

  constructor({ seed, tenants, requests, verdicts, leaks }: IsolationFindings) {
    this.seed = seed
    this.tenants = tenants
    this.requests = requests
    this.verdicts = verdicts
    this.leaks = leaks
  }

  /** A line for each operation, then a paragraph for each leak. */
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
    indent(curl),
  ].join('\n')
}

/** What has crossed, as the part of a sentence. */
export function describeCrossing({ kind, from, to, where, origin }: IsolationLeak): string {
  const what = origin === '' ? `something of ${from}'s` : `what ${from} had put in ${origin}`
  const whose = origin === 'its id' ? `${from}'s id` : what
  switch (kind) {
    case 'answer':
      return `${to} was shown ${whose}, in ${where}`
    case 'log':
      return `the log of a request of ${to}'s shows ${whose}, in ${where}`
    case 'cache':
      return `what is cached for ${to} holds ${whose}, in ${where}`
    default:
      return `${to} ${where}`
  }
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ')
}
