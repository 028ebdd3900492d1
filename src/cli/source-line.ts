import { relative } from 'node:path'

/** A position in a file of the project. */
export interface SourceLine {
  /** An absolute path. */
  readonly path: string
  readonly line: number
  readonly column: number
}

/**
 * Matches a position in a stack trace. A path does not begin directly after a letter. Otherwise, the internal modules
 * of Node would match, such as `node:internal/modules/run_main:123`.
 */
const PLACE = /(?<![\w.-])(?:file:\/\/)?((?:\/|[A-Za-z]:[\\/])[^():\n]+):(\d+)(?::(\d+))?/g

/** Returns the first position in the project's own code from a string, such as a stack trace. */
export function findSourceLine(text: string): SourceLine | undefined {
  for (const [, path = '', line, column] of text.matchAll(PLACE)) {
    if (path.includes('node_modules')) continue
    return { path: decoded(path), line: Number(line), column: Number(column ?? 1) }
  }
  return undefined
}

/** Formats a position relative to a folder, such as `src/app.ts:3:9`. */
export function formatSourceLine({ path, line, column }: SourceLine, cwd: string): string {
  return `${relative(cwd, path)}:${line}:${column}`
}

/** Decodes a path, because stack traces contain ES modules as URLs. */
function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
