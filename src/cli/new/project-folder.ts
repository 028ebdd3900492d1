import { lstatSync, readdirSync, type Stats } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { CliError } from '../cli-error.js'
import { followLinks, isOutside } from '../output-path.js'
import { messageOf } from '../texts.js'

/** The files that the folder can already contain, because the user may have run `git init` before. */
const ALLOWED = ['.git']

/** The maximum number of file names in the message. */
const MOST_NAMES = 8

/**
 * Returns the absolute path of the project's folder, with links resolved. The folder does not exist, or is empty except
 * for `.git`.
 *
 * A relative path must stay inside the current folder, even after links are resolved. To create a project elsewhere,
 * pass an absolute path.
 *
 * @throws CliError if the path leaves the current folder, is a link or a file, or is a folder with other files.
 */
export function projectFolder(path: string, cwd: string): string {
  if (path.trim() === '' || path.includes('\0')) {
    throw wrong(JSON.stringify(path), 'It is not a folder name.', 'Specify a folder: my-api')
  }
  const named = resolve(cwd, path)
  const target = followLinks(named)
  if (!isAbsolute(path) && isOutside(target, followLinks(cwd))) {
    const remedy = `Change to that folder first, or specify the absolute path: blazon new ${target}`
    throw wrong(path, `It leads out of the current folder, to ${target}.`, remedy)
  }
  refuseOccupied(path, named)
  return target
}

function refuseOccupied(path: string, named: string): void {
  const stats = statsOf(named)
  if (stats === undefined) return
  if (!stats.isDirectory()) {
    const kind = stats.isSymbolicLink() ? 'a link' : 'a file'
    throw wrong(path, `It is ${kind}.`, 'Choose another folder. Nothing was written.')
  }
  const names = namesIn(path, named)
  if (names.length === 0) return
  const shown = names.slice(0, MOST_NAMES).join(', ')
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''
  throw wrong(
    path,
    `The folder is not empty. It contains: ${shown}${more}`,
    'Choose another folder. Nothing was written.',
  )
}

function namesIn(path: string, named: string): string[] {
  try {
    return readdirSync(named)
      .filter((name) => !ALLOWED.includes(name))
      .sort()
  } catch (error) {
    throw wrong(path, messageOf(error), 'Choose a folder that you can read and write.')
  }
}

/** Returns the file status; `undefined` if the path does not exist. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}

function wrong(path: string, cause: string, remedy: string): CliError {
  return new CliError({ status: 2, what: `No project can be created in ${path}.`, cause, remedy })
}
