import type { ConfigCode, Problem } from '../../../plugin/index.js'

/** A problem that the doctor has found. */
export interface Finding extends Problem {
  /**
   * `'error'`: tenants are not separated, or not with certainty. `'warning'`: a person should check
   * it.
   */
  readonly severity: 'error' | 'warning'
}

/** The texts of a {@link Finding}. */
export interface FindingFacts {
  /** The object that has the problem: `table public.orders`. */
  readonly subject: string
  readonly cause: string
  readonly remedy: string
}

/** Creates a finding. Its code decides the severity. */
export function finding(code: ConfigCode, facts: FindingFacts): Finding {
  return { code, severity: code.startsWith('E_') ? 'error' : 'warning', ...facts }
}
