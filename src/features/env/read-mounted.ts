import { readFileSync, statSync } from 'node:fs'

/** A larger file is not a value: the whole environment of a process has about as much room. */
const MAX_BYTES = 1_048_576

/** The value in a file, or why there is none. */
export type Mounted =
  | { readonly text: string; readonly fault?: undefined }
  | { readonly fault: string }

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this process may not read it',
  EPERM: 'this process may not read it',
  ENOTDIR: 'a part of the path is not a folder',
}

/** Any other text may be the secret itself. */
const LOOKS_LIKE_PATH = /^(?:\.{0,2}[/\\]|[a-z]:[/\\])/i

/** Reads a mounted secret: the text of a file without its last line break. */
export function readMounted(path: string): Mounted {
  // The variable may have been set to the secret itself, so a value that is not a path is not shown.
  if (!isPath(path)) return { fault: 'Its value is not the path of a file.' }
  const file = LOOKS_LIKE_PATH.test(path) ? path : 'The file that it names'
  try {
    const stats = statSync(path)
    // Reading a pipe would wait, and reading a device may never end.
    if (!stats.isFile()) return { fault: `${file} cannot be read: it is not a file.` }
    if (stats.size > MAX_BYTES) return { fault: `${file} is larger than ${MAX_BYTES} bytes.` }
    return { text: readFileSync(path, 'utf8').replace(/\r?\n$/, '') }
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    return { fault: `${file} cannot be read: ${REASONS[code] ?? code}.` }
  }
}

function isPath(text: string): boolean {
  return text.length <= 1024 && !text.includes('://') && !/\p{Cc}/u.test(text)
}
