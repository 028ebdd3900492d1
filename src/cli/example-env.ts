import type { ReportedVariable } from '../features/env/report-env.js'

/** Names that a file of variables can hold. */
const NAME = /^[\p{L}_][\p{L}\p{N}_.-]*$/u

/**
 * The text of `.env.example`: each variable with its description by the schema. A variable with a default is commented
 * out, so a copy of the file changes nothing. No value of the environment is in it.
 */
export function exampleOf(variables: readonly ReportedVariable[]): string {
  return variables
    .filter(({ name }) => NAME.test(name))
    .map((variable) => `${commentsOf(variable).join('')}${assignmentOf(variable)}\n`)
    .join('\n')
}

function commentsOf({ description, expected, isRequired, isSecret }: ReportedVariable): string[] {
  const marks = [isRequired ? 'Required' : 'Optional', isSecret && 'secret', expected]
  return [
    ...(description ?? '').split(/\r\n|\p{Zl}|\p{Zp}|[\n\v\f\r\x85]/u),
    marks.filter(Boolean).join(', '),
  ]
    .filter((line) => line.trim() !== '')
    .map((line) => `# ${line.replace(/\p{Cc}/gu, ' ').trim()}\n`)
}

function assignmentOf({ name, fallback, isRequired }: ReportedVariable): string {
  if (isRequired) return `${name}=`
  return `# ${name}=${quoted(fallback ?? '')}`
}

const QUOTES = ['"', "'", '`']

/** Quotes a value for Node, which reads no escapes. A value that Node cannot read from one line is left out. */
function quoted(value: string): string {
  if (/^[^\s#'"`]*$/.test(value)) return value
  const quote = QUOTES.find((each) => !value.includes(each))
  return quote === undefined || /[\r\n\\]/.test(value) ? '' : `${quote}${value}${quote}`
}
