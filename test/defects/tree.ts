import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Defect } from './defect.js'

/** Makes a copy of the working tree with everything that git does not ignore, and `dist/`. The packages are a link. */
export function copyTree(root: string, folder: string): void {
  copySources(root, folder)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true })
}

/** The same without packages and without `dist/`, as a fresh clone. */
export function copySources(root: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const names = execFileSync('git', listed, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
  for (const name of names.split('\0')) {
    if (name === '' || !existsSync(join(root, name))) continue
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    cpSync(join(root, name), join(folder, name))
  }
}

/** Runs a function while a defect is in the tree. */
export async function planted<T>(
  folder: string,
  { id, file, replace }: Defect,
  run: () => Promise<T>,
): Promise<T> {
  const path = join(folder, file)
  const text = readFileSync(path, 'utf8')
  const [from, to] = replace
  const parts = text.split(from)
  if (parts.length !== 2) throw new Error(`${id}: the text does not occur once in ${file}.`)
  writeFileSync(path, parts.join(to))
  try {
    return await run()
  } finally {
    writeFileSync(path, text)
  }
}
