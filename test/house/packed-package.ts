import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { builtPackage } from '../cli/built-package.js'
import { root } from '../root.js'

/** A file of a tarball. */
export interface PackedFile {
  /** Relative to the package. */
  readonly path: string
  /** The permission bits. */
  readonly mode: number
  readonly bytes: number
}

/** Everything that the manifest and npm put into the package, besides `dist`. */
const TEXTS = [
  'package.json',
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'SECURITY.md',
  'docs',
  'templates',
]

/** Packs the package as npm publishes it, into a new folder. Returns the path of the tarball. */
export function packPackage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'blazon-pack-'))
  const stage = join(folder, 'stage')
  mkdirSync(stage)
  for (const name of TEXTS) cpSync(join(root, name), join(stage, name), { recursive: true })
  cpSync(join(builtPackage(), 'dist'), join(stage, 'dist'), { recursive: true })
  // Without the link, npm warns about missing peers.
  symlinkSync(join(root, 'node_modules'), join(stage, 'node_modules'), 'dir')
  const args = ['pack', '--json', '--offline', '--ignore-scripts', '--pack-destination', folder]
  const output = execFileSync('npm', args, { cwd: stage, encoding: 'utf8', stdio: 'pipe' })
  return join(folder, JSON.parse(output)[0].filename)
}

/** The size of a block in a tar archive, in bytes. */
const BLOCK = 512

/** The files of a tarball of npm. Each has a header of one block, and then the blocks of its content. */
export function readTarball(path: string): PackedFile[] {
  const tar = gunzipSync(readFileSync(path))
  const files: PackedFile[] = []
  for (let at = 0; tar[at] !== 0; ) {
    const text = (from: number, length: number) =>
      tar.toString('utf8', at + from, at + from + length).replace(/\0.*$/s, '')
    const bytes = Number.parseInt(text(124, 12), 8)
    const full = [text(345, 155), text(0, 100)].filter((part) => part !== '').join('/')
    const mode = Number.parseInt(text(100, 8), 8) & 0o777
    files.push({ path: full.replace(/^package\//, ''), mode, bytes })
    at += BLOCK + Math.ceil(bytes / BLOCK) * BLOCK
  }
  return files
}
