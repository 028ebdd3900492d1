// Finds out whether `dist/` was built from the sources as they are. If not, `scripts/run.mjs` builds it. The tests copy it.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
/** The file with the hash of the sources that `dist/` was built from, below the root. */
export const STAMP = join('node_modules', '.built')
const SETTINGS = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts/build.mjs']

/** A hash of the names and contents of files. */
export function hashOf(files) {
  const digest = createHash('sha256')
  for (const file of files) digest.update(file).update(readFileSync(join(root, file)))
  return digest.digest('hex')
}

/** A hash of all that the build reads, and of the templates, which are part of the package that tests run. */
export function hashOfBuild() {
  return hashOf([...SETTINGS, ...filesIn('src'), ...filesIn('templates')])
}

/** Whether `dist/` is complete, and was built from files with this hash. */
export function isBuilt(hash) {
  const isThere = existsSync(join(root, 'dist')) && existsSync(join(root, STAMP))
  return isThere && readFileSync(join(root, STAMP), 'utf8') === hash
}

/** Builds `dist/`. While it is incomplete, it has no stamp, so that no test copies it. */
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
