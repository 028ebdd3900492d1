import { relative } from 'node:path'
import { formatProblem, type Problem } from '../../errors/config-error.js'
import type { Checked, Finding } from './finding.js'
import type { Project } from './project.js'

/** The result of one check. */
export interface Group extends Checked {
  readonly name: string
}

/** The findings of each group, errors first; then the checks that have run, and those that have not. */
export function toText(groups: readonly Group[], { cwd }: Project): string {
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

/** Whether a check has found something, or could check everything. */
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
  // The format is the same for all codes.
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

/** The same as data. */
export function toJson(groups: readonly Group[], { cwd }: Project): object {
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
