import type { ProductionCode } from '../../app/doctor/production-options.js'
import type { ConfigCode } from '../../errors/codes.js'

/**
 * A code that only `blazon doctor` reports: `E_` does not work, `W_` should be looked at. The doctor also reports the codes
 * of boot and of the database. `docs/doctor.md` explains each.
 */
export type DoctorCode =
  | ProductionCode
  | 'E_APP_FAILED'
  | 'E_PACKAGE_INSTANCES'
  | 'E_PACKAGE_TWICE'
  | 'W_PEER_OLD'

/** A place in a file of the project. */
export interface SourcePlace {
  /** An absolute path. */
  readonly file: string
  /** Counted from 1; `null` if it is the whole file. */
  readonly line: number | null
}

/** Something that the doctor has found. */
export interface Finding {
  readonly code: DoctorCode | ConfigCode
  readonly severity: 'error' | 'warning'
  /** The option, class or package that is wrong. */
  readonly subject: string
  /** `null` if it is in no file, such as a finding about the database. */
  readonly place: SourcePlace | null
  readonly cause: string
  readonly remedy: string
}

/** The result of a check. */
export interface Checked {
  readonly findings: readonly Finding[]
  /** The checks that could not run, and why, a sentence each. */
  readonly notChecked: readonly string[]
}

/** Creates a finding. Its code decides the severity. */
export function finding(code: Finding['code'], facts: Omit<Finding, 'code' | 'severity'>): Finding {
  return { code, severity: code.startsWith('E_') ? 'error' : 'warning', ...facts }
}

/** A message of another program as a sentence. */
export function sentence(message: string): string {
  const text = message.trim().replace(/\s*\n\s*/g, ' ')
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** The result of a check that could check nothing. */
export function notChecked(reason: string): Checked {
  return { findings: [], notChecked: [reason] }
}
