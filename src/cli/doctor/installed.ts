import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type JsonText, readJson } from './json-text.js'

/** An installed package. */
export interface Installed {
  /** Its folder, without links. */
  readonly folder: string
  readonly version: string
  readonly manifest: JsonText
}

/** Finds a package as Node does from a file in `folder`. `null` if it is not installed. */
export function findInstalled(name: string, folder: string): Installed | null {
  for (let current = folder; ; current = dirname(current)) {
    const place = join(current, 'node_modules', name)
    if (existsSync(join(place, 'package.json'))) return readInstalled(place)
    if (dirname(current) === current) return null
  }
}

/** Reads the package in a folder. `null` if its manifest cannot be read. */
export function readInstalled(place: string): Installed | null {
  try {
    const folder = realpathSync(place)
    const manifest = readJson(join(folder, 'package.json'))
    return { folder, version: String(manifest.value['version'] ?? ''), manifest }
  } catch {
    return null
  }
}

/** The first number of a version; `null` for a package that is not installed. */
export function majorOf(installed: Installed | null): number | null {
  const major = Number.parseInt(installed?.version ?? '', 10)
  return Number.isNaN(major) ? null : major
}
