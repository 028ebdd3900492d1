import type { DeclaredEnv } from '../../features/env/announce-env.js'
import type { EnvReport } from '../../features/env/report-env.js'
import { readApp } from './read-app.js'
import { SelectionError } from './select-app.js'

/** The key that `features/env/announce-env.ts` reads. */
const LISTENER = Symbol.for('blazon.env')

/**
 * Imports a module and reports the variables of every `env()` that it, or a module that it imports, has called. Call it
 * only in a separate process.
 */
export async function readEnvs(module: string): Promise<EnvReport[]> {
  const declared: DeclaredEnv[] = []
  const value = (each: DeclaredEnv) => declared.push(each)
  Object.defineProperty(globalThis, LISTENER, { value })
  try {
    await readApp(module)
  } catch (error) {
    // The module may be without an application. It may also have read wrong variables, which are reported below.
    const isEnough = error instanceof SelectionError || isAboutVariables(error)
    if (!isEnough || declared.length === 0) throw error
  }
  return await Promise.all(declared.map((each) => each.report()))
}

/** Compares names instead of classes: the application may use another copy of this package. */
function isAboutVariables(error: unknown): boolean {
  const { name, problems = [] } = (error ?? {}) as { name?: string; problems?: { code: string }[] }
  return name === 'ConfigError' && problems.some(({ code }) => code === 'E_ENV_INVALID')
}
