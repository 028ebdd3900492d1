import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { readSources, root } from '../house/sources.js'

/** Inside the repository, so that the build finds its dependencies; ignored by git. */
const CACHE = join(root, '.cache', 'package')

/**
 * The folder of the package as it is published, built from the current sources. Test files that run at the
 * same time share it: each builds in its own folder, and the first to finish renames it.
 */
export function builtPackage(): string {
  mkdirSync(CACHE, { recursive: true })
  const name = sourcesHash()
  const folder = join(CACHE, name)
  if (existsSync(folder)) return folder
  const old = readdirSync(CACHE).filter((other) => !other.startsWith('stage-'))
  const stage = mkdtempSync(join(CACHE, 'stage-'))
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), join(stage, 'dist')])
  copyFileSync(join(root, 'package.json'), join(stage, 'package.json'))
  try {
    renameSync(stage, folder)
  } catch {
    rmSync(stage, { recursive: true, force: true })
  }
  for (const other of old) rmSync(join(CACHE, other), { recursive: true, force: true })
  return folder
}

function sourcesHash(): string {
  const hash = createHash('sha256')
  for (const file of [
    'package.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'scripts/build.mjs',
  ]) {
    hash.update(readFileSync(join(root, file)))
  }
  for (const { path, text } of readSources()) hash.update(path).update(text)
  return hash.digest('hex').slice(0, 16)
}
