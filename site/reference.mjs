// Makes ready the API reference in Markdown, once for each state of the sources.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hashOf, hashOfBuild } from '../scripts/build-stamp.mjs'
import { root } from './stage.mjs'

const folder = fileURLToPath(new URL('.cache/api', import.meta.url))
const stamp = `${folder}.stamp`

/** Writes the reference, if the sources have changed. Returns its folder. */
export function makeReference() {
  const wanted =
    hashOfBuild() + hashOf(['scripts/api/reference.mjs', 'scripts/api/package-lock.json'])
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return folder
  rmSync(stamp, { force: true })
  rmSync(folder, { recursive: true, force: true })
  console.error('Writing the API reference …')
  const program = join(root, 'scripts/api/reference.mjs')
  const { status } = spawnSync(process.execPath, [program, '--markdown', folder], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) throw new Error('The API reference could not be written: see above.')
  writeFileSync(stamp, wanted)
  return folder
}
