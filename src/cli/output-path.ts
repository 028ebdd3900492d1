import { existsSync, lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { CliError } from './cli-error.js'

/**
 * Returns the absolute path of a file to write, with symbolic links followed.
 *
 * A relative path must stay inside the project, even after `..` and links are resolved. This prevents accidents in
 * scripts, and protects against malicious links in a repository. To write outside of the project, pass an absolute
 * path.
 *
 * @param option The option that contains the path, for messages.
 * @throws CliError if the path leaves the project or is a folder.
 */
export function outputPath(path: string, option: string, cwd: string): string {
  const named = resolve(cwd, path)
  const target = followLinks(named)
  const root = followLinks(projectRoot(cwd))
  if (!isAbsolute(path) && isOutside(target, root)) {
    const way = target === named ? '' : ` The path leads to ${target}.`
    throw new CliError({
      status: 2,
      what: `${option} ${path} is outside the project.`,
      cause: `The project is ${root}.${way}`,
      remedy: `Specify a file inside it, or the absolute path: ${option} ${target}`,
    })
  }
  const stats = statsOf(target)
  if (stats?.isDirectory()) {
    throw new CliError({
      status: 2,
      what: `${option} ${path} is a folder.`,
      cause: `The command writes a file, but ${target} is a folder.`,
      remedy: `Specify a file in it: ${option} ${join(path, '<file>')}`,
    })
  }
  return target
}

/** The maximum length of a chain of links. A longer chain is treated as circular. Linux has the same limit. */
const MOST_LINKS = 40

/** Resolves the links of a path, even if the file does not exist yet or a link is broken. */
export function followLinks(path: string, left: number = MOST_LINKS): string {
  try {
    return realpathSync(path)
  } catch {
    // The path does not exist or cannot be read.
  }
  const folder = dirname(path)
  if (folder === path || left === 0) return path
  const real = join(followLinks(folder, left), basename(path))
  if (!isLink(real)) return real
  return followLinks(resolve(dirname(real), readlinkSync(real)), left - 1)
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}

/**
 * Returns the file status of a path; `undefined` if the path does not exist, or contains a file in place of a folder.
 * In the second case, the error is reported later, when the file is written.
 */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Whether a path is outside of a folder. Both paths must be absolute, with links resolved. */
export function isOutside(target: string, root: string): boolean {
  const way = relative(root, target)
  return way === '..' || /^\.\.[/\\]/.test(way) || isAbsolute(way)
}

/**
 * Returns the root of the repository, because a package may write files to another package of its repository. Without
 * a repository, returns the root of the package, or otherwise the folder itself.
 */
function projectRoot(cwd: string): string {
  return nearestWith('.git', cwd) ?? nearestWith('package.json', cwd) ?? cwd
}

/** Returns the closest folder, from `folder` upwards, that contains a file or folder with this name. */
export function nearestWith(name: string, folder: string): string | undefined {
  for (let current = resolve(folder); ; current = dirname(current)) {
    if (existsSync(join(current, name))) return current
    if (dirname(current) === current) return undefined
  }
}
