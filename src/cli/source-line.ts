import { relative } from 'node:path'

/** A place in a file of the project. */
export interface SourceLine {
  /** An absolute path. */
  readonly path: string
  readonly line: number
  readonly column: number
}

/**
 * Matches a place in a stack. A path after other letters belongs to Node, such as `node:internal/modules/run_main:123`.
 */
const PLACE = /(?<![\w.-])(?:file:\/\/)?((?:\/|[A-Za-z]:[\\/])[^():\n]+):(\d+)(?::(\d+))?/g

/** Returns the first place in a text, such as a stack, that is in the project's own code. */
export function findSourceLine(text: string): SourceLine | undefined {
  for (const [, path = '', line, column] of text.matchAll(PLACE)) {
    if (path.includes('node_modules')) continue
    return { path: decoded(path), line: Number(line), column: Number(column ?? 1) }
  }
  return undefined
}

/** Formats a place relative to a folder, such as `src/app.ts:3:9`. */
export function formatSourceLine({ path, line, column }: SourceLine, cwd: string): string {
  return `${relative(cwd, path)}:${line}:${column}`
}

/** Decodes a path, because a stack contains ES modules as URLs. */
function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
