import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../root.js'

/** Where `.ci/run` puts the Nodes that it fetches. */
const FETCHED = join(root, '.ci/.cache/node_modules')

/** A Node of a major version or later: this one, or one that `.ci/run` has fetched; `null` where there is none. */
export function findNode(major: number): string | null {
  if (Number(process.versions.node.split('.')[0]) >= major) return process.execPath
  const binary = join(FETCHED, `node-${major}/bin/node`)
  return existsSync(binary) ? binary : null
}
