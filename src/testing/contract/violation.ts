/**
 * What of an answer is not as documented. `envelope`: an error without it. `cache-key`: it is cached under a key that does not
 * contain what its handler has looked at.
 */
export type ViolationKind = 'status' | 'content-type' | 'header' | 'body' | 'envelope' | 'cache-key'

/** Something in an answer that its document does not say, or that it promises and that is not there. */
export interface ContractViolation {
  /** `GET /users/{id}`, as in the document. */
  readonly operation: string
  /** The `operationId` in the document. */
  readonly operationId: string
  /** `UsersController.getById`. */
  readonly handler: string
  /** The status of the response. */
  readonly status: number
  /** The part of the response that is not as documented. */
  readonly kind: ViolationKind
  /**
   * Where: `data.items[0].id` in the body, the name of a header, or `query.sort` of the request; empty for the answer as a
   * whole.
   */
  readonly path: string
  /** `null` where nothing is documented. */
  readonly expected: string | null
  /** The value in the response. */
  readonly got: string
  /** What to do about it. */
  readonly remedy: string
}

/** An answer that breaks the contract of its document. */
export class ContractError extends Error {
  /** Always `ContractError`. */
  override readonly name = 'ContractError'
  /** Everything that is wrong with one response; at least one. */
  readonly violations: readonly ContractViolation[]

  /**
   * Makes one error of everything that is wrong with one response.
   *
   * @param violations At least one.
   */
  constructor(violations: readonly ContractViolation[]) {
    super(formatViolations(violations))
    this.violations = violations
  }
}

/** What is wrong with one answer, for people. */
export function formatViolations(violations: readonly ContractViolation[]): string {
  const [first] = violations
  if (first === undefined) return ''
  const { operation, operationId, handler, status, kind } = first
  const what =
    kind === 'cache-key'
      ? 'is cached under a key without a value that its handler reads'
      : `answered ${status}, but its document says something else`
  const remedies = new Set(violations.map(({ remedy }) => `  → ${remedy}`))
  return [
    `${operation} ${what} (${operationId}, ${handler}):`,
    ...violations.map((violation) => `  ${formatLine(violation)}`),
    ...remedies,
  ].join('\n')
}

function formatLine({ kind, path, expected, got }: ContractViolation): string {
  const place = path === '' ? kind : `${kind} ${path}`
  return expected === null
    ? `${place} is not documented; got ${got}`
    : `${place}: expected ${expected}, got ${got}`
}
