import type { ConfigCode } from '../../errors/codes.js'
import type { DoctorCode } from './codes.js'

/** A place in a file of the project. */
export interface Place {
  /** An absolute path. */
  readonly file: string
  /** Counted from 1; `null` if it is the whole file. */
  readonly line: number | null
}

/** Something that the doctor has found. */
export interface Finding {
  readonly code: DoctorCode | ConfigCode
  readonly severity: 'error' | 'warning'
  /** The option, class, package or script that is wrong. */
  readonly subject: string
  /** `null` if it is in no file, such as a finding about the database. */
  readonly place: Place | null
  readonly cause: string
  readonly remedy: string
}

/** The result of a check. */
export interface Checked {
  readonly findings: readonly Finding[]
  /** What could not be checked, and why, a sentence each. */
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

/** The result of a check that has checked everything. */
export function found(...findings: readonly Finding[]): Checked {
  return { findings, notChecked: [] }
}

/** The result of a check that could check nothing. */
export function notChecked(reason: string): Checked {
  return { findings: [], notChecked: [reason] }
}

/** Joins results. */
export function joined(results: readonly Checked[]): Checked {
  return {
    findings: results.flatMap(({ findings }) => findings),
    notChecked: results.flatMap(({ notChecked }) => notChecked),
  }
}
