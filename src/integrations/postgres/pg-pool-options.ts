import type { PostgresOptions } from './postgres-options.js'

/** What a user's own options may say otherwise. */
const DEFAULTS = {
  // An `application_name` of the URL, of the environment or of the user's own goes before it.
  fallback_application_name: 'blazon',
  keepAlive: true,
  idleTimeoutMillis: 30_000,
}

/** What the pool of `pg` is made with. */
export function poolOptions(options: PostgresOptions, max: number, acquireMs: number): object {
  const { url: connectionString, poolOptions: own = {} } = options
  const fixed = {
    connectionString,
    max,
    connectionTimeoutMillis: acquireMs,
    pipeline: true,
    binary: false,
  }
  // Copied, because pg hides the key in it from whoever prints it.
  const ssl =
    typeof own['ssl'] === 'object' && own['ssl'] !== null ? { ssl: { ...own['ssl'] } } : {}
  return { ...DEFAULTS, ...own, ...ssl, ...fixed }
}
