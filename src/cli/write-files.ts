import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
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
import { basename, dirname, join, relative } from 'node:path'
import { CliError } from './cli-error.js'
import { outputPath } from './output-path.js'
import type { Streams } from './program-context.js'
import { messageOf } from './texts.js'

/** A file and the content to write to it. */
export interface OutputFile {
  /** An absolute path with links resolved. Writing fails if a part of the path becomes a link afterwards. */
  readonly path: string
  readonly text: string
}

/** Whether the file was written or already had the content. */
export type WriteResult = 'written' | 'unchanged'

/**
 * Writes all files to temporary files, and then replaces each target atomically. If a file cannot be prepared, no
 * target changes. If a target cannot be replaced, the error lists the targets that have been replaced. A file that
 * already has the content is not written.
 *
 * @returns the result for each file, in the same order.
 * @throws CliError if a file cannot be written.
 */
export function writeFiles(files: readonly OutputFile[]): WriteResult[] {
  const changed = files.filter(({ path, text }) => readText(path) !== text)
  const staged: { from: string; to: string }[] = []
  const written: string[] = []
  try {
    for (const file of changed) staged.push(stage(file))
    for (const { to } of staged) refuseLinks(dirname(to))
    for (const { from, to } of staged) {
      renameSync(from, to)
      written.push(to)
    }
  } catch (error) {
    for (const { from } of staged) discard(from)
    if (error instanceof CliError) throw error
    throw cannotWrite(staged[written.length]?.to ?? 'The file', error, written)
  }
  return files.map((file) => (changed.includes(file) ? 'written' : 'unchanged'))
}

/** Returns the content of a file; `undefined` if it cannot be read. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Windows does not have this flag. There, only users with a certain privilege can create links. */
const NO_FOLLOW: number = constants.O_NOFOLLOW ?? 0

function makeFolder(folder: string): void {
  const parent = dirname(folder)
  if (statSync(folder, { throwIfNoEntry: false }) === undefined && parent !== folder) {
    makeFolder(parent)
    mkdirSync(folder)
  }
  refuseLinks(folder)
}

/**
 * Throws if a folder has become a link. The user's application runs between the check and the write, and could have
 * replaced the folder.
 */
function refuseLinks(folder: string): void {
  const real = realpathSync(folder)
  if (real !== folder) throw new Error(`${folder} was replaced by a link to ${real}`)
}

/** Writes to a temporary file beside the target, because a rename is atomic only within one file system. */
function stage({ path, text }: OutputFile): { from: string; to: string } {
  const from = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`)
  try {
    makeFolder(dirname(path))
    // A read-only file must not be replaced, even if its folder is writable.
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
    // Without this call, the renamed file could be empty after a power failure.
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Removes a temporary file. Errors from the removal are ignored, because the user needs the original error. */
function discard(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {}
}

function cannotWrite(path: string, error: unknown, written: readonly string[] = []): CliError {
  const rest =
    written.length === 0
      ? 'Nothing was written.'
      : `Only these files were written: ${written.join(', ')}.`
  return new CliError({
    status: 2,
    what: `${path} cannot be written.`,
    cause: messageOf(error),
    remedy: `Choose another file, or grant yourself write access to its folder. ${rest}`,
  })
}

/** Where new files are allowed, and the name of the option for messages. */
interface NewFiles {
  /** The folder of the project's `package.json`. */
  readonly root: string
  /** The option that specifies the folder or the file. */
  readonly option: string
}

/**
 * Writes new files, and prints their paths. Existing files are never replaced.
 *
 * @param files The files, with absolute paths.
 * @throws CliError if a file exists or is outside of the project, even if only through links.
 */
export function writeNew(
  files: readonly OutputFile[],
  { root, option }: NewFiles,
  streams: Streams,
): void {
  const named = files.map(({ path, text }) => ({ name: relative(root, path), path, text }))
  const targets = named.map(({ name, text }) => ({ path: outputPath(name, option, root), text }))
  const existing = named.find(({ path }) => existsSync(path))
  if (existing !== undefined) {
    throw new CliError({
      status: 2,
      what: `${existing.name} exists. Nothing was written.`,
      cause: 'The command does not replace files.',
      remedy: `Choose another name, or specify another place with ${option}.`,
    })
  }
  writeFiles(targets)
  for (const { name } of named) streams.out(`${name.replaceAll('\\', '/')} (new)\n`)
}
