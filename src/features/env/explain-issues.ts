import type { Schema, ValidationIssue } from '../../contracts/schema.js'
import type { Problem } from '../../errors/config-error.js'
import { nearNames } from '../../errors/near-names.js'
import { describeVariables } from './expected.js'
import { envProblem, type FoundVariable, MOUNTED } from './sources.js'
import type { Variable, Variables } from './variables.js'

/** The data for messages about one reading of the variables. */
export interface EnvReading {
  readonly schema: Schema
  readonly variables: Variables
  readonly found: ReadonlyMap<string, FoundVariable>
  /** The names of variables that are set but are not in the schema. */
  readonly others: readonly string[]
  /** The names in a `.env` file that was not read. */
  readonly skipped: readonly string[]
}

/**
 * Explains the schema's issues: one problem for each variable, and one problem for all other issues. The problems never
 * contain values.
 */
export function explainIssues(issues: readonly ValidationIssue[], reading: EnvReading): Problem[] {
  const expectedOf = describeVariables(reading.schema)
  const problems = new Map<string, Problem>()
  for (const { path, message } of issues) {
    const name = String(path[0] ?? '')
    const variable = reading.variables.get(name)
    const { text, isEmpty, from, problem } = reading.found.get(name) ?? {}
    // The variable could not be read, which has already been reported.
    if (problems.has(name) || problem) continue
    if (variable === undefined) problems.set(name, together(message, reading))
    else {
      const { expected } = expectedOf(name)
      const facts = { variable, message, expected, text, isEmpty, from, reading }
      problems.set(name, text === undefined ? missing(facts) : refused({ ...facts, text }))
    }
  }
  return [...problems.values()]
}

interface IssueDeps {
  readonly variable: Variable
  readonly message: string
  readonly expected: string | undefined
  readonly text: string | undefined
  readonly isEmpty: boolean | undefined
  readonly from: string | null | undefined
  readonly reading: EnvReading
}

function missing({ variable, expected, isEmpty, from, reading }: IssueDeps): Problem {
  const { name, isSecret } = variable
  const cause =
    isEmpty === true ? `It is empty in ${from}, which counts as not set.` : 'It is not set.'
  const [near] = reading.others.filter((other) => nearNames(other, [name]).length > 0)
  if (near !== undefined) {
    return envProblem(name, cause, `${near} is set, but is not used: rename it to ${name}.`)
  }
  if (reading.skipped.includes(name)) {
    const remedy = `The file .env sets it, but is not read under NODE_ENV=${process.env['NODE_ENV']}: set ${name} in the environment, or start Node with --env-file=.env.`
    return envProblem(name, cause, remedy)
  }
  const mounted = isSecret
    ? ` Or set ${name}${MOUNTED} to the path of a file that contains it.`
    : ''
  const value = expected === undefined ? '' : `: ${expected}`
  return envProblem(name, cause, `Set it${value}.${mounted}`)
}

function refused(facts: IssueDeps & { readonly text: string }): Problem {
  const { variable, message, expected, text, from, reading } = facts
  const { name, isSecret } = variable
  // A library's message may contain a value or a part of a value. It must not reveal secrets.
  const isHidden = isSecret || [text, ...secretsIn(reading)].some((each) => repeats(message, each))
  const words = isHidden ? '' : ` ${asSentence(message)}`
  const remedy = expected === undefined ? 'Correct it' : `Set it to ${expected}`
  return envProblem(name, `Its value in ${from} is refused.${words}`, `${remedy}.`)
}

/**
 * Returns the values of all secrets, because a check in the schema may have read other variables than the rejected one.
 */
function secretsIn({ variables, found }: EnvReading): string[] {
  const secrets = [...variables.values()].filter(({ isSecret }) => isSecret)
  return secrets.flatMap(({ name }) => found.get(name)?.text ?? [])
}

/** Builds the problem for an issue that does not belong to a single variable. */
function together(message: string, { found }: EnvReading): Problem {
  const texts = [...found.values()].map(({ text = '' }) => text)
  const isSafe = !texts.some((text) => text !== '' && repeats(message, text))
  const words = isSafe
    ? asSentence(message)
    : 'The schema refuses this combination of variables; its message is not shown, because it repeats a value.'
  return envProblem('env()', words, 'Correct the variables that the schema compares.')
}

/** A message longer than this probably contains data, not only the library's own words. */
const MAX_MESSAGE = 300

/** The minimum length at which a part of a value makes the value recognizable. */
const TELLING = 5

/** Whether a message may contain a value or a recognizable part of it. Libraries quote, escape and shorten values. */
function repeats(message: string, text: string): boolean {
  if (message.length > MAX_MESSAGE || message.includes(text)) return true
  const parts = new Set<string>()
  for (let at = 0; at + TELLING <= message.length; at++) parts.add(message.slice(at, at + TELLING))
  for (const part of parts) if (text.includes(part)) return true
  return false
}

function asSentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`
}

/**
 * For each `env()`, the variables in a `.env` file that is not read in production. They are stored until an application
 * boots. The map belongs to the process, because `Env.read()` runs before the application exists.
 */
const unread = new Map<object, readonly string[]>()

/**
 * Stores the names of the variables that are not set, but that the skipped `.env` file would set.
 *
 * @param declaration Identifies the `env()`, so that its warning is reported once, even if the `env()` is read several
 * times before boot.
 */
export function noteUnread(declaration: object, { variables, found, skipped }: EnvReading): void {
  if (!isProduction()) return
  const names = skipped.filter((name) => {
    const variable = name.endsWith(MOUNTED) ? name.slice(0, -MOUNTED.length) : name
    const known = variables.has(name) ? name : variable
    // A variable that is set to an empty string was set on purpose.
    return variables.has(known) && found.get(known)?.from === null
  })
  if (names.length > 0) unread.set(declaration, names)
}

/** Returns and removes the stored warnings about variables. Outside production, there are no such warnings. */
export function takeUnread(): Problem[] {
  const warnings = [...unread.values()].map(warningOf)
  unread.clear()
  return isProduction() ? warnings : []
}

function isProduction(): boolean {
  return process.env['NODE_ENV'] === 'production'
}

function warningOf(names: readonly string[]): Problem {
  const [first] = names
  return {
    code: 'W_ENV_FILE_UNREAD',
    subject: '.env',
    cause: `It sets ${names.join(', ')}, but is not read under NODE_ENV=production, and the environment does not set ${names.length === 1 ? 'this variable' : 'these variables'}.`,
    remedy: `Set ${names.length === 1 ? first : 'them'} in the environment, or start Node with --env-file=.env. If the file is not meant for production, do not deploy it.`,
  }
}
