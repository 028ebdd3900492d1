import type { ConfigCode, Problem } from '../../../index.js'

/** Something that the doctor has found. */
export interface Finding extends Problem {
  /** `'error'`: tenants are not kept apart, or not for certain. `'warning'`: somebody should look at it. */
  readonly severity: 'error' | 'warning'
}

/** What a {@link Finding} says. */
export interface FindingFacts {
  /** What it is about: `table public.orders`. */
  readonly subject: string
  readonly cause: string
  readonly remedy: string
}

/** A finding, as severe as its code says. */
export function finding(code: ConfigCode, facts: FindingFacts): Finding {
  return { code, severity: code.startsWith('E_') ? 'error' : 'warning', ...facts }
}
