import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { CliError } from './cli-error.js'
import { outputPath } from './output-path.js'
import type { Streams } from './streams.js'
import { type OutputFile, writeFiles } from './write-files.js'

/** Where new files may be, and how messages name them. */
export interface NewFiles {
  /** The folder of the project's `package.json`. */
  readonly root: string
  /** The option that names the folder or the file. */
  readonly option: string
}

/**
 * Writes all files or none, and prints their paths. No file may exist.
 *
 * @param files Their paths are absolute.
 * @throws CliError when one exists, or is outside the project, also through links.
 */
export function writeNew(
  files: readonly OutputFile[],
  { root, option }: NewFiles,
  streams: Streams,
): void {
  const named = files.map(({ path, text }) => ({ name: relative(root, path), path, text }))
  const targets = named.map(({ name, text }) => ({ path: outputPath(name, option, root), text }))
  const existing = named.find(({ path }) => existsSync(path))
  if (existing !== undefined) {
    throw new CliError({
      status: 2,
      what: `${existing.name} exists. Nothing was written.`,
      cause: 'The command replaces no file.',
      remedy: `Choose another name, or another folder: ${option}`,
    })
  }
  writeFiles(targets)
  for (const { name } of named) streams.out(`${name.replaceAll('\\', '/')} (new)\n`)
}
