import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { Problem } from '../../errors/config-error.js'
import type { EnvOptions } from './env-options.js'
import type { Variables } from './variables.js'

/**
 * The maximum size of a file with a value, in bytes. The whole environment of a process has a similar limit, so a
 * larger file cannot contain a single value.
 */
const MAX_BYTES = 1_048_576

/** The value in a file, or the reason why the file cannot be read. */
type Mounted = { readonly text: string; readonly fault?: undefined } | { readonly fault: string }

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this process is not allowed to read it',
  EPERM: 'this process is not allowed to read it',
  ENOTDIR: 'a part of the path is not a folder',
}

/** Matches strings that look like a path. Any other string may be the secret itself. */
const LOOKS_LIKE_PATH = /^(?:\.{0,2}[/\\]|[a-z]:[/\\])/i

/** Reads a mounted secret: the content of a file without its final line break. */
function readMounted(path: string): Mounted {
  // The variable may have been set to the secret itself, so its value is not shown unless it is a path.
  if (!isPath(path)) return { fault: 'Its value is not the path of a file.' }
  const file = LOOKS_LIKE_PATH.test(path) ? path : 'The file at this path'
  try {
    const stats = statSync(path)
    // Reading a pipe would block, and reading a device may never end.
    if (!stats.isFile()) return { fault: `${file} cannot be read: it is not a regular file.` }
    if (stats.size > MAX_BYTES) return { fault: `${file} is larger than ${MAX_BYTES} bytes.` }
    return { text: readFileSync(path, 'utf8').replace(/\r?\n$/, '') }
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    return { fault: `${file} cannot be read: ${REASONS[code] ?? code}.` }
  }
}

function isPath(text: string): boolean {
  return text.length <= 1024 && !text.includes('://') && !/[^ -~\xa0-\u{10ffff}]/u.test(text)
}

/** Environment variables, before validation. */
export type EnvRecord = Readonly<Record<string, string | undefined>>

/**
 * A source of variables: the environment, a file, or an object that was passed to `read`. The environment takes
 * precedence over a file.
 */
export interface Level {
  /** The name of the source in messages, such as `the environment` or `.env`. */
  readonly name: string
  readonly values: EnvRecord
}

/** The string that a variable is set to, and its source. */
export interface FoundVariable {
  /** `undefined` if the variable is not set. An empty string counts as not set. */
  readonly text: string | undefined
  /**
   * The source: `the environment`, `the given variables`, the name of a file with variables, or the path of a file with
   * the value; `null` if the variable is not set.
   */
  readonly from: string | null
  /** Whether the variable is set to an empty string. */
  readonly isEmpty: boolean
  /** The reason why the variable cannot be read; `null` if it can be read. */
  readonly problem: Problem | null
}

/** The configuration for one reading of the variables. */
export interface Scope {
  /** The variables to read instead of the environment. Files with variables are then ignored. */
  readonly from?: EnvRecord | undefined
  /** Whether the application runs in a `TestApp`. */
  readonly isTest?: boolean | undefined
  /** The folder that contains `.env`. Default: the working directory. */
  readonly cwd?: string | undefined
}

const DEFAULT_FILE = '.env'

/** The suffix of variables that contain the path of a file with the value. */
export const MOUNTED = '_FILE'

/** The sources of variables in order of precedence, and the problem with a file that cannot be read. */
interface Levels {
  readonly levels: readonly Level[]
  readonly problem?: Problem
}

/** Collects the sources of variables. */
export function levelsOf({ file }: EnvOptions, { from, isTest = false, cwd }: Scope): Levels {
  if (from !== undefined) return { levels: [{ name: 'the given variables', values: from }] }
  const environment: Level = { name: 'the environment', values: { ...process.env } }
  const isSkipped = file === undefined && (isTest || skipsFile())
  if (file === false || isSkipped) return { levels: [environment] }
  const { values, problem } = readVariables(file ?? DEFAULT_FILE, {
    cwd,
    isNeeded: file !== undefined,
  })
  if (problem !== undefined) return { levels: [environment], problem }
  return { levels: [environment, { name: file ?? DEFAULT_FILE, values: values ?? {} }] }
}

/** Whether `.env` is skipped in this environment, because a developer's file must not affect it. */
export function skipsFile(): boolean {
  return ['production', 'test'].includes(process.env['NODE_ENV'] ?? '')
}

/** Returns the names in a `.env` file that was not read. Messages use them to suggest a remedy. */
export function skippedNames(
  { file }: EnvOptions,
  { from, isTest, cwd }: Scope,
): readonly string[] {
  if (file !== undefined || from !== undefined || isTest === true || !skipsFile()) return []
  return Object.keys(readVariables(DEFAULT_FILE, { cwd, isNeeded: false }).values ?? {})
}

function readVariables(
  file: string,
  { cwd = '', isNeeded }: { readonly cwd: string | undefined; readonly isNeeded: boolean },
): { readonly values?: EnvRecord; readonly problem?: Problem } {
  try {
    return { values: parseEnv(readFileSync(resolve(cwd, file), 'utf8').replace(/^\uFEFF/, '')) }
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    // `EISDIR` is ignored because a folder with this name is usually a Python virtual environment.
    if (!isNeeded && ['ENOENT', 'EISDIR', 'ENOTDIR'].includes(code)) return {}
    const cause = `It cannot be read: ${code}.`
    return {
      problem: envProblem(
        file,
        cause,
        'Create the file or make it readable, or change the option `file` of env().',
      ),
    }
  }
}

/** Finds the string of every variable. */
export function findTexts(
  variables: Variables,
  levels: readonly Level[],
): Map<string, FoundVariable> {
  const names = [...variables.keys()]
  return new Map(names.map((name) => [name, findText(name, levels, variables)]))
}

const UNSET: FoundVariable = { text: undefined, from: null, isEmpty: false, problem: null }

function findText(name: string, levels: readonly Level[], variables: Variables): FoundVariable {
  for (const level of levels) {
    const found = inLevel(name, level, variables)
    if (found !== null) return found
  }
  return UNSET
}

/**
 * Finds a variable in one source; `null` if the source does not contain the variable. An empty variable counts as
 * found.
 */
function inLevel(name: string, level: Level, variables: Variables): FoundVariable | null {
  const text = ownText(level.values, name)
  const pathName = `${name}${MOUNTED}`
  // The schema may declare a separate variable with the name `pathName`.
  const path = variables.has(pathName) ? undefined : ownText(level.values, pathName)
  if (!path) return text === undefined ? null : direct(text, level.name)
  const base = { text: undefined, isEmpty: false, from: path }
  if (text) return { ...base, problem: setTwice(name, level) }
  const mounted = readMounted(path)
  if (mounted.fault === undefined) {
    return { text: mounted.text || undefined, from: path, isEmpty: !mounted.text, problem: null }
  }
  const remedy = `Correct ${pathName}, or grant this process read access to the file.`
  return { ...base, problem: envProblem(pathName, mounted.fault, remedy) }
}

function direct(text: string, from: string): FoundVariable {
  return { text: text || undefined, from, isEmpty: text === '', problem: null }
}

/** Reads only own properties, because `constructor` is a property of every object. */
function ownText(values: EnvRecord, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

function setTwice(name: string, level: Level): Problem {
  const cause = `${name} and ${name}${MOUNTED} are both set in ${level.name}.`
  return envProblem(name, cause, 'Remove one of them.')
}

/** Builds the problem for a variable, or for all variables. The problem never contains a value. */
export function envProblem(subject: string, cause: string, remedy: string): Problem {
  return { code: 'E_ENV_INVALID', subject, cause, remedy }
}
