import { spawnSync } from 'node:child_process'
import { findOwnLine } from '../../own-line.js'

/** A check takes as long as a start of Node. */
const MOST_CHECKS = 20

/**
 * Finds the place of a syntax error in JavaScript, as Node prints it. Node keeps it in a part of the error that programs
 * cannot read, so each file is parsed again, the last one first.
 */
export function locateSyntaxError(files: readonly string[]): string | undefined {
  const candidates = files.filter((path) => /\.[cm]?js$/.test(path)).slice(-MOST_CHECKS)
  for (const path of candidates.reverse()) {
    const { status, stderr } = spawnSync(process.execPath, ['--check', path], { encoding: 'utf8' })
    if (status !== 0 && findOwnLine(stderr) !== undefined) return stderr
  }
  return undefined
}
