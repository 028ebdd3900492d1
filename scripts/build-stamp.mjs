// Determines whether `dist/` was built from the current sources. If not, `scripts/run.mjs` builds it. The tests copy
// `dist/`.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
/** The path, relative to the root, of the file that contains the hash of the sources of `dist/`. */
export const STAMP = join('node_modules', '.built')
const SETTINGS = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts/build.mjs']

/** Returns a hash of the names and contents of files. */
export function hashOf(files) {
  const digest = createHash('sha256')
  for (const file of files) digest.update(file).update(readFileSync(join(root, file)))
  return digest.digest('hex')
}

/**
 * Returns a hash of all files that the build reads, and of the templates, which are part of the package that the tests
 * use.
 */
export function hashOfBuild() {
  return hashOf([...SETTINGS, ...filesIn('src'), ...filesIn('templates')])
}

/** Whether `dist/` is complete, and was built from files with this hash. */
export function isBuilt(hash) {
  const isThere = existsSync(join(root, 'dist')) && existsSync(join(root, STAMP))
  return isThere && readFileSync(join(root, STAMP), 'utf8') === hash
}

/** Builds `dist/`. The stamp is missing while `dist/` is incomplete, so that the tests do not copy it. */
export function buildWithStamp(hash, build) {
  rmSync(join(root, STAMP), { force: true })
  build()
  writeFileSync(join(root, STAMP), hash)
}

function filesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, name))
    .filter((name) => statSync(join(root, name)).isFile())
    .sort()
}
