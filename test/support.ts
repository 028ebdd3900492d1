import { App, type AppOptions, ConfigError } from 'blazon'
import type { Problem } from 'blazon/plugin'
import { standInProblems } from '../src/errors/stand-in.js'

/**
 * Returns what a factory has made.
 *
 * @throws ConfigError if its options are wrong, with the problems that an application lists.
 */
export function usable<T>(made: T): T {
  const problems = standInProblems([made])
  if (problems.length > 0) throw new ConfigError(problems)
  return made
}

/** What keeps an application from starting; fails the test when nothing does. */
export async function bootProblems(options: AppOptions): Promise<readonly Problem[]> {
  let app: App
  try {
    app = await App.create({ logger: false, ...options })
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  await app.close()
  throw new Error('The application started; a ConfigError was expected.')
}

/** Warnings that a start logs, as their codes. */
export async function bootWarnings(options: AppOptions): Promise<{ code: string; text: string }[]> {
  const warnings: { code: string; text: string }[] = []
  const logger = {
    info() {},
    warn: (facts: object, text: string) => warnings.push({ ...(facts as { code: string }), text }),
    error() {},
  }
  const app = await App.create({ ...options, logger })
  await app.close()
  return warnings
}
