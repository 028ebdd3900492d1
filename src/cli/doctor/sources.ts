import { type Dirent, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Place } from './finding.js'

/** A file of code of the project. */
export interface Source {
  readonly file: string
  readonly text: string
}

const CODE = /\.[cm]?[jt]s$/
const TYPES = /\.d\.[cm]?ts$/
/** Folders that hold no code of the project itself. */
const OTHERS = /^(?:\..*|node_modules|dist|build|out|coverage)$/
const MOST_FILES = 5000

/** Files in the folder of another program, such as a package of the same repository. */
const ROOTS = ['package.json', 'tsconfig.json']

/** Reads the code in a folder and the folders in it, without those of other programs, in order of their names. */
export function readSources(folder: string): Source[] {
  const sources: Source[] = []
  const folders = [folder]
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const entries = entriesOf(next)
    if (next !== folder && entries.some(({ name }) => ROOTS.includes(name))) continue
    for (const entry of entries) {
      const path = join(next, entry.name)
      if (entry.isDirectory() && !OTHERS.test(entry.name)) folders.push(path)
      const isCode = entry.isFile() && CODE.test(entry.name) && !TYPES.test(entry.name)
      if (isCode && sources.length < MOST_FILES) sources.push({ file: path, text: textOf(path) })
    }
  }
  return sources.sort((a, b) => (a.file < b.file ? -1 : 1))
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** The text of a file; empty if it cannot be read. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** The first place where a pattern is found. */
export function findIn(sources: readonly Source[], pattern: RegExp): Place | null {
  for (const { file, text } of sources) {
    const found = pattern.exec(text)
    if (found !== null) return { file, line: text.slice(0, found.index).split('\n').length }
  }
  return null
}
