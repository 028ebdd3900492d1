import { readFileSync } from 'node:fs'
import { repeatedCommand } from '../own-command.js'
import { findOwnLine, formatOwnLine, type OwnLine } from '../own-line.js'
import type { Ending } from './app-process.js'
import type { BootError, NamedPlace } from './protocol.js'

/** Why no process of the application serves, for people. */
export interface Failure {
  /** The whole text, for a terminal. */
  readonly text: string
  /** One line. */
  readonly title: string
  /** The place, the code around it, the remedy and the stack, as far as they are known. */
  readonly details: string
}

/** The situation in which a process has ended. */
export interface FailureContext {
  readonly cwd: string
  /** Whether it had listened: it crashed later. */
  readonly hasListened: boolean
}

/** Describes why a process has ended. */
export function failureOf(ending: Ending, context: FailureContext): Failure {
  const { error, how, output } = ending
  const what = context.hasListened ? 'The application ended' : 'The application did not start'
  const title = error === undefined ? `${what}: its process ended ${how}.` : `${what}.`
  const details = error === undefined ? detailsOfEnd(output, context) : detailsOf(error, context)
  // The terminal has the output already.
  const shown = error === undefined ? AFTER_END : details
  return { title, details, text: `blazon dev: ${title}\n${indent(shown)}` }
}

const AFTER_END = 'Its output is above. Save a file, and it starts again.'

function detailsOfEnd(output: string, { hasListened }: FailureContext): string {
  if (hasListened) return 'Its output is in the terminal. Save a file, and it starts again.'
  return output.trim() === '' ? 'It has written nothing to stderr.' : output.trimEnd()
}

function detailsOf(error: BootError, { cwd }: FailureContext): string {
  const places = (error.places ?? []).map(toOwnLine)
  // A syntax error names its place in the text, in front of the stack.
  const place = places[0] ?? findOwnLine(error.message) ?? findOwnLine(error.stack)
  const isDeclaration = error.name === 'ConfigError'
  const name = error.message.startsWith(error.name) || isDeclaration ? '' : `${error.name}: `
  const parts = [
    `${name}${error.message.trimEnd()}`,
    places.length > 0 ? listPlaces(error.places ?? [], cwd) : place && formatOwnLine(place, cwd),
    place && frameOf(place),
    // The text of this error has the remedy of each problem.
    isDeclaration ? undefined : remedyOf(error),
    ownStack(error.stack),
  ]
  return parts.filter((part) => part !== undefined && part !== '').join('\n\n')
}

/** The place of a decorator, whose column is where its line begins. */
function toOwnLine({ path, line }: NamedPlace): OwnLine {
  const text = readLines(path)[line - 1] ?? ''
  return { path, line, column: text.search(/\S|$/) + 1 }
}

/** `UsersController.getById: src/users-controller.ts:12:3`, a line for each place. */
function listPlaces(places: readonly NamedPlace[], cwd: string): string {
  return places.map((each) => `${each.name}: ${formatOwnLine(toOwnLine(each), cwd)}`).join('\n')
}

function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split(/\r?\n/)
  } catch {
    return []
  }
}

/** The line with two before it, and a mark under the column. */
function frameOf({ path, line, column }: OwnLine): string | undefined {
  const lines = readLines(path)
  if (lines.length === 0) return undefined
  const first = Math.max(1, line - 2)
  const width = String(line).length
  const shown = lines.slice(first - 1, line).map((text, i) => {
    const number = first + i
    return `${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${text}`
  })
  return [...shown, `  ${' '.repeat(width)} | ${' '.repeat(Math.max(0, column - 1))}^`].join('\n')
}

const REMEDIES: Readonly<Record<string, string | (() => string)>> = {
  ERR_MODULE_NOT_FOUND:
    'Correct the import, or create the file; a package is installed with `npm install`. In ES modules, a path needs its extension: `./users.js`.',
  MODULE_NOT_FOUND:
    'Correct the path, or create the file; a package is installed with `npm install`.',
  EADDRINUSE: () =>
    `End the other program, or choose another port: ${repeatedCommand('dev', '--port 3001')}`,
  EACCES: () => `Choose a port above 1023: ${repeatedCommand('dev', '--port 3000')}`,
  ECONNREFUSED: 'Start the server that the application connects to, or correct its address.',
}

function remedyOf({ name, code, message }: BootError): string {
  const known = code === undefined ? undefined : REMEDIES[code]
  if (known !== undefined) return typeof known === 'string' ? known : known()
  const isSyntax = name === 'SyntaxError' || /^Transform failed/.test(message)
  const what = isSyntax ? 'Correct the syntax' : 'Correct the code'
  return `${what} and save the file: the application starts again.`
}

/** The lines of the stack in the project's own code. */
function ownStack(stack: string): string {
  const lines = stack.split('\n').filter((line) => /^ +at /.test(line))
  return lines.filter((line) => !/node_modules|node:|\/blazon\/dist\//.test(line)).join('\n')
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '  ')
}
