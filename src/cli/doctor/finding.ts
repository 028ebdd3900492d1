import { relative } from 'node:path'
import type { ProductionCode } from '../../app/doctor/production-options.js'
import type { ConfigCode } from '../../errors/codes.js'
import { formatProblem, type Problem } from '../../errors/config-error.js'

/**
 * A code that only `blazon doctor` reports. `E_` means that something does not work, and `W_` that something should be
 * checked. The doctor also reports the codes of boot and of the database checks. `docs/doctor.md` explains each code.
 */
export type DoctorCode =
  | ProductionCode
  | 'E_APP_FAILED'
  | 'E_PACKAGE_INSTANCES'
  | 'E_PACKAGE_TWICE'
  | 'W_PEER_OLD'

/** A position in a file of the project. */
export interface SourcePlace {
  /** An absolute path. */
  readonly file: string
  /** The line, counted from 1; `null` for the whole file. */
  readonly line: number | null
}

/** A finding of the doctor. */
export interface Finding {
  readonly code: DoctorCode | ConfigCode
  readonly severity: 'error' | 'warning'
  /** The option, class or package with the problem. */
  readonly subject: string
  /** The position; `null` if the finding is not about a file, such as a finding about the database. */
  readonly place: SourcePlace | null
  readonly cause: string
  readonly remedy: string
}

/** The result of a check. */
export interface Checked {
  readonly findings: readonly Finding[]
  /** The reasons why checks did not run. */
  readonly notChecked: readonly string[]
}

/** Creates a finding. Its code determines the severity. */
export function finding(code: Finding['code'], facts: Omit<Finding, 'code' | 'severity'>): Finding {
  return { code, severity: code.startsWith('E_') ? 'error' : 'warning', ...facts }
}

/** Returns another program's message as a sentence. */
export function sentence(message: string): string {
  const text = message.trim().replace(/\s*\n\s*/g, ' ')
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** Returns the result of a check that did not run. */
export function notChecked(reason: string): Checked {
  return { findings: [], notChecked: [reason] }
}

/** The result of one check. */
export interface Group extends Checked {
  readonly name: string
}

/**
 * Returns the findings of each group as text, errors first; then the checks that ran and the checks that were skipped.
 */
export function toText(groups: readonly Group[], cwd: string): string {
  const found = groups.filter(({ findings }) => findings.length > 0)
  const paragraphs = found.map(({ name, findings }) =>
    [`${name}:`, ...sorted(findings).map((each) => indented(paragraph(each, cwd)))].join('\n'),
  )
  const checked = groups.filter(isChecked).map(({ name }) => name)
  const missing = groups.flatMap(({ name, notChecked }) =>
    notChecked.map((why) => `  ${name}: ${why}`),
  )
  const end = [
    `Checked: ${checked.join(', ')}.`,
    ...(missing.length === 0 ? [] : ['Not checked:', ...missing]),
  ]
  return `${[...paragraphs, end.join('\n')].join('\n\n')}\n`
}

/** Whether a check has findings or could check everything. */
function isChecked({ findings, notChecked }: Group): boolean {
  return findings.length > 0 || notChecked.length === 0
}

function sorted(findings: readonly Finding[]): Finding[] {
  return [...findings].sort(
    (a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'),
  )
}

function paragraph(finding: Finding, cwd: string): string {
  const { severity } = finding
  const place = nameOf(finding, cwd)
  // All codes are formatted in the same way.
  const problem = { ...finding, code: finding.code as Problem['code'] }
  const [first = '', ...rest] = formatProblem(problem).split('\n')
  return [`${severity} ${first}${place === '' ? '' : ` (${place})`}`, ...rest].join('\n')
}

function nameOf({ place }: Finding, cwd: string): string {
  if (place === null) return ''
  const name = relative(cwd, place.file).replaceAll('\\', '/')
  return place.line === null ? name : `${name}:${place.line}`
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ')
}

/** Returns the result of `toText` as data. */
export function toJson(groups: readonly Group[], cwd: string): object {
  const findings = groups.flatMap(({ name, findings }) =>
    sorted(findings).map(({ place, ...facts }) => ({
      group: name,
      ...facts,
      file: place === null ? null : relative(cwd, place.file).replaceAll('\\', '/'),
      line: place?.line ?? null,
    })),
  )
  return {
    findings,
    checked: groups.filter(isChecked).map(({ name }) => name),
    notChecked: groups.flatMap(({ name, notChecked }) =>
      notChecked.map((reason) => ({ group: name, reason })),
    ),
  }
}
