import { existsSync, lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { CliError } from './cli-error.js'

/**
 * Where a file is to be written, as an absolute path with links followed.
 *
 * A relative path may not leave the project, by `..` or by a link: that is what a slip in a script does, or somebody who has put a link
 * into a repository. Where leaving is meant, the path is written absolutely.
 *
 * @param option The option that names it, for messages.
 * @throws CliError when it leaves the project, or is a folder.
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
      remedy: `Name a file inside it, or give the absolute path: ${option} ${target}`,
    })
  }
  const stats = statsOf(target)
  if (stats?.isDirectory()) {
    throw new CliError({
      status: 2,
      what: `${option} ${path} is a folder.`,
      cause: `The command writes a file, and ${target} is a folder.`,
      remedy: `Name a file in it: ${option} ${join(path, 'openapi.json')}`,
    })
  }
  return target
}

/** So many links one after the other are a circle, as Linux counts. */
const MOST_LINKS = 40

/** Where a path leads, whether there is something yet or not: links that lead to nothing are followed, too. */
function followLinks(path: string, left: number = MOST_LINKS): string {
  try {
    return realpathSync(path)
  } catch {
    // Nothing is there, or nothing that may be looked at.
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

/** What is at a path; nothing where a file stands in the place of one of its folders, which writing will tell. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function isOutside(target: string, root: string): boolean {
  const way = relative(root, target)
  return way === '..' || /^\.\.[/\\]/.test(way) || isAbsolute(way)
}

/** The repository, so that packages of one may write to each other; without one, the package; else the folder itself. */
function projectRoot(cwd: string): string {
  return nearestWith('.git', cwd) ?? nearestWith('package.json', cwd) ?? cwd
}

/** The nearest folder, from `folder` upwards, that holds a file or folder of that name. */
export function nearestWith(name: string, folder: string): string | undefined {
  for (let current = resolve(folder); ; current = dirname(current)) {
    if (existsSync(join(current, name))) return current
    if (dirname(current) === current) return undefined
  }
}
