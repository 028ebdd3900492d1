import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CliError } from '../cli-error.js'
import { followLinks, isOutside } from '../output-path.js'
import type { Streams } from '../streams.js'
import { readText, writeFiles } from '../write-files.js'
import { lineDiff } from './line-diff.js'
import type { PartFile } from './read-part.js'

/** A file to write, and the text that it has now; `undefined` if it does not exist. */
export interface Change extends PartFile {
  readonly old: string | undefined
}

/**
 * The change that makes a new file.
 *
 * @throws CliError when the file exists with another text.
 */
export function changeOf({ path, text }: PartFile, root: string): Change {
  const full = targetOf(path, root)
  if (!existsSync(full)) return { path, text, old: undefined }
  const old = readText(full)
  // Git may have converted the ends of lines.
  if (old?.replaceAll('\r\n', '\n') === text.replaceAll('\r\n', '\n'))
    return { path, text: old, old }
  throw new CliError({
    status: 2,
    what: `${path} exists. Nothing was written.`,
    cause:
      'Its text is not the one that the command would write, and the command replaces no file.',
    remedy: 'Choose another name, or another folder: --dir src/orders',
  })
}

/** The path of a file of the project. A link must not lead out of it. */
function targetOf(path: string, root: string): string {
  const target = followLinks(join(root, path))
  if (!isOutside(target, root)) return target
  throw new CliError({
    status: 2,
    what: `${path} is outside the project. Nothing was written.`,
    cause: `A link leads to ${target}.`,
    remedy: 'Name another folder: --dir src/orders',
  })
}

/** How the changes are made. */
export interface Writing {
  readonly root: string
  /** Whether the changes are printed in place of being made. */
  readonly dryRun: boolean
  readonly streams: Streams
}

/** Writes all files or none, and prints what has changed in files that existed. */
export function writeChanges(changes: readonly Change[], { root, dryRun, streams }: Writing): void {
  const changed = changes.filter(({ text, old }) => text !== old)
  if (!dryRun) writeFiles(changed.map(({ path, text }) => ({ path: targetOf(path, root), text })))
  for (const { path, text, old } of changes) {
    const state = text === old ? 'unchanged' : old === undefined ? 'new' : 'changed'
    streams.out(`${path} (${state})\n`)
    if (state === 'unchanged' || (state === 'new' && !dryRun)) continue
    for (const line of lineDiff(old ?? '', text)) streams.out(`  ${line}\n`)
  }
  if (changed.length === 0) streams.out('Nothing to do.\n')
  else if (dryRun) streams.out('Nothing was written: --dry-run.\n')
}
