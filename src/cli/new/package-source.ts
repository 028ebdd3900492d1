import { existsSync, readFileSync, statSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { CliError } from '../cli-error.js'

/** A version, a range of one, or a tag. */
const VERSION = /^(?:[~^]?\d+\.\d+\.\d+(?:-[\w.-]+)?|[a-z][a-z0-9-]*)$/

/** The folders that paths begin from. */
interface Places {
  /** The folder of the command. */
  readonly cwd: string
  /** The folder of the project. */
  readonly folder: string
}

/**
 * The entry for blazon in `package.json` of the project.
 *
 * @param given A version, or the path of a tarball or folder.
 * @param fallback The range to use when nothing is given.
 * @throws CliError when the path does not name this package.
 */
export function packageSource(
  given: string | undefined,
  fallback: string,
  { cwd, folder }: Places,
): string {
  if (given === undefined) return fallback
  if (VERSION.test(given)) return given
  const path = resolve(cwd, given)
  if (!isPackage(path)) {
    throw new CliError({
      status: 2,
      what: `--package ${JSON.stringify(given)} is not a source of blazon.`,
      cause: existsSync(path)
        ? `${path} is neither a tarball (.tgz) nor a folder with the package blazon.`
        : `It is not a version, and there is no ${path}.`,
      remedy: 'Name a version, a tarball or a folder: --package ../blazon-0.1.0.tgz',
    })
  }
  // A relative path still holds when both folders move together.
  const way = isAbsolute(given) ? path : relative(folder, path)
  return `file:${way.replaceAll('\\', '/')}`
}

function isPackage(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isFile()) return path.endsWith('.tgz')
  return stats?.isDirectory() === true && nameIn(path) === 'blazon'
}

function nameIn(folder: string): unknown {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).name
  } catch {
    return undefined
  }
}
