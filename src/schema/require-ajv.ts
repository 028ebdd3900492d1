import { createRequire } from 'node:module'
import type { Ajv2020 } from 'ajv/dist/2020.js'

/** The Ajv class, and the function that adds the formats. */
type AjvPackages = [typeof import('ajv/dist/2020.js'), (ajv: Ajv2020) => void]

/**
 * Loads Ajv synchronously, because documents are built synchronously. The build replaces this module with literal
 * `require` calls, which an application's bundler can find.
 */
export function requireAjv(): AjvPackages {
  const require = createRequire(import.meta.url)
  return [require('ajv/dist/2020.js'), require('ajv-formats')]
}
