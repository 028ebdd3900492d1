import {
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CliError } from './cli-error.js'
import { messageOf } from './message-of.js'

/** A file that is to have this text. */
export interface OutputFile {
  /** Absolute, with links followed: what has become a link since is not written through. */
  readonly path: string
  readonly text: string
}

/** Whether a file had to be written. */
export type WriteResult = 'written' | 'unchanged'

/**
 * Gives files their text: all of them or none, each from one moment to the next, and none that has it already.
 *
 * @returns what happened to each, in the same order.
 * @throws CliError when one cannot be written.
 */
export function writeFiles(files: readonly OutputFile[]): WriteResult[] {
  const changed = files.filter(({ path, text }) => readText(path) !== text)
  const staged: { from: string; to: string }[] = []
  try {
    for (const file of changed) staged.push(stage(file))
    for (const { to } of staged) refuseLinks(dirname(to))
    for (const { from, to } of staged) renameSync(from, to)
  } catch (error) {
    for (const { from } of staged) discard(from)
    throw error instanceof CliError ? error : cannotWrite(staged[0]?.to ?? 'The file', error)
  }
  return files.map((file) => (changed.includes(file) ? 'written' : 'unchanged'))
}

/** The text of a file; `undefined` when there is none that can be read. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Windows has no such flag, and takes rights to make a link. */
const NO_FOLLOW: number = constants.O_NOFOLLOW ?? 0

function makeFolder(folder: string): void {
  const parent = dirname(folder)
  if (statSync(folder, { throwIfNoEntry: false }) === undefined && parent !== folder) {
    makeFolder(parent)
    mkdirSync(folder)
  }
  refuseLinks(folder)
}

/** Between the choice of a path and the writing, the user's application was loaded: what stands there may be another thing now. */
function refuseLinks(folder: string): void {
  const real = realpathSync(folder)
  if (real !== folder) throw new Error(`${folder} has become a link: it leads to ${real}`)
}

/** Writes beside the file, because only within one file system a rename is atomic. */
function stage({ path, text }: OutputFile): { from: string; to: string } {
  const from = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`)
  try {
    makeFolder(dirname(path))
    // A file that may not be written is not replaced either, though its folder would allow it.
    const mode = statSync(path, { throwIfNoEntry: false })?.mode
    if (mode !== undefined) closeSync(openSync(path, constants.O_RDWR | NO_FOLLOW))
    writeDurably(from, text)
    if (mode !== undefined) chmodSync(from, mode & 0o7777)
    return { from, to: path }
  } catch (error) {
    discard(from)
    throw cannotWrite(path, error)
  }
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'wx')
  try {
    writeFileSync(file, text)
    // Else a power cut may leave the new name on an empty file.
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** What failed before is what the user has to hear. */
function discard(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {}
}

function cannotWrite(path: string, error: unknown): CliError {
  return new CliError({
    status: 2,
    what: `${path} cannot be written.`,
    cause: messageOf(error),
    remedy:
      'Choose another file, or give yourself the right to write to its folder. Nothing was written.',
  })
}
