import { createRequire } from 'node:module'

/**
 * Loads Express as a whole, synchronously, for libraries that instrument it when it is loaded. The build replaces this module
 * by a literal call of `require`, which bundlers of applications find.
 */
export function requireExpress(): typeof import('express') {
  return createRequire(import.meta.url)('express')
}
