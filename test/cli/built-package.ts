import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { hashOfBuild, isBuilt } from '../../scripts/build-stamp.mjs'
import { root } from '../root.js'

/** Inside the repository, so that the build finds its dependencies; ignored by git. */
const CACHE = join(root, '.cache', 'package')

/** Where npm would install it: tsx compiles other folders once more in each process. */
const PLACE = join('node_modules', 'blazon')

let built: string | undefined

/**
 * The folder of the package as it is published, built from the current sources. Test files that run at the
 * same time share it: each makes its own folder, and the first to finish renames it.
 */
export function builtPackage(): string {
  built ??= findOrMake()
  return built
}

function findOrMake(): string {
  mkdirSync(CACHE, { recursive: true })
  const hash = hashOfBuild()
  const folder = join(CACHE, hash.slice(0, 20))
  if (existsSync(folder)) return join(folder, PLACE)
  const old = readdirSync(CACHE).filter((other) => !other.startsWith('stage-'))
  const stage = mkdtempSync(join(CACHE, 'stage-'))
  const place = join(stage, PLACE)
  makeDist(join(place, 'dist'), hash)
  copyFileSync(join(root, 'package.json'), join(place, 'package.json'))
  cpSync(join(root, 'templates'), join(place, 'templates'), { recursive: true })
  try {
    renameSync(stage, folder)
  } catch {
    rmSync(stage, { recursive: true, force: true })
  }
  for (const other of old) rmSync(join(CACHE, other), { recursive: true, force: true })
  return join(folder, PLACE)
}

/** Copies the `dist/` of the repository, and builds only if that is not up to date. */
function makeDist(folder: string, hash: string): void {
  if (isBuilt(hash)) cpSync(join(root, 'dist'), folder, { recursive: true })
  else execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), folder])
}
