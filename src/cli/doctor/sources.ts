import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SourcePlace } from './finding.js'

/** A file of code of the project. */
export interface Source {
  readonly file: string
  readonly text: string
}

const CODE = /(?<!\.d)\.[cm]?[jt]s$/
/** Folders that hold no code of the project itself. */
const OTHERS = /^(?:\..*|node_modules|dist|build|out|coverage)$/

/** Reads the code in a folder and its subfolders, without other packages and unreadable folders. */
export function readSources(folder: string): Source[] {
  return entriesOf(folder).flatMap((entry) => {
    const file = join(folder, entry.name)
    if (entry.isFile() && CODE.test(entry.name)) return [{ file, text: readFileSync(file, 'utf8') }]
    const isOwn = entry.isDirectory() && !OTHERS.test(entry.name)
    return isOwn && !existsSync(join(file, 'package.json')) ? readSources(file) : []
  })
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** The first import of a door of this package, but not of its types alone. */
export function findImport(sources: readonly Source[], door: string): SourcePlace | null {
  const name = new RegExp(`^(?!\\s*(?:import|export) type\\b).*['"]blazon/${door}['"]`, 'm')
  for (const { file, text } of sources) {
    const found = name.exec(text)
    if (found !== null) return { file, line: text.slice(0, found.index).split('\n').length }
  }
  return null
}
