import { cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { builtPackage } from '../cli/built-package.js'

/**
 * Copies the package, as it is published, to the folder that npm would use. It is not a link, because runners treat the
 * target of a link as code of the project.
 */
export function setup(): void {
  const place = fileURLToPath(new URL('node_modules/blazon', import.meta.url))
  rmSync(place, { recursive: true, force: true })
  cpSync(builtPackage(), place, { recursive: true })
}
