import { formatProblem } from '../errors/config-error.js'
import type { EnvReport, ReportedVariable } from '../features/env/report-env.js'
import { CliError } from './cli-error.js'
import { type LoadOptions, loadApp } from './load/load-app.js'
import { outputPath } from './output-path.js'
import type { Streams } from './program-context.js'
import { alignRows, counted } from './texts.js'
import { readText, writeFiles } from './write-files.js'

/** Options of `config`. */
export interface ConfigOptions extends LoadOptions {
  readonly json?: boolean
  /** The path of the example file; `true` for the default path. */
  readonly example?: string | true
  readonly force?: boolean
}

const EXAMPLE = '.env.example'

/**
 * Prints an application's variables with their values, or writes an example file. Secrets are masked.
 *
 * @throws CliError if a variable is invalid, the application describes no variables, or the example file exists with
 * other content.
 */
export async function showConfig(options: ConfigOptions, streams: Streams): Promise<void> {
  const { envs } = await loadApp({ kind: 'env' }, options)
  if (envs.length === 0) throw describesNone()
  const variables = mergeVariables(envs)
  if (options.example !== undefined) return writeExample(variables, options, streams)
  if (options.json === true) streams.out(`${JSON.stringify(variables, null, 2)}\n`)
  else for (const line of alignRows(variables.map(rowOf))) streams.out(`${line}\n`)
  for (const { name, meant } of envs.flatMap(({ misspelt }) => misspelt)) {
    streams.note(`${name} is set, but is not used: did you mean ${meant}?`)
  }
  refuseWrong(envs)
}

/** Lists every variable once. Several `env()` calls in an application can describe the same variable. */
function mergeVariables(envs: readonly EnvReport[]): ReportedVariable[] {
  const merged = new Map<string, ReportedVariable>()
  for (const variable of envs.flatMap(({ variables }) => variables)) {
    const known = merged.get(variable.name)
    // If at least one schema marks a variable as secret, the masked value is used.
    if (known === undefined || (variable.isSecret && !known.isSecret)) {
      merged.set(variable.name, variable)
    }
  }
  return [...merged.values()]
}

function rowOf({ name, value, from }: ReportedVariable): string[] {
  return [name, value === null ? '(not set)' : printable(value), from ?? '']
}

/**
 * Returns a value for the terminal. A value that could affect the terminal, or could be mistaken for a missing value,
 * is quoted.
 */
function printable(value: string): string {
  return /^[^\p{C}\s]+(?: [^\p{C}\s]+)*$/u.test(value) ? value : quoted(value)
}

function quoted(value: string): string {
  const escaped = (character: string) =>
    `\\u${character.codePointAt(0)?.toString(16).padStart(4, '0')}`
  return JSON.stringify(value).replace(/\p{C}/gu, escaped)
}

function refuseWrong(envs: readonly EnvReport[]): void {
  const problems = new Set(envs.flatMap((each) => each.problems).map(formatProblem))
  if (problems.size === 0) return
  const list = [...problems].map((problem, index) => `${index + 1}. ${problem}`)
  const what = `The variables are invalid: ${counted(problems.size, 'problem')}.\n\n${list.join('\n\n')}`
  throw new CliError({ status: 1, what })
}

function describesNone(): CliError {
  return new CliError({
    status: 2,
    what: 'The application describes no variables.',
    cause: 'Neither its module nor a module that it imports calls env().',
    remedy: 'Describe them: export const Env = env(z.object({ PORT: … })).',
  })
}

function writeExample(
  variables: readonly ReportedVariable[],
  { example, force, cwd }: ConfigOptions,
  streams: Streams,
): void {
  const text = exampleOf(variables)
  if (example === '-') return streams.out(text)
  const name = example === true || example === undefined ? EXAMPLE : example
  const path = outputPath(name, '--example', cwd)
  const present = readText(path)
  if (present !== undefined && present !== text && force !== true) {
    throw new CliError({
      status: 2,
      what: `${name} exists.`,
      cause: 'Its content is out of date.',
      remedy: 'Add --force to replace it, or --example - to print the new content.',
    })
  }
  const [result] = writeFiles([{ path, text }])
  streams.note(`${name} (${result}): ${counted(variables.length, 'variable')}.`)
}

/** Matches a name that an `.env` file can contain. */
const NAME = /^[\p{L}_][\p{L}\p{N}_.-]*$/u

/**
 * Returns the content of `.env.example`: each variable with its description from the schema. An optional variable is
 * commented out, so that a copy of the file changes nothing. The content includes no values from the environment.
 */
function exampleOf(variables: readonly ReportedVariable[]): string {
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
  return `# ${name}=${quotedForNode(fallback ?? '')}`
}

const QUOTES = ['"', "'", '`']

/** Quotes a value for Node, which does not support escapes. A value that Node cannot read from one line is omitted. */
function quotedForNode(value: string): string {
  if (/^[^\s#'"`]*$/.test(value)) return value
  const quote = QUOTES.find((each) => !value.includes(each))
  return quote === undefined || /[\r\n\\]/.test(value) ? '' : `${quote}${value}${quote}`
}
