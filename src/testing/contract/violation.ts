import type { ContractViolation, ViolationKind } from '../../contracts/contract-violation.js'

/** Thrown when a response differs from its document. */
export class ContractError extends Error {
  /** Always `ContractError`. */
  override readonly name = 'ContractError'
  /** The violations of one response; at least one. */
  readonly violations: readonly ContractViolation[]

  /**
   * Creates one error for all violations of a response.
   *
   * @param violations At least one.
   */
  constructor(violations: readonly ContractViolation[]) {
    super(formatViolations(violations))
    this.violations = violations
  }
}

/** Thrown when no document can be built to compare a response with. The response itself has no part in it. */
export class UnbuiltDocumentError extends Error {}

const WHAT: { readonly [K in ViolationKind]?: string } = {
  'cache-key': 'is cached under a key without a value that its handler reads',
  visibility: 'shows fields to a caller who may not see them',
}

/** Formats the violations of one response as a message. */
export function formatViolations(violations: readonly ContractViolation[]): string {
  const [first] = violations
  if (first === undefined) return ''
  const { operation, operationId, handler, status, kind } = first
  const what = WHAT[kind] ?? `responded ${status}, but its document differs`
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
