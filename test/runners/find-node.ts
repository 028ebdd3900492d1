import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../root.js'

/** The folder in which `.ci/run` installs other versions of Node. */
const FETCHED = join(root, '.ci/.cache/node_modules')

/** A Node of a major version or later: the current one, or one from `.ci/run`; `null` if it is missing. */
export function findNode(major: number): string | null {
  if (Number(process.versions.node.split('.')[0]) >= major) return process.execPath
  const binary = join(FETCHED, `node-${major}/bin/node`)
  return existsSync(binary) ? binary : null
}
