import { createRequire } from 'node:module'

/**
 * Loads the whole of Express synchronously, for libraries that instrument Express when it is loaded. The build replaces
 * this module with a literal `require` call, which an application's bundler can find.
 */
export function requireExpress(): typeof import('express') {
  return createRequire(import.meta.url)('express')
}
