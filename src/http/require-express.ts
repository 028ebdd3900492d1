import { createRequire } from 'node:module'

/**
 * Loads the whole of Express synchronously, for libraries that instrument it when it is loaded. The build replaces this
 * module with a literal `require` call, which bundlers of applications can find.
 */
export function requireExpress(): typeof import('express') {
  return createRequire(import.meta.url)('express')
}
