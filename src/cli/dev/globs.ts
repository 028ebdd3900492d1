import { readdirSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { isOutside } from '../output-path.js'

/** Files that are watched by their names. */
export interface Globs {
  /** The folders in which the files are, without repetition. */
  readonly folders: readonly string[]
  /** @param path An absolute path. */
  matches(path: string): boolean
}

/** The files of a folder, and of those below it, that have an ending. */
export interface FolderFiles {
  /** An absolute path. */
  readonly folder: string
  /** `.sql` */
  readonly ending: string
}

/** Returns the glob of such files. The folder may have any name: no character of it is special. */
export function globOf({ folder, ending }: FolderFiles): Globs {
  return {
    folders: [folder],
    matches: (path) => path.endsWith(ending) && !isOutside(path, folder),
  }
}

/** Nobody writes there, and there are many files. */
const SKIPPED = new Set(['node_modules', '.git'])
const SPECIAL = /[*?{]/

/**
 * Reads globs: `*` and `?` within a name, `**` over folders, `{a,b}`. A folder means all files in it.
 *
 * @param cwd The folder from which the globs lead.
 */
export function readGlobs(globs: readonly string[], cwd: string): Globs {
  const all = globs.map((glob) => readGlob(glob, cwd))
  return {
    folders: [...new Set(all.map(({ folder }) => folder))],
    matches: (path) =>
      all.some(
        ({ folder, pattern }) =>
          !isOutside(path, folder) && pattern.test(relative(folder, path).replaceAll('\\', '/')),
      ),
  }
}

function readGlob(glob: string, cwd: string): { folder: string; pattern: RegExp } {
  const parts = glob.replaceAll('\\', '/').split('/')
  const first = parts.findIndex((part) => SPECIAL.test(part))
  const isPlain = first === -1
  const path = resolve(cwd, isPlain ? glob : parts.slice(0, first).join('/') || rootOf(glob))
  if (!isPlain) return { folder: path, pattern: toPattern(parts.slice(first).join('/')) }
  if (isFolder(path)) return { folder: path, pattern: toPattern('**') }
  return { folder: resolve(path, '..'), pattern: toPattern(parts.at(-1) ?? '') }
}

function rootOf(glob: string): string {
  return glob.startsWith('/') ? '/' : '.'
}

const PARTS = /\*\*\/|\*\*|\*|\?|\{|\}|,|[^*?{},]+/g
const MEANINGS: Readonly<Record<string, string>> = {
  '**/': '(?:.*/)?',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
  '{': '(?:',
  '}': ')',
}

function toPattern(glob: string): RegExp {
  let depth = 0
  const source = (glob.match(PARTS) ?? []).map((part) => {
    if (part === ',') return depth > 0 ? '|' : ','
    // A bracket without its partner is a character of the name.
    if (part === '}' && depth === 0) return '\\}'
    if (part === '{') depth++
    if (part === '}') depth--
    return MEANINGS[part] ?? part.replace(/[\\^$.+()[\]|]/g, '\\$&')
  })
  return new RegExp(`^${source.join('')}${')'.repeat(depth)}$`)
}

/** The files below a folder, and all its folders with itself. Links to folders are not followed. */
export function listBelow(folder: string): { files: string[]; folders: string[] } {
  const found = { files: [] as string[], folders: [folder] }
  // `folders` grows while it is read.
  for (const place of found.folders) {
    for (const entry of entriesOf(place)) {
      if (entry.isDirectory() && !SKIPPED.has(entry.name))
        found.folders.push(join(place, entry.name))
      if (!entry.isDirectory()) found.files.push(join(place, entry.name))
    }
  }
  return found
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // It does not exist, or not any more.
    return []
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
