import { existsSync, lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { CliError } from './cli-error.js'

/**
 * The absolute path of a file to write. Symbolic links are followed.
 *
 * A relative path must stay inside the project, also through `..` and through links. This stops mistakes in scripts,
 * and links that a stranger has put into a repository. To write outside the project, pass an absolute path.
 *
 * @param option The option that names the path, for messages.
 * @throws CliError when the path leaves the project, or is a folder.
 */
export function outputPath(path: string, option: string, cwd: string): string {
  const named = resolve(cwd, path)
  const target = followLinks(named)
  const root = followLinks(projectRoot(cwd))
  if (!isAbsolute(path) && isOutside(target, root)) {
    const way = target === named ? '' : ` It leads to ${target}.`
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
      cause: `The command writes a file, and ${target} is a folder.`,
      remedy: `Specify a file in it: ${option} ${join(path, 'openapi.json')}`,
    })
  }
  return target
}

/** A longer chain of links is treated as circular. Linux has the same limit. */
const MOST_LINKS = 40

/** Resolves the links of a path, also if the file does not exist yet or a link is broken. */
export function followLinks(path: string, left: number = MOST_LINKS): string {
  try {
    return realpathSync(path)
  } catch {
    // The path does not exist, or cannot be read.
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
 * The file status of a path; `undefined` when one of its folders is a file. Writing reports that error later.
 */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Whether a path is outside a folder. Both are absolute and without links. */
export function isOutside(target: string, root: string): boolean {
  const way = relative(root, target)
  return way === '..' || /^\.\.[/\\]/.test(way) || isAbsolute(way)
}

/**
 * The root of the repository, because packages of one repository may write to each other. Else the root of
 * the package, else the folder itself.
 */
function projectRoot(cwd: string): string {
  return nearestWith('.git', cwd) ?? nearestWith('package.json', cwd) ?? cwd
}

/** The nearest folder, upwards from `folder`, that contains a file or folder with this name. */
export function nearestWith(name: string, folder: string): string | undefined {
  for (let current = resolve(folder); ; current = dirname(current)) {
    if (existsSync(join(current, name))) return current
    if (dirname(current) === current) return undefined
  }
}
