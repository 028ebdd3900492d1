import { cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { builtPackage } from '../cli/built-package.js'

/**
 * Puts the package, as it is published, where npm would: a copy, because runners treat what a link leads to as
 * the project's own code.
 */
export function setup(): void {
  const place = fileURLToPath(new URL('node_modules/blazon', import.meta.url))
  rmSync(place, { recursive: true, force: true })
  cpSync(builtPackage(), place, { recursive: true })
}
