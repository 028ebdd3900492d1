// Other versions of Node, fetched as npm packages.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** Not kept in git. */
const CACHE = join(import.meta.dirname, '.cache')
const QUIETLY = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']

const binaryOf = (major) => join(CACHE, 'node_modules', `node-${major}`, 'bin', 'node')

/** Paths of the latest Node of each major version, e.g. `['20', '24']`. All are fetched when one is missing, because npm removes what it is not told of. */
export function fetchNodes(majors) {
  if (!majors.every((major) => existsSync(binaryOf(major)))) {
    const packages = majors.map(
      (major) => `node-${major}@npm:node-${process.platform}-${process.arch}@${major}`,
    )
    console.error(`Fetching Node ${majors.join(', ')} …`)
    mkdirSync(CACHE, { recursive: true })
    execFileSync('npm', ['install', '--prefix', CACHE, ...QUIETLY, ...packages], {
      stdio: 'inherit',
    })
  }
  return majors.map(binaryOf)
}
