import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ConfigError } from '../../../index.js'
import type { Problem } from '../../../plugin/index.js'
import { UnclosedError } from '../sql-tokens.js'
import { type ScriptStatement, splitStatements } from './split-statements.js'

/** A statement of a migration. */
export interface MigrationStatement {
  readonly text: string
  /** The line at which the statement begins in the file, counted from 1. */
  readonly line: number
}

/** A migration file. */
export interface MigrationFile {
  /** The file name with its extension, such as `0001_create_orders.sql`. */
  readonly name: string
  /** The SHA-256 of the file's content, in hexadecimal. It does not depend on line endings. */
  readonly checksum: string
  /** Whether the whole file runs in one transaction. */
  readonly isTransactional: boolean
  readonly statements: readonly MigrationStatement[]
}

const NAME = /^(\d{4,14})_[a-z0-9]+(?:_[a-z0-9]+)*\.sql$/
const EXAMPLE = '0001_create_orders.sql'
/** The only directive. It makes the file run without a transaction. */
const NO_TRANSACTION = '-- blazon: no-transaction'

/**
 * Reads the migrations in a folder, in the order in which they run.
 *
 * @throws ConfigError with all problems in the migrations.
 */
export async function readMigrations(folder: string): Promise<MigrationFile[]> {
  watchMigrations(folder)
  const names = (await listFolder(folder)).sort()
  assertNone([...names.flatMap(checkName), ...checkNumbers(names)])
  const problems: Problem[] = []
  const files: MigrationFile[] = []
  for (const name of names) {
    try {
      files.push(parseMigration(name, await readBytes(folder, name)))
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems.push(...error.problems)
    }
  }
  assertNone(problems)
  return files
}

/**
 * Reads one migration.
 *
 * @throws ConfigError if its content is invalid.
 */
export function parseMigration(name: string, bytes: Uint8Array): MigrationFile {
  const text = decode(name, bytes)
  checkScript(name, text, NO_TRANSACTION)
  const statements = [...splitStatements(text)]
  return {
    name,
    checksum: createHash('sha256').update(text).digest('hex'),
    isTransactional: !text.startsWith(NO_TRANSACTION),
    statements: statements.map((each) => ({ text: each.text, line: lineAt(text, each.start) })),
  }
}

/**
 * Lists the paths in the folder and its subfolders that end with `.sql`, without hidden files. The extension is
 * case-insensitive.
 */
async function listFolder(folder: string): Promise<string[]> {
  try {
    const paths = await readdir(folder, { recursive: true })
    return paths
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => /\.sql$/i.test(path) && !/(?:^|\/)\./.test(path))
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
    const cause = `The folder ${resolve(folder)} cannot be read (${code}).`
    const remedy = 'Specify the folder that contains the migrations.'
    const problem: Problem = { code: 'E_OPTION_INVALID', subject: 'migrations', cause, remedy }
    throw new ConfigError([problem], { cause: error })
  }
}

/** The key of the function that `blazon dev` defines in application processes. */
const WATCH = Symbol.for('blazon.watch')

/** Restarts the application when a migration is changed, added or removed. Has no effect outside `blazon dev`. */
function watchMigrations(folder: string): void {
  const { [WATCH]: watch } = globalThis as { [WATCH]?: (folder: string) => void }
  watch?.(resolve(folder))
}

function checkName(name: string): Problem[] {
  if (NAME.test(name)) return []
  if (name.includes('/')) {
    return [
      fileProblem(
        name,
        'It is in a subfolder.',
        'All migrations must be in one folder. Move the file to that folder.',
      ),
    ]
  }
  const cause =
    'Its name does not have the form of a migration name: a number of 4 to 14 digits, then words of lower-case letters and digits, each after an underscore, then .sql.'
  return [fileProblem(name, cause, `Rename it, as in ${EXAMPLE}.`)]
}

// Gaps between numbers are allowed, because branches are merged and numbers can be dates.
function checkNumbers(names: readonly string[]): Problem[] {
  const numbered = names.filter((name) => NAME.test(name))
  const digits = (name: string) => name.slice(0, name.indexOf('_'))
  return numbered.slice(1).flatMap((name, index) => {
    const before = numbered[index] as string
    if (digits(name) === digits(before)) {
      return [fileProblem(name, `It has the same number as ${before}.`, 'Use the next number.')]
    }
    if (digits(name).length === digits(before).length) return []
    const cause = `Its number has more or fewer digits than the number of ${before}, so the order of the names is not the order of the numbers.`
    return [fileProblem(name, cause, 'Use the same number of digits for all migrations.')]
  })
}

async function readBytes(folder: string, name: string): Promise<Uint8Array> {
  try {
    return await readFile(join(folder, name))
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new ConfigError([
      fileProblem(
        name,
        `It cannot be read (${code}).`,
        'Make sure that it is a file that this user can read.',
      ),
    ])
  }
}

/** Decodes the bytes and converts line endings, so that the text is the same on every system. */
function decode(name: string, bytes: Uint8Array): string {
  const text = decodeUtf8(bytes)?.replace(/\r\n?/g, '\n')
  if (text !== undefined && !text.includes('\0')) return text
  throw new ConfigError([
    fileProblem(name, 'It is not UTF-8, or it contains a NUL character.', 'Save it as UTF-8.'),
  ])
}

/** Decodes UTF-8 without a byte order mark; `undefined` if the bytes are not valid UTF-8. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function fileProblem(name: string, cause: string, remedy: string): Problem {
  return { code: 'E_MIGRATION_FILE', subject: name, cause, remedy }
}

function assertNone(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new ConfigError(problems)
}

interface Fault {
  readonly at: number
  readonly cause: string
  readonly remedy: string
}

/**
 * Checks that a migration contains only statements that can be run and that do not end its transaction.
 *
 * @param name The name of its file.
 * @param directive The directive that is allowed in its first line.
 * @throws ConfigError with the first problem, because the rest of the text cannot be parsed reliably.
 */
function checkScript(name: string, text: string, directive: string): void {
  const fault = faultOfDirective(text, directive) ?? faultOfStatements(text)
  if (fault === undefined) return
  const { at, cause, remedy } = fault
  const subject = `${name}:${lineAt(text, at)}`
  throw new ConfigError([{ code: 'E_MIGRATION_FILE', subject, cause, remedy } satisfies Problem])
}

/** Finds a directive that is misspelt or not in the first line and would otherwise count as a comment. */
function faultOfDirective(text: string, directive: string): Fault | undefined {
  const found = /^--[^\S\n]*blazon[^\S\n]*:.*$/m.exec(text)
  if (found === null || (found.index === 0 && found[0].trimEnd() === directive)) return undefined
  const cause = 'It looks like a directive, but it is not one.'
  return { at: found.index, cause, remedy: `The first line can be: ${directive}` }
}

function faultOfStatements(text: string): Fault | undefined {
  try {
    let isEmpty = true
    for (const statement of splitStatements(text)) {
      isEmpty = false
      const fault = faultOf(statement)
      if (fault !== undefined) return fault
    }
    return isEmpty ? EMPTY : undefined
  } catch (error) {
    if (!(error instanceof UnclosedError)) throw error
    const cause = 'A quote or a comment begins here, but is not closed.'
    return { at: error.start, cause, remedy: 'Close the quote or the comment.' }
  }
}

const EMPTY: Fault = {
  at: 0,
  cause: 'It has no statement.',
  remedy: 'Write a statement, or delete the file: an applied migration cannot be changed.',
}

function faultOf(statement: ScriptStatement): Fault | undefined {
  const { start, backslash, isCopy, words } = statement
  if (backslash !== undefined) {
    const cause = 'A backslash begins a psql command, but migrations do not run in psql.'
    return { at: backslash, cause, remedy: 'Remove the command; a migration is plain SQL.' }
  }
  if (isCopy) {
    const cause =
      'COPY would read rows from psql or write them to psql, but migrations do not run in psql.'
    return {
      at: start,
      cause,
      remedy: 'Use INSERT statements; pg_dump writes them with --inserts.',
    }
  }
  if (!endsTransaction(words)) return undefined
  const cause = `${words[0]?.toUpperCase()} would begin or end a transaction, but a whole migration runs in one transaction or in none.`
  return { at: start, cause, remedy: 'Remove this statement.' }
}

function endsTransaction([first = '', ...rest]: readonly string[]): boolean {
  // `ROLLBACK TO SAVEPOINT` does not end the transaction.
  if (first === 'rollback') return !rest.includes('to')
  if (first === 'prepare' || first === 'start') return rest[0] === 'transaction'
  return ['begin', 'commit', 'end', 'abort'].includes(first)
}

/** Returns the line number of a position in a string, counted from 1. */
export function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length
}
