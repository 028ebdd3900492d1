import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The fields of a `package.json` that the commands read. */
export interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** An installed package, or the project itself. */
export interface Installed {
  /** The package's folder, with links resolved. */
  readonly folder: string
  readonly manifest: Manifest
}

/** Finds a package as Node would from a file in `folder`; `null` if it is not installed. */
export function findInstalled(name: string, folder: string): Installed | null {
  for (let current = folder; ; current = dirname(current)) {
    const place = join(current, 'node_modules', name)
    if (existsSync(join(place, 'package.json'))) return readInstalled(place)
    if (dirname(current) === current) return null
  }
}

/**
 * Reads the package in a folder; `null` if its manifest cannot be read. That is no error here, because the package
 * manager reports it.
 */
export function readInstalled(place: string): Installed | null {
  try {
    const folder = realpathSync(place)
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return typeof manifest === 'object' && manifest !== null ? { folder, manifest } : null
  } catch {
    return null
  }
}
