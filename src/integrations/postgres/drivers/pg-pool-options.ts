import type { PostgresOptions } from '../options/postgres-options.js'
import type { PgPackage } from './pg-package.js'
import type { Servers } from './servers.js'

type Bag = Readonly<Record<string, unknown>>

/** Defaults that the user's `poolOptions` override. */
const DEFAULTS = {
  // An `application_name` from the URL, the environment or the user's options has priority.
  fallback_application_name: 'blazon',
  keepAlive: true,
  idleTimeoutMillis: 30_000,
  maxLifetimeSeconds: 1800,
}

/** Builds the options for the pool of `pg`. */
export function poolOptions(
  options: PostgresOptions,
  limits: { readonly max: number; readonly connectionTimeoutMillis: number },
): Bag {
  const { poolOptions: own = {} } = options
  const fixed = { ...limits, pipeline: true, binary: false }
  return { ...DEFAULTS, ...own, ...copySsl(own), ...fixed }
}

// pg hides the private key from logs by changing this object. A frozen object does not allow that,
// so copy it.
function copySsl({ ssl }: Bag): object {
  return typeof ssl === 'object' && ssl !== null ? { ssl: { ...ssl } } : {}
}

/**
 * Returns a class of clients of the server that is chosen when they are made. A password that is a function is called for
 * each of them: `pg` would otherwise prefer the password of the URL, even when the URL has none.
 */
export function clientOf(
  { Client }: PgPackage,
  { password }: Bag,
  servers: Servers,
): PgPackage['Client'] {
  return class extends Client {
    constructor(options: object) {
      super({ ...options, connectionString: servers.url })
      if (typeof password === 'function') this.password = password
    }
  }
}
