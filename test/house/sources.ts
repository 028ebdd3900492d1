import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A file below `src/`. */
export interface Source {
  /** Relative to `src/`, with forward slashes. */
  readonly path: string
  readonly text: string
}

/** Every file of `src/`. */
export function readSources(): Source[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({
      path: path.replaceAll('\\', '/'),
      text: readFileSync(join(root, 'src', path), 'utf8'),
    }))
    .sort((a, b) => a.path.localeCompare(b.path))
}
