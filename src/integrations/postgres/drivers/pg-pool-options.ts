import type { PostgresOptions } from '../options/postgres-options.js'
import type { PgPackage } from './pg-package.js'

type Bag = Readonly<Record<string, unknown>>

/** Defaults that the user's `poolOptions` override. */
const DEFAULTS = {
  // An `application_name` from the URL, the environment or the user's options has priority.
  fallback_application_name: 'blazon',
  keepAlive: true,
  idleTimeoutMillis: 30_000,
}

/** Builds the options for the pool of `pg`. */
export function poolOptions(
  options: PostgresOptions,
  limits: { readonly max: number; readonly connectionTimeoutMillis: number },
): Bag {
  const { url: connectionString, poolOptions: own = {} } = options
  const fixed = { connectionString, ...limits, pipeline: true, binary: false }
  return { ...DEFAULTS, ...own, ...copySsl(own), ...fixed }
}

// pg hides the private key from logs by changing this object. A frozen object does not allow that,
// so copy it.
function copySsl({ ssl }: Bag): object {
  return typeof ssl === 'object' && ssl !== null ? { ssl: { ...ssl } } : {}
}

/**
 * When the password is a function, returns a client class that calls it for each connection. `pg`
 * would otherwise prefer the password of the URL, even when the URL has none.
 */
export function clientOf({ Client }: PgPackage, { password }: Bag): PgPackage['Client'] {
  if (typeof password !== 'function') return Client
  return class extends Client {
    constructor(options: object) {
      super(options)
      this.password = password
    }
  }
}
