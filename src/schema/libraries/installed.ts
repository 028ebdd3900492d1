import { createRequire } from 'node:module'
import { join } from 'node:path'
import { findOldPeer, type OldPeer, type Peer } from '../../errors/peer-floor.js'

/**
 * Loads a package of the application; `undefined` when it is not installed. It is looked up from the working
 * directory first, and then from this package: if this package is linked, its folder is not inside the
 * application.
 */
export function installed(name: string): Readonly<Record<string, unknown>> | undefined {
  for (const origin of [join(process.cwd(), 'package.json'), import.meta.url]) {
    try {
      return createRequire(origin)(name) as Readonly<Record<string, unknown>>
    } catch {
      // Not installed for this origin.
    }
  }
  return undefined
}

/** Cached, because an application may have thousands of schemas. */
const old = new Map<Peer, OldPeer | null>()

/**
 * Returns the version problem of the package that {@link installed} finds; `null` when it is new enough or
 * not installed.
 */
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
      // Not installed for this origin.
    }
  }
  return null
}
