import { readFileSync } from 'node:fs'

/** The part of this package's manifest that a project uses. */
export interface PackageManifest {
  readonly version: string
  readonly engines: { readonly node: string }
  /** The versions that the tests of this package use. A project begins with the same. */
  readonly devDependencies: Readonly<Record<string, string>>
}

/** The manifest of the package whose command runs. */
export function packageManifest(): PackageManifest {
  return JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
}
