import { createRequire } from 'node:module'
import { join } from 'node:path'

/**
 * A package of the application's, or `undefined` when there is none. It is looked for from where the application
 * runs, and then from here: a linked package is not below the application.
 */
export function installed(name: string): Readonly<Record<string, unknown>> | undefined {
  for (const origin of [join(process.cwd(), 'package.json'), import.meta.url]) {
    try {
      return createRequire(origin)(name) as Readonly<Record<string, unknown>>
    } catch {
      // Not installed there.
    }
  }
  return undefined
}
