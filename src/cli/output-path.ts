import { existsSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { CliError } from './cli-error.js'

/**
 * Where a file is to be written, as an absolute path with links followed.
 *
 * A relative path may not leave the project: that is what a slip in a script does. Where leaving is meant, the path
 * is written absolutely.
 *
 * @param option The option that names it, for messages.
 * @throws CliError when it leaves the project, or is a folder.
 */
export function outputPath(path: string, option: string, cwd: string): string {
  const target = resolve(cwd, path)
  const root = projectRoot(cwd)
  if (!isAbsolute(path) && isOutside(target, root)) {
    throw new CliError({
      status: 2,
      what: `${option} ${path} is outside the project.`,
      cause: `The project is ${root}.`,
      remedy: `Name a file inside it, or give the absolute path: ${option} ${target}`,
    })
  }
  const stats = statsOf(target)
  if (stats?.isDirectory()) {
    throw new CliError({
      status: 2,
      what: `${option} ${path} is a folder.`,
      cause: 'A file is written.',
      remedy: `Name a file in it: ${option} ${join(path, 'openapi.json')}`,
    })
  }
  return stats === undefined ? target : realpathSync(target)
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
