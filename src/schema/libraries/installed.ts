import { createRequire } from 'node:module'
import { join } from 'node:path'
import { findOldPeer, type OldPeer, type Peer } from '../../errors/peer-floor.js'

/**
 * A package of the application's, or `undefined` when there is none. It is looked for from where the application
 * runs, and then from here: a linked package is not below the application.
 */
export function installed(name: string): Readonly<Record<string, unknown>> | undefined {
  for (const origin of [join(process.cwd(), 'package.json'), import.meta.url]) {
    try {
      return createRequire(origin)(name) as Readonly<Record<string, unknown>>
    } catch {
      // Not installed there.
    }
  }
  return undefined
}

/** Read once: an application has thousands of schemas. */
const old = new Map<Peer, OldPeer | null>()

/** Says that the package which {@link installed} finds is too old; `null` where it is new enough. */
export function findOldInstalled(name: Peer): OldPeer | null {
  const known = old.get(name)
  if (known !== undefined) return known
  const found = lookForOld(name)
  old.set(name, found)
  return found
}

function lookForOld(name: Peer): OldPeer | null {
  for (const origin of [join(process.cwd(), 'package.json'), import.meta.url]) {
    try {
      createRequire(origin).resolve(name)
      return findOldPeer(name, origin)
    } catch {
      // Not installed there.
    }
  }
  return null
}
