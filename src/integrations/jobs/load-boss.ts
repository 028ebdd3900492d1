import type { PgBoss } from 'pg-boss'
import { ConfigError } from '../../index.js'
import { type Problem, refuseOldPeer } from '../../plugin/index.js'

/** The instance of pg-boss that an application uses. */
export type Boss = PgBoss

/**
 * Loads pg-boss.
 *
 * @throws ConfigError `E_PEER_MISSING` if Node or the package is too old, or the package is not installed.
 */
export async function loadBoss(version: string = process.versions.node): Promise<typeof PgBoss> {
  refuseOldPeer('pg-boss', { subject: 'blazon/jobs', origin: import.meta.url })
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isOld = major < 22 || (major === 22 && minor < 12)
  const cause = `pg-boss 12 needs Node 22.12 or later, and this is ${version}.`
  if (isOld) throw missing(cause, 'Use a later Node.')
  try {
    return (await import('pg-boss')).PgBoss
  } catch (error) {
    const names = 'pg-boss, or @opentelemetry/api, which it imports,'
    throw missing(
      `The package ${names} cannot be loaded.`,
      'npm install pg-boss @opentelemetry/api',
      error,
    )
  }
}

function missing(cause: string, remedy: string, error?: unknown): ConfigError {
  const problem: Problem = { code: 'E_PEER_MISSING', subject: 'blazon/jobs', cause, remedy }
  return new ConfigError([problem], { cause: error })
}
